package onnx

import (
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelverifier/verifier/internal/graph"
)

// The numbers of the fields are those of onnx.proto, https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.

// Limits of what a file may hold. The largest models that people export have some ten thousand nodes.
const (
	maxNodes   = 200_000
	maxAttrs   = 1_000 // of a node; no operator has as many
	maxTensors = 200_000
	maxRank    = 64
	maxList    = 1 << 20 // entries of a list attribute
	maxDepth   = 16      // graphs inside attributes of nodes, and functions inside functions
)

type protoModel struct {
	irVersion           int64
	producer, version   string
	opsets              map[string]int64
	graph               *protoGraph
	functions           []*protoFunction
	nodes, tensorsCount int
}

type protoGraph struct {
	name             string
	nodes            []*protoNode
	initializers     []*tensor
	inputs, outputs  []protoValue
	infos            []protoValue
	hasSparseWeights bool
}

type protoFunction struct {
	domain, name, overload string
	inputs, outputs        []string
	attributes             []string
	defaults               []protoAttr
	nodes                  []*protoNode
	opsets                 map[string]int64
}

type protoNode struct {
	name, op, domain, overload string
	in, out                    []string
	attrs                      []protoAttr
	scopes                     string // pkg.torch.onnx.name_scopes
}

type protoAttr struct {
	name, ref string
	kind      int64
	f         float64
	i         int64
	s         string
	t         *tensor
	g         *protoGraph
	floats    []float64
	ints      []int64
	strings   []string
}

// protoValue is the declared type of a value. A dimension is its size, -1 with a name, or -1.
type protoValue struct {
	name     string
	elem     elemType
	isTensor bool
	ranked   bool
	dims     []int64
	params   []string
}

// decoder reads the messages of a file.
type decoder struct {
	*source
	model protoModel
	depth int
}

func (d *decoder) opset(in span, into map[string]int64) error {
	var domain string
	var version int64
	err := d.each(in, "an operator set", func(f field) (err error) {
		switch f.num {
		case 1:
			domain, err = d.text(f)
		case 2:
			version = int64(f.val)
		}
		return err
	})
	if domain == "ai.onnx" {
		domain = ""
	}
	into[domain] = version
	return err
}

func (d *decoder) readModel() error {
	d.model.opsets = map[string]int64{}
	err := d.each(span{0, d.size}, "the file", func(f field) (err error) {
		switch {
		case f.num == 1 && f.typ == protowire.VarintType:
			d.model.irVersion = int64(f.val)
		case f.typ != protowire.BytesType:
		case f.num == 2:
			d.model.producer, err = d.text(f)
		case f.num == 3:
			d.model.version, err = d.text(f)
		case f.num == 7:
			if d.model.graph != nil {
				return malformed("", "the file holds two graphs")
			}
			d.model.graph, err = d.readGraph(f.span)
		case f.num == 8:
			err = d.opset(f.span, d.model.opsets)
		case f.num == 25:
			var fn *protoFunction
			fn, err = d.readFunction(f.span)
			d.model.functions = append(d.model.functions, fn)
		}
		return err
	})
	if err == nil && d.model.graph == nil {
		err = malformed("", "this is no ONNX file: it holds no graph")
	}
	return err
}

func (d *decoder) readGraph(in span) (*protoGraph, error) {
	if d.depth++; d.depth > maxDepth {
		return nil, &graph.Error{Code: graph.CodeDepth, Message: "graphs are nested too deeply", Limit: maxDepth}
	}
	defer func() { d.depth-- }()
	g := &protoGraph{}
	return g, d.each(in, "a graph", func(f field) (err error) {
		if f.typ != protowire.BytesType {
			return nil
		}
		switch f.num {
		case 1:
			g.nodes, err = d.appendNode(g.nodes, f.span)
		case 2:
			g.name, err = d.called(f)
		case 5:
			var t *tensor
			if t, err = d.readTensor(f.span); err == nil {
				g.initializers = append(g.initializers, t)
			}
		case 11:
			g.inputs, err = d.appendValue(g.inputs, f.span)
		case 12:
			g.outputs, err = d.appendValue(g.outputs, f.span)
		case 13:
			g.infos, err = d.appendValue(g.infos, f.span)
		case 15:
			g.hasSparseWeights = true
		}
		return err
	})
}

func (d *decoder) readFunction(in span) (*protoFunction, error) {
	fn := &protoFunction{opsets: map[string]int64{}}
	return fn, d.each(in, "a function", func(f field) (err error) {
		if f.typ != protowire.BytesType {
			return nil
		}
		switch f.num {
		case 1:
			fn.name, err = d.called(f)
		case 4:
			fn.inputs, err = d.appendName(fn.inputs, f)
		case 5:
			fn.outputs, err = d.appendName(fn.outputs, f)
		case 6:
			fn.attributes, err = d.appendName(fn.attributes, f)
		case 7:
			fn.nodes, err = d.appendNode(fn.nodes, f.span)
		case 9:
			err = d.opset(f.span, fn.opsets)
		case 10:
			fn.domain, err = d.called(f)
		case 11:
			if len(fn.defaults) >= maxAttrs {
				return tooLarge(maxAttrs, "", "a function has more than %d attributes", maxAttrs)
			}
			var a protoAttr
			a, err = d.readAttr(f.span)
			fn.defaults = append(fn.defaults, a)
		case 13:
			fn.overload, err = d.called(f)
		}
		return err
	})
}

func (d *decoder) appendName(list []string, f field) ([]string, error) {
	s, err := d.called(f)
	return append(list, s), err
}

