package onnx

import (
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// call puts a local function in place.
func (im *reading) call(f *protoFunction, n *node, p *protoNode, s *scope) error {
	if s.depth >= maxDepth {
		return &graph.Error{Code: graph.CodeDepth, Path: n.path(), Message: "functions call each other too deeply", Limit: maxDepth}
	}
	if len(p.in) > len(f.inputs) || len(p.out) > len(f.outputs) {
		return n.errorf("it has %d inputs and %d results, its function %d and %d", len(p.in), len(p.out), len(f.inputs), len(f.outputs))
	}
	inner := &scope{values: map[string]*value{}, prefix: nested(s.prefix, n), opsets: f.opsets, depth: s.depth + 1}
	if len(f.opsets) == 0 {
		inner.opsets = s.opsets
	}
	if err := im.count((len(n.attrs) + len(f.defaults)) / maxInputs); err != nil {
		return err
	}
	inner.attrs = make(map[string]protoAttr, len(n.attrs)+len(f.defaults))
	for _, list := range [][]protoAttr{n.attrs, f.defaults} {
		for _, a := range list {
			if _, given := inner.attrs[a.name]; !given {
				inner.attrs[a.name] = a
			}
		}
	}
	for i, v := range n.in {
		if v != nil {
			inner.values[f.inputs[i]] = v
		}
	}
	body := f.nodes
	if len(n.name) < maxPrefix && (strings.HasPrefix(n.name, "/") || n.scopes != "") {
		body = scoped(body, n)
	}
	if err := im.run(body, inner); err != nil {
		return err
	}
	for i, name := range p.out {
		if name == "" {
			continue
		}
		v := inner.find(f.outputs[i])
		if v == nil {
			return n.errorf("its function produces no %q", f.outputs[i])
		}
		s.values[name] = v
	}
	return nil
}

// maxPrefix bounds what is put before the names inside a function: a small file could otherwise ask for very long ones.
const maxPrefix = 256

// nested is the name of a value inside a function or a branch.
func (s *scope) nested(name string) string {
	if len(name) > maxPrefix {
		return name
	}
	return s.prefix + name
}

// nested is what the names inside a function or a branch begin with.
func nested(prefix string, n *node) string {
	if out := prefix + n.label() + "/"; len(out) <= maxPrefix {
		return out
	}
	return prefix
}

// scoped gives the nodes of a function's body the module path of the call, where they tell none.
func scoped(body []*protoNode, n *node) []*protoNode {
	out := make([]*protoNode, len(body))
	for i, p := range body {
		q := *p
		if q.scopes == "" {
			q.scopes = n.scopes
		}
		if at := strings.LastIndexByte(n.name, '/'); at > 0 && !strings.HasPrefix(q.name, "/") && len(q.name) < maxPrefix {
			q.name = n.name[:at+1] + q.name
		}
		out[i] = &q
	}
	return out
}

// branch puts the branch of an If in place whose condition is a constant.
func (im *reading) branch(n *node, p *protoNode, s *scope) (bool, error) {
	cond, ok := im.scalar(n.input(0))
	if !ok {
		return false, nil
	}
	name := "else_branch"
	if cond != 0 {
		name = "then_branch"
	}
	a := n.attr(name)
	if a == nil || a.g == nil {
		return false, n.errorf("it has no %s", name)
	}
	if s.depth >= maxDepth {
		return false, &graph.Error{Code: graph.CodeDepth, Path: n.path(), Message: "branches are nested too deeply", Limit: maxDepth}
	}
	inner := &scope{values: map[string]*value{}, outer: s, attrs: s.attrs, prefix: nested(s.prefix, n), opsets: s.opsets, depth: s.depth + 1}
	if err := im.store(a.g, inner); err != nil {
		return false, err
	}
	for i := range a.g.infos {
		if im.declared[a.g.infos[i].name] == nil {
			im.declared[a.g.infos[i].name] = &a.g.infos[i]
		}
	}
	if err := im.run(a.g.nodes, inner); err != nil {
		return false, err
	}
	for i, name := range p.out {
		if name == "" {
			continue
		}
		if i >= len(a.g.outputs) || inner.find(a.g.outputs[i].name) == nil {
			return false, n.errorf("its branch produces no result %d", i)
		}
		s.values[name] = inner.find(a.g.outputs[i].name)
	}
	return true, nil
}
