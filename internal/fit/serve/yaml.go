package serve

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	yamlparser "github.com/goccy/go-yaml/parser"

	"github.com/modelverifier/verifier/internal/yamltext"
)

// Limits of a file or a manifest, where what an alias stands for counts each time.
const (
	mostYAMLDepth  = 64
	mostYAMLValues = 20_000
	mostYAMLBytes  = 1 << 20
)

// yamlSize is how many values YAML has and the bytes of their text, with what aliases stand for. A few lines of aliases of aliases can
// stand for more than any machine holds.
type yamlSize struct {
	values, bytes int
	anchors       map[string]yamlSize
}

// decode reads the first document of a text, and counts it together with those before it. Its errors are verb phrases.
func (s *yamlSize) decode(text string) (v any, err error) {
	defer func() {
		if fault := recover(); fault != nil { // of the parser, which is not ours
			v, err = nil, fmt.Errorf("fails in the YAML parser: %s", clip(fmt.Sprint(fault), 100))
		}
	}()
	tokens, refused := yamltext.Read(text, mostYAMLDepth)
	switch {
	case refused == nil:
	case refused.TooDeep:
		return nil, errors.New("nests too deep")
	default:
		return nil, errors.New(refused.Reason)
	}
	file, err := yamlparser.Parse(tokens, 0)
	if err != nil {
		return nil, noYAML(err)
	}
	i := slices.IndexFunc(file.Docs, func(d *ast.DocumentNode) bool { return d.Body != nil })
	if i < 0 {
		return nil, nil
	}
	one := s.of(file.Docs[i].Body)
	s.values, s.bytes = s.values+one.values, s.bytes+one.bytes
	switch {
	case s.values > mostYAMLValues:
		return nil, fmt.Errorf("has more than %d values, those of aliases counted each time", mostYAMLValues)
	case s.bytes > mostYAMLBytes:
		return nil, fmt.Errorf("has more than %d bytes of text, that of aliases counted each time", mostYAMLBytes)
	}
	if err := yaml.NodeToValue(file.Docs[i].Body, &v); err != nil {
		return nil, noYAML(err)
	}
	return v, nil
}

// noYAML says where a text is no YAML, and why. The parser quotes the text in its errors, for which it needs time with the square of a line.
func noYAML(err error) error {
	var brief interface {
		FormatError(colored, quoted bool) string
	}
	if errors.As(err, &brief) {
		err = errors.New(brief.FormatError(false, false))
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("is no YAML: %s", clip(line, 100))
}

// of adds what is below a node. Sums stop at a number that is above the limits, so that they stay numbers.
func (s *yamlSize) of(n ast.Node) (sum yamlSize) {
	add := func(nodes ...ast.Node) {
		for _, n := range nodes {
			one := s.of(n)
			sum.values, sum.bytes = min(sum.values+one.values, 1<<40), min(sum.bytes+one.bytes, 1<<40)
		}
	}
	switch n := n.(type) {
	case nil:
	case *ast.MappingNode:
		for _, v := range n.Values {
			add(v)
		}
	case *ast.MappingValueNode:
		add(n.Key, n.Value)
	case *ast.MappingKeyNode:
		add(n.Value)
	case *ast.SequenceNode:
		sum.values++
		add(n.Values...)
	case *ast.TagNode:
		add(n.Value)
	case *ast.AnchorNode:
		add(n.Value)
		s.anchors[n.Name.String()] = sum
	case *ast.AliasNode:
		return s.anchors[n.Value.String()]
	case *ast.LiteralNode:
		add(n.Value)
	default:
		sum.values++
		if t := n.GetToken(); t != nil {
			sum.bytes += len(t.Value)
		}
	}
	return sum
}

func newYAMLSize() *yamlSize { return &yamlSize{anchors: map[string]yamlSize{}} }
