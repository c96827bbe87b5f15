package torch

import (
	"math"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/yamltext"
)

func init() { beside = append(beside, (*reader).yaml) }

// yaml is PyYAML: what a program reads of its own files and texts, with the types of YAML 1.1, where yes, no, on and off are truths.
func (r *reader) yaml() *interp.Module {
	load := func(name string) interp.Value {
		return interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value {
			if len(a.Pos) == 0 {
				return in.Unknown("what yaml.%s gives is not known", name)
			}
			return in.Parsed(a.Pos[0], parseYAML)
		})
	}
	m := interp.Native("yaml", map[string]interp.Value{"safe_load": load("safe_load"), "load": load("load"), "full_load": load("full_load")})
	m.Lookup = func(n string) (interp.Value, bool) { return interp.Symbol{Name: "yaml." + n}, n[0] != '_' }
	return m
}

// Limits of a text.
const (
	maxYAMLBytes = 64 << 10
	maxYAMLDepth = 64
	yamlCost     = 16 // steps for each byte: a text of the largest size takes as long as a million of them
)

func parseYAML(in *interp.Interp, s string) (interp.Value, bool) {
	if len(s) > maxYAMLBytes {
		return nil, false
	}
	in.Spend(yamlCost * int64(len(s)))
	tokens, tooDeep := yamltext.Tokens(s, maxYAMLDepth)
	if tooDeep > 0 {
		return nil, false
	}
	f, err := parser.Parse(tokens, 0)
	if err != nil || len(f.Docs) > 1 {
		return nil, false
	}
	if len(f.Docs) == 0 || f.Docs[0].Body == nil {
		return nil, true
	}
	y := yamlReader{in, map[string]interp.Value{}}
	return y.value(f.Docs[0].Body, 0)
}

// yamlReader keeps what anchors name.
type yamlReader struct {
	in      *interp.Interp
	anchors map[string]interp.Value
}

// yamlWords are the plain words of YAML 1.1 that are truths, beside true and false.
var yamlWords = map[string]bool{"yes": true, "Yes": true, "YES": true, "on": true, "On": true, "ON": true,
	"no": false, "No": false, "NO": false, "off": false, "Off": false, "OFF": false}

func (y yamlReader) value(n ast.Node, depth int) (interp.Value, bool) {
	if depth > 100 {
		return nil, false
	}
	y.in.Spend(1)
	switch x := n.(type) {
	case *ast.NullNode:
		return nil, true
	case *ast.BoolNode:
		return x.Value, true
	case *ast.IntegerNode:
		switch v := x.Value.(type) {
		case int64:
			return v, true
		case uint64:
			if v <= math.MaxInt64 {
				return int64(v), true
			}
		}
		return nil, false
	case *ast.FloatNode:
		return x.Value, true
	case *ast.StringNode:
		y.in.Spend(int64(len(x.Value)) / 16)
		if truth, ok := yamlWords[x.Value]; ok && x.Token.Type.String() == "String" {
			return truth, true
		}
		return x.Value, true
	case *ast.LiteralNode:
		return x.Value.Value, true
	case *ast.SequenceNode:
		out := interp.NewList()
		for _, item := range x.Values {
			v, ok := y.value(item, depth+1)
			if !ok {
				return nil, false
			}
			out.Items = append(out.Items, v)
		}
		return out, true
	case *ast.MappingNode:
		return y.mapping(x.Values, depth)
	case *ast.MappingValueNode:
		return y.mapping([]*ast.MappingValueNode{x}, depth)
	case *ast.AnchorNode:
		v, ok := y.value(x.Value, depth+1)
		y.anchors[x.Name.String()] = v
		return v, ok
	case *ast.AliasNode:
		v, ok := y.anchors[x.Value.String()]
		return v, ok
	}
	return nil, false
}

func (y yamlReader) mapping(values []*ast.MappingValueNode, depth int) (interp.Value, bool) {
	out := interp.NewDict()
	for _, kv := range values {
		v, ok := y.value(kv.Value, depth+1)
		if !ok {
			return nil, false
		}
		if _, merge := kv.Key.(*ast.MergeKeyNode); merge {
			from, isDict := v.(*interp.Dict)
			if !isDict {
				return nil, false
			}
			for i, k := range from.Keys() {
				if _, over := out.Get(k); !over {
					out.Set(k, from.Values()[i])
				}
			}
			continue
		}
		key, isNode := kv.Key.(ast.Node)
		if !isNode {
			return nil, false
		}
		k, ok := y.value(key, depth+1)
		if !ok || !out.Set(k, v) {
			return nil, false
		}
	}
	return out, true
}
