package action

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/policy"
)

// codes reads the codes that a file declares.
func codes(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Code") || len(spec.Values) == 0 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
			code, _ := strconv.Unquote(lit.Value)
			out = append(out, code)
		}
		return true
	})
	return out
}

func TestEveryCodeHasAStatus(t *testing.T) {
	for _, file := range []string{"errors.go", "../graph/errors.go", "../policy/policy.go"} {
		found := codes(t, file)
		if len(found) == 0 {
			t.Errorf("%s declares no code", file)
		}
		for _, code := range found {
			if s := Status(&graph.Error{Code: code}); code != policy.CodeYAML && (s < 400 || s > 422) {
				t.Errorf("%s of %s has status %d", code, file, s)
			}
		}
	}
}

func TestStatus(t *testing.T) {
	for code, want := range map[string]int{
		graph.CodeSyntax: 400, graph.CodeType: 400, graph.CodeMissing: 400, graph.CodeDepth: 400, graph.CodeNumber: 400, graph.CodeKeys: 400, graph.CodeDuplicate: 400,
		graph.CodeComponents: 413, graph.CodeConnections: 413, graph.CodeCandidates: 413, graph.CodeBytes: 413,
		CodeShape: 422, CodeValue: 422, policy.CodeKey: 422, "no-such-code": 500,
	} {
		if got := Status(fmt.Errorf("read: %w", &graph.Error{Code: code})); got != want {
			t.Errorf("%s: %d, want %d", code, got, want)
		}
	}
	if got := Status(errors.New("disk full")); got != 500 {
		t.Errorf("an error of our own: %d", got)
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{Errorf(CodeShape, "model.components[0].params.shape[1]", "is 0"), `{"error":"model.components[0].params.shape[1]: is 0","code":"malformed-shape","path":"model.components[0].params.shape[1]"}`},
		{&graph.Error{Code: graph.CodeBytes, Message: "9 bytes", Limit: 8}, `{"error":"9 bytes","code":"too-large","limit":8}`},
		{unknownValue("tieBreak", "x", []string{"cost", "params"}), `{"error":"tieBreak: is \"x\" but must be one of cost, params","code":"unknown-value","path":"tieBreak","allowed":["cost","params"]}`},
		{errors.New("open /secret: no such file"), `{"error":"a fault of our own","code":"internal"}`},
	} {
		got, err := json.Marshal(Explain(c.err))
		if err != nil || string(got) != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
	}
}
