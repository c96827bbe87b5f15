package policy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/yamltext"
)

// Limits of a file. Aliases of aliases grow without end; no policy of a person comes near any of these.
const (
	maxFileBytes = 64 << 10
	maxFileDepth = 16
	maxFileNodes = 10_000
)

// parseYAML reads the subset of YAML that a file needs: one document without tags, merge keys and keys that are no scalars.
func parseYAML(data []byte) (out item, err *graph.Error) {
	defer func() {
		if fault := recover(); fault != nil { // of the parser, which is not ours
			err = out.errorf(CodeYAML, "the YAML parser failed: %s", clip(fmt.Sprint(fault)))
		}
	}()
	if len(data) > maxFileBytes {
		err = out.errorf(graph.CodeBytes, "%d bytes, at most %d are read", len(data), maxFileBytes)
		err.Limit = maxFileBytes
		return out, err
	}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if !utf8.ValidString(text) {
		return out, out.errorf(CodeYAML, "is not UTF-8")
	}
	tokens, refused := yamltext.Read(text, maxFileDepth)
	switch {
	case refused == nil:
	case refused.TooDeep:
		return out, item{line: refused.Line}.tooDeep()
	default:
		return out, item{line: refused.Line}.errorf(graph.CodeValues, "%s", refused.Reason)
	}
	file, bad := parser.Parse(tokens, 0)
	if bad != nil {
		return out, syntaxError(bad)
	}
	if len(file.Docs) > 1 {
		return out, out.errorf(CodeYAML, "has %d documents, must have one", len(file.Docs))
	}
	if len(file.Docs) == 0 {
		return out, nil
	}
	r := &yamlReader{anchors: map[string]ast.Node{}}
	return r.read(file.Docs[0].Body, item{}, 0)
}

func (v item) tooDeep() *graph.Error {
	err := v.errorf(graph.CodeDepth, "nested deeper than %d levels", maxFileDepth)
	err.Limit = maxFileDepth
	return err
}

// syntaxError takes line and message out of the parser's error, whose text quotes the source over several lines.
func syntaxError(bad error) *graph.Error {
	var e interface {
		GetMessage() string
		GetToken() *token.Token
	}
	var at item
	if !errors.As(bad, &e) {
		return at.errorf(CodeYAML, "%s", clip(bad.Error()))
	}
	if t := e.GetToken(); t != nil && t.Position != nil {
		at.line = t.Position.Line
	}
	message, _, _ := strings.Cut(e.GetMessage(), "\n")
	code := CodeYAML
	if strings.Contains(message, "already defined") {
		code = graph.CodeDuplicate
	}
	if len(message) > 200 {
		message = strings.ToValidUTF8(message[:200], "") + "…"
	}
	return at.errorf(code, "%s", strings.ToValidUTF8(message, "\uFFFD"))
}

// yamlReader turns the parser's tree into items. Aliases are followed, each time anew, so that the nodes are counted.
type yamlReader struct {
	anchors map[string]ast.Node
	nodes   int
}

// read fills in an item that has its path. An anchor is known only behind the value that it names: no alias leads to itself.
func (r *yamlReader) read(n ast.Node, v item, depth int) (item, *graph.Error) {
	if n == nil {
		return v, nil
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		v.line = t.Position.Line
	}
	if r.nodes++; r.nodes > maxFileNodes {
		err := v.errorf(graph.CodeValues, "more than %d values, those of aliases counted each time", maxFileNodes)
		err.Limit = maxFileNodes
		return v, err
	}
	if depth > maxFileDepth {
		return v, v.tooDeep()
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return r.mapping(n.Values, v, depth)
	case *ast.MappingValueNode:
		return r.mapping([]*ast.MappingValueNode{n}, v, depth)
	case *ast.SequenceNode:
		v.kind = graph.List
		for i, item := range n.Values {
			w, err := r.read(item, at(v.path+"["+strconv.Itoa(i)+"]", v.line), depth+1)
			if err != nil {
				return v, err
			}
			v.list = append(v.list, w)
		}
		return v, nil
	case *ast.AnchorNode:
		v, err := r.read(n.Value, v, depth+1)
		r.anchors[n.Name.String()] = n.Value
		return v, err
	case *ast.AliasNode:
		target, found := r.anchors[n.Value.String()]
		if !found {
			return v, v.errorf(CodeYAML, "no anchor above is named %q", clip(n.Value.String()))
		}
		return r.read(target, v, depth+1)
	}
	return scalar(n, v)
}

func at(path string, line int) item { return item{path: path, line: line} }

func (r *yamlReader) mapping(values []*ast.MappingValueNode, v item, depth int) (item, *graph.Error) {
	v.kind = graph.Object
	seen := map[string]bool{}
	for _, m := range values {
		key, err := scalar(m.Key, at(v.path, v.line))
		if t := m.Key.GetToken(); t != nil && t.Position != nil {
			key.line = t.Position.Line
		}
		if err != nil || key.kind == graph.Null || key.kind == graph.Bool {
			return v, key.errorf(CodeYAML, "a key must be a plain name")
		}
		key.path = join(v.path, key.text)
		if seen[key.text] {
			return v, key.errorf(graph.CodeDuplicate, "the key %q stands here twice", clip(key.text))
		}
		seen[key.text] = true
		w, err := r.read(m.Value, at(key.path, key.line), depth+1)
		if err != nil {
			return v, err
		}
		w.line = key.line // a fault is looked for where its key stands
		v.members = append(v.members, member{w, key.text})
	}
	return v, nil
}

func scalar(n ast.Node, v item) (item, *graph.Error) {
	if t := n.GetToken(); t != nil {
		v.raw = t.Value
	}
	switch n := n.(type) {
	case *ast.NullNode, *ast.CommentGroupNode:
		v.kind = graph.Null
	case *ast.BoolNode:
		v.kind = graph.Bool
	case *ast.StringNode:
		v.kind, v.text = graph.String, n.Value
		if f, ok := exponential(n); ok {
			v.kind, v.text = graph.Float, plain(f)
		}
	case *ast.LiteralNode:
		v.kind, v.text, v.raw = graph.String, n.Value.Value, n.Value.Value
	case *ast.IntegerNode:
		v.kind, v.text = graph.Int, fmt.Sprint(n.Value)
	case *ast.FloatNode:
		v.kind, v.text = graph.Float, plain(n.Value)
	case *ast.InfinityNode, *ast.NanNode:
		v.kind, v.text = graph.Float, "inf"
	case *ast.TagNode:
		return v, v.errorf(CodeYAML, "tags such as !!str are not read")
	default:
		return v, v.errorf(CodeYAML, "is not a plain value, a list or an object")
	}
	return v, nil
}

// exponential reads 1e6, which YAML 1.2 and JSON take for a number and the parser for a string. Infinity and hexadecimal
// floats, which ParseFloat reads too, do not pass: there is no letter in it but the e.
func exponential(n *ast.StringNode) (float64, bool) {
	const longest = 400 // letters of a number: aliases of a longer word would be read each time
	if len(n.Value) > longest {
		return 0, false
	}
	if n.Token == nil || n.Token.Type != token.StringType || strings.Trim(n.Value, "0123456789.+-eE") != "" || !strings.ContainsAny(n.Value, "eE") {
		return 0, false
	}
	f, err := strconv.ParseFloat(n.Value, 64)
	return f, err == nil
}
