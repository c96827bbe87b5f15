package fix

import (
	"regexp"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// insertions are what is often forgotten: to flatten before a linear layer, and .contiguous() before .view. A flatten that mends a fault
// makes a shape whose size is exactly the one that is asked for.
func (x *fault) insertions() []candidate {
	var out []candidate
	for _, s := range x.at {
		s.inside(func(node any) {
			call, ok := node.(*python.Call)
			if !ok {
				return
			}
			out = append(out, x.flattenBefore(s, call)...)
			if a, isAttr := call.Fn.(*python.Attr); isAttr && a.Name == "view" && x.said("contiguous") {
				out = append(out, s.insert(s.spans[a.X].End, ".contiguous()", costInsert, ".contiguous() before .view"))
			}
		})
	}
	return out
}

// flattenBefore flattens what a layer is called with, or puts a layer for it before one that is constructed in a row of layers.
func (x *fault) flattenBefore(s step, call *python.Call) []candidate {
	var out []candidate
	if a, ok := call.Fn.(*python.Attr); ok && len(call.Args) > 0 && call.Args[0].Name == "" && call.Args[0].Stars == 0 {
		if lastNameOf(a.X) == "self" || lastNameOf(a.X) == "F" {
			for _, c := range x.flattened(s, call.Args[0].Value) {
				if part := x.finding.Component[strings.LastIndexByte(x.finding.Component, '.')+1:]; part != a.Name {
					c.cost += 2 // the layer that does not run is another one
				}
				out = append(out, c)
			}
		}
	}
	if strings.HasSuffix(s.source(call.Fn), "nn.Linear") && inRow(s.script, call) {
		prefix := strings.TrimSuffix(s.source(call.Fn), "Linear")
		at := s.spans[call].Start
		text := prefix + "Flatten(), "
		if indent := s.text[s.starts[s.line(at)-1]:at]; strings.TrimSpace(indent) == "" {
			text = prefix + "Flatten()," + s.lineEnd() + indent
		}
		out = append(out, s.insert(at, text, costInsert+3, prefix+"Flatten() before the linear layer"))
	}
	return out
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
func (x *fault) flattened(s step, arg python.Expr) []candidate {
	if _, ok := s.spans[arg]; !ok {
		return nil
	}
	text := s.source(arg)
	flat := text + ".flatten(1)"
	if importsTorch.MatchString(s.text) {
		flat = "torch.flatten(" + text + ", 1)"
	}
	stmt := s.around(arg, isStatement)
	start := s.spans[stmt].Start
	indent := s.text[s.starts[s.line(start)-1]:start]
	if _, plain := arg.(*python.Name); plain && strings.TrimSpace(indent) == "" {
		line := text + " = " + flat
		return []candidate{s.insert(start, line+s.lineEnd()+indent, costInsert, line+" before the call")}
	}
	return []candidate{s.replace(arg, flat, costInsert)}
}

var importsTorch = regexp.MustCompile(`(?m)^\s*import (\w+, *)*torch\b(\s*$|\s*,|\s*#)`)

// lineEnd is how lines of the file end.
func (c *script) lineEnd() string {
	if strings.Contains(c.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}