// maxName is the longest name that is read. A name stands once in a file, and in the graph wherever a function is called.
const maxName = 4096

// called reads a name.
func (d *decoder) called(f field) (string, error) {
	if f.size() > maxName {
		return "", tooLarge(maxName, "", "a name of %d bytes at %d is longer than %d", f.size(), f.at, maxName)
	}
	return d.text(f)
}

func (d *decoder) appendNode(list []*protoNode, in span) ([]*protoNode, error) {
	if d.model.nodes++; d.model.nodes > maxNodes {
		return nil, tooLarge(maxNodes, "", "the file has more than %d nodes", maxNodes)
	}
	n := &protoNode{}
	err := d.each(in, "a node", func(f field) (err error) {
		if f.typ != protowire.BytesType {
			return nil
		}
		switch f.num {
		case 1:
			n.in, err = d.appendName(n.in, f)
		case 2:
			n.out, err = d.appendName(n.out, f)
		case 3:
			n.name, err = d.called(f)
		case 4:
			n.op, err = d.called(f)
		case 5:
			if len(n.attrs) >= maxAttrs {
				return tooLarge(maxAttrs, "", "a node has more than %d attributes", maxAttrs)
			}
			var a protoAttr
			a, err = d.readAttr(f.span)
			n.attrs = append(n.attrs, a)
		case 7:
			n.domain, err = d.called(f)
		case 8:
			n.overload, err = d.called(f)
		case 9:
			err = d.readScopes(f.span, n)
		}
		return err
	})
	return append(list, n), err
}

// readScopes keeps, of what the dynamo exporter notes about a node, the path of its module.
func (d *decoder) readScopes(in span, n *protoNode) error {
	key, value, err := d.entry(in)
	const longest = 2 * maxName // names of all modules around it
	if key == "pkg.torch.onnx.name_scopes" && len(value) <= longest {
		n.scopes = value
	}
	return err
}

// entry reads a pair of strings. A value that is too long for a name is left out.
func (d *decoder) entry(in span) (key, value string, err error) {
	err = d.each(in, "a property", func(f field) (err error) {
		switch {
		case f.typ != protowire.BytesType || f.size() > maxText:
		case f.num == 1:
			key, err = d.text(f)
		case f.num == 2:
			value, err = d.text(f)
		}
		return err
	})
	return key, value, err
}

func (d *decoder) readAttr(in span) (protoAttr, error) {
	var a protoAttr
	err := d.each(in, "an attribute", func(f field) (err error) {
		switch f.num {
		case 1:
			a.name, err = d.called(f)
		case 2:
			a.f = float64(math.Float32frombits(uint32(f.val)))
		case 3:
			a.i = int64(f.val)
		case 4:
			a.s, err = d.text(f)
		case 5:
			a.t, err = d.readTensor(f.span)
		case 6:
			a.g, err = d.readGraph(f.span)
		case 7:
			a.floats, err = d.floats(a.floats, f)
		case 8:
			a.ints, err = d.ints(a.ints, f, maxList)
		case 9:
			var text string
			text, err = d.text(f)
			a.strings = append(a.strings, text)
		case 20:
			a.kind = int64(f.val)
		case 21:
			a.ref, err = d.called(f)
		}
		return err
	})
	return a, err
}

func (d *decoder) floats(list []float64, f field) ([]float64, error) {
	if f.typ == protowire.Fixed32Type {
		list = append(list, float64(math.Float32frombits(uint32(f.val))))
		return list, d.withinList(len(list), maxList)
	}
	if err := d.withinList(len(list)+int(f.size()/4), maxList); err != nil {
		return nil, err
	}
	b, err := d.read(f.span)
	for ; len(b) >= 4; b = b[4:] {
		v, _ := protowire.ConsumeFixed32(b)
		list = append(list, float64(math.Float32frombits(v)))
	}
	return list, err
}

func (d *decoder) appendValue(list []protoValue, in span) ([]protoValue, error) {
	if d.model.tensorsCount++; d.model.tensorsCount > maxTensors {
		return nil, tooLarge(maxTensors, "", "the file has more than %d tensors and values", maxTensors)
	}
	var v protoValue
	err := d.each(in, "a value", func(f field) (err error) {
		switch f.num {
		case 1:
			v.name, err = d.called(f)
		case 2:
			err = d.each(f.span, "a type", func(f field) error {
				if f.num != 1 {
					return nil
				}
				v.isTensor = true
				return d.readTensorType(f.span, &v)
			})
		}
		return err
	})
	return append(list, v), err
}

func (d *decoder) readTensorType(in span, v *protoValue) error {
	return d.each(in, "a tensor type", func(f field) error {
		switch f.num {
		case 1:
			v.elem = elemType(f.val)
		case 2:
			v.ranked = true
			return d.each(f.span, "a shape", func(f field) error {
				if f.num != 1 {
					return nil
				}
				return d.readDim(f.span, v)
			})
		}
		return nil
	})
}

func (d *decoder) readDim(in span, v *protoValue) error {
	size, name := int64(-1), ""
	err := d.each(in, "a dimension", func(f field) (err error) {
		switch f.num {
		case 1:
			size = int64(f.val)
		case 2:
			name, err = d.called(f)
		}
		return err
	})
	if len(v.dims) == maxRank {
		return tooLarge(maxRank, strings.TrimSpace("value "+v.name), "it has more than %d axes", maxRank)
	}
	v.dims, v.params = append(v.dims, max(size, -1)), append(v.params, name)
	return err
}
