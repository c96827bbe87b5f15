package onnx

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// sequence follows a list of tensors from where it is made to where its items are taken. Nothing of it reaches the graph.
func (im *reading) sequence(n *node, p *protoNode, s *scope) error {
	if err := n.need(1); err != nil {
		return err
	}
	if len(n.out) != 1 || n.out[0] == nil {
		return n.errorf("it has no result")
	}
	switch n.op {
	case "SplitToSequence":
		return im.splitToSequence(n)
	case "SequenceConstruct":
		n.out[0].items = n.in
		return nil
	}
	items := n.in[0].items
	if items == nil {
		return &graph.Error{Code: action.CodeUnsupported, Path: n.path(), Message: "its list of tensors is made when the model runs"}
	}
	if n.op == "ConcatFromSequence" {
		if n.int("new_axis", 0) != 0 {
			return &graph.Error{Code: action.CodeUnsupported, Path: n.path(), Message: "it stacks a list of tensors"}
		}
		n.op, n.in = "Concat", items
		if err := im.count(len(items) / maxInputs); err != nil {
			return err
		}
		return im.apply(n)
	}
	at, ok := im.scalar(n.input(1))
	if ok && at < 0 {
		at += float64(len(items))
	}
	if !ok || at < 0 || at >= float64(len(items)) || items[int(at)] == nil {
		return n.errorf("it takes an item that is not in a list of %d", len(items))
	}
	s.values[p.out[0]] = items[int(at)]
	return nil
}

// splitToSequence is a Split whose pieces are the items.
func (im *reading) splitToSequence(n *node) error {
	in, list := n.in[0], n.out[0]
	axis, err := n.axis(n.int("axis", 0), in.rank())
	if err != nil {
		return err
	}
	sizes := []int64{}
	switch {
	case n.input(1) == nil && n.int("keepdims", 1) == 0:
		return &graph.Error{Code: action.CodeUnsupported, Path: n.path(), Message: "it splits off single entries without their axis"}
	default:
		each := int64(1)
		if n.input(1) != nil {
			given, err := im.intsOf(n, 1, "sizes")
			if err != nil {
				return n.errorf("%v", err)
			}
			if n.in[1].rank() > 0 {
				sizes = given
				break
			}
			each = given[0]
		}
		if each < 1 || in.shape[axis]/each > maxList {
			return n.errorf("it splits %d entries into pieces of %d", in.shape[axis], each)
		}
		for left := in.shape[axis]; left > 0; left -= each {
			sizes = append(sizes, min(each, left))
		}
	}
	if err := im.count(len(sizes)); err != nil {
		return err
	}
	split := &node{name: n.name, op: "Split", opset: 13, scopes: n.scopes, attrs: []protoAttr{{name: "axis", i: int64(axis)}},
		in: []*value{in, {name: list.name, elem: elemInt64, shape: []int64{int64(len(sizes))}, shaped: true, konst: true, num: &numbers{ints: sizes}}}}
	for range sizes {
		v := &value{name: list.name, def: split}
		split.out, list.items = append(split.out, v), append(list.items, v)
	}
	list.def = nil
	return im.apply(split)
}
