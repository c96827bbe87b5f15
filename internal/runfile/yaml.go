package runfile

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/modelverifier/verifier/internal/yamltext"
)

// parseYAML reads one document whose top is a mapping.
func parseYAML(data []byte) (top value, err error) {
	defer func() {
		if fault := recover(); fault != nil { // of the parser, which is not ours
			err = Fault{Message: "cannot be read: the YAML parser failed: " + clip(fmt.Sprint(fault))}
		}
	}()
	source := strings.TrimPrefix(string(data), "\uFEFF")
	if !utf8.ValidString(source) {
		return top, Fault{Message: "is not UTF-8"}
	}
	tokens, refused := yamltext.Read(source, maxDepth)
	if refused != nil {
		return top, Fault{Line: refused.Line, Message: refused.Reason}
	}
	file, bad := parser.Parse(tokens, 0)
	if bad != nil {
		return top, yamlFault(bad)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return top, Fault{Message: fmt.Sprintf("has %d YAML documents but takes one with keys and values", len(file.Docs))}
	}
	r := &yamlReader{anchors: map[string]ast.Node{}}
	return r.read(file.Docs[0].Body, value{}, 0)
}

func tooDeep(v value) Fault {
	return Fault{Line: v.line, Path: v.path, Message: fmt.Sprintf("nests deeper than %d levels", maxDepth)}
}

// yamlFault takes line and message out of the parser's error, whose text quotes the source over several lines.
func yamlFault(bad error) Fault {
	var e interface {
		GetMessage() string
		GetToken() *token.Token
	}
	if !errors.As(bad, &e) {
		return Fault{Message: "is not YAML: " + clip(bad.Error())}
	}
	f := Fault{}
	if t := e.GetToken(); t != nil && t.Position != nil {
		f.Line = t.Position.Line
	}
	message, _, _ := strings.Cut(e.GetMessage(), "\n")
	f.Message = "is not YAML: " + clip(message)
	return f
}

// yamlReader turns the parser's tree into values. An anchor is known only behind the value that it names: no alias leads to itself.
type yamlReader struct {
	anchors map[string]ast.Node
	values  int
}

func (r *yamlReader) read(n ast.Node, v value, depth int) (value, error) {
	if n == nil {
		v.kind = null
		return v, nil
	}
	if t := n.GetToken(); t != nil && t.Position != nil && v.line == 0 {
		v.line = t.Position.Line
	}
	if r.values++; r.values > maxValues {
		return v, Fault{Line: v.line, Path: v.path, Message: fmt.Sprintf("has more than %d values, those of aliases counted each time",
			maxValues)}
	}
	if depth > maxDepth {
		return v, tooDeep(v)
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return r.mapping(n.Values, v, depth)
	case *ast.MappingValueNode:
		return r.mapping([]*ast.MappingValueNode{n}, v, depth)
	case *ast.SequenceNode:
		v.kind = list
		for i, at := range n.Values {
			w, err := r.read(at, value{path: item(v.path, i)}, depth+1)
			if err != nil {
				return v, err
			}
			v.list = append(v.list, w)
		}
		return v, nil
	case *ast.AnchorNode:
		out, err := r.read(n.Value, v, depth+1)
		r.anchors[n.Name.String()] = n.Value
		return out, err
	case *ast.AliasNode:
		target, found := r.anchors[n.Value.String()]
		if !found {
			return v, Fault{Line: v.line, Path: v.path, Message: fmt.Sprintf("is an alias, but no anchor above is named %q",
				clip(n.Value.String()))}
		}
		return r.read(target, v, depth+1)
	}
	return yamlScalar(n, v)
}

func (r *yamlReader) mapping(values []*ast.MappingValueNode, v value, depth int) (value, error) {
	v.kind = mapping
	var merged []member // of <<, which what stands in the mapping itself replaces
	for _, m := range values {
		line := v.line
		if t := m.Key.GetToken(); t != nil && t.Position != nil {
			line = t.Position.Line
		}
		if _, merge := m.Key.(*ast.MergeKeyNode); merge {
			w, err := r.read(m.Value, value{path: v.path, line: line}, depth+1)
			if err != nil {
				return v, err
			}
			merged = append(merged, w.members...)
			continue
		}
		key, err := yamlScalar(m.Key, value{path: v.path, line: line})
		if err != nil || key.kind&(null|list|mapping) != 0 {
			return v, Fault{Line: line, Path: v.path, Message: "has a key that is not a plain name"}
		}
		name := key.text
		path, err := v.below(name, line)
		if err != nil {
			return v, err
		}
		if v.member(name) != nil {
			return v, Fault{Line: line, Path: path, Message: "stands here twice"}
		}
		w, err := r.read(m.Value, value{path: path, line: line}, depth+1)
		if err != nil {
			return v, err
		}
		v.add(name, w)
	}
	for _, m := range merged {
		if v.member(m.name) == nil {
			v.add(m.name, m.value)
		}
	}
	return v, nil
}

func yamlScalar(n ast.Node, v value) (value, error) {
	switch n := n.(type) {
	case *ast.NullNode, *ast.CommentGroupNode:
		v.kind = null
	case *ast.StringNode:
		if n.Token != nil && n.Token.Type == token.StringType {
			return plain(v, n.Value), nil
		}
		v.kind, v.text = text, n.Value
	case *ast.LiteralNode:
		v.kind, v.text = text, n.Value.Value
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return plain(v, n.GetToken().Value), nil
	case *ast.TagNode:
		return v, Fault{Line: v.line, Path: v.path, Message: "has a tag such as !!str, which is not read"}
	default:
		return v, Fault{Line: v.line, Path: v.path, Message: "is not a plain value, a list or a mapping"}
	}
	return v, nil
}
