package fix

import (
	"regexp"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// insertions are what is often forgotten: to flatten before a linear layer, and .contiguous() before .view. A flatten that mends a fault
// makes a shape whose size is exactly the one that is asked for.
func (x *fault) insertions() {
	for _, s := range x.at {
		x.inside(s, func(node any) {
			call, ok := node.(*python.Call)
			if !ok {
				return
			}
			x.flattenBefore(s, call)
			if a, isAttr := call.Fn.(*python.Attr); isAttr && a.Name == "view" && x.said("contiguous") {
				x.offer(costInsert, func() candidate {
					return s.insert(s.spans[a.X].End, ".contiguous()", costInsert, ".contiguous() before .view")
				})
			}
		})
	}
}

// flattenBefore flattens what a layer is called with, or puts a layer for it before one that is constructed in a row of layers.
func (x *fault) flattenBefore(s step, call *python.Call) {
	if a, ok := call.Fn.(*python.Attr); ok && len(call.Args) > 0 && call.Args[0].Name == "" && call.Args[0].Stars == 0 {
		if _, known := s.spans[call.Args[0].Value]; known && (lastNameOf(a.X) == "self" || lastNameOf(a.X) == "F") {
			cost := costInsert
			if part := x.finding.Component[strings.LastIndexByte(x.finding.Component, '.')+1:]; part != a.Name {
				cost += 2 // the layer that does not run is another one
			}
			x.offer(cost, func() candidate { return s.flattened(call.Args[0].Value, cost) })
		}
	}
	if strings.HasSuffix(s.source(call.Fn), "nn.Linear") && inRow(s.script, call) {
		x.offer(costInsert+3, func() candidate {
			prefix := strings.TrimSuffix(s.source(call.Fn), "Linear")
			at := s.spans[call].Start
			text := prefix + "Flatten(), "
			if indent := s.text[s.starts[s.line(at)-1]:at]; strings.TrimSpace(indent) == "" {
				text = prefix + "Flatten()," + s.lineEnd() + indent
			}
			return s.insert(at, text, costInsert+3, prefix+"Flatten() before the linear layer")
		})
	}
}

// inRow reports whether an expression is one of several in a list or a call.
func inRow(c *script, x any) bool {
	switch p := c.parent[x].(type) {
	case *python.Sequence:
		return true
	case *python.Call:
		return lastName(p.Fn) == "Sequential"
	}
	return false
}

// flattened is the argument of a call, flattened: in a statement of its own where it is a variable.
func (s step) flattened(arg python.Expr, cost int) candidate {
	text := s.source(arg)
	flat := text + ".flatten(1)"
	if s.found.torch() {
		flat = "torch.flatten(" + text + ", 1)"
	}
	stmt := s.around(arg, isStatement)
	start := s.spans[stmt].Start
	indent := s.text[s.starts[s.line(start)-1]:start]
	if _, plain := arg.(*python.Name); plain && strings.TrimSpace(indent) == "" {
		line := text + " = " + flat
		return s.insert(start, line+s.lineEnd()+indent, cost, line+" before the call")
	}
	return s.replace(arg, flat, cost)
}

var importsTorch = regexp.MustCompile(`(?m)^\s*import (\w+, *)*torch\b(\s*$|\s*,|\s*#)`)

// lineEnd is how lines of the file end.
func (c *script) lineEnd() string {
	if c.found.crlf() {
		return "\r\n"
	}
	return "\n"
}
