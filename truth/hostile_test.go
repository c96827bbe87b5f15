package truth

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/exporter/torch"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/pythontest"
)

// hostile are names and strings that mean something to Python, to its reader of encodings or to an editor.
var hostile = []string{
	`"""`, `'''`, `"`, `'`, `\`, `\"`, "\n", "\r", "\r\nimport os", "\x00", "\x0c", "\u2028", "\u202e", "\ufeff", "é", "ｘ", "# -*- coding: utf-7 -*-",
	"coding: utf-16", "{{name}}", "{0}", "%s", "#", "a  # b", ")", "(", "); import os; (", "x = 1\n        exec('1')", "__class__", "__init__", "self", "lambda", "None",
	"torch", "nn", "F", "math", "forward", "train", "_modules", "block", "x", "y", "z", "BatchNorm", "1", "a" + strings.Repeat("b", 5000), "+ADw-", "\\u0022\\u0022\\u0022",
	"\\N{QUOTATION MARK}", "\xff\xfe", "print", "sum", "input", "async", "match",
}

func named(s string, mode int) *graph.Graph {
	label := func(i int) string {
		switch mode {
		case 0:
			return s
		case 1:
			return fmt.Sprintf("%s%d", s, i)
		}
		return fmt.Sprintf("h%d_%s", i, s)
	}
	p := func(name string, v graph.Value) graph.Param { return graph.Param{Name: name, Value: v} }
	shape := graph.IntsValue(4, 6, 6)
	g := &graph.Graph{Name: s, Components: []graph.Component{
		{ID: "i", Type: "input", Params: []graph.Param{p("shape", shape)}},
		{ID: "j", Type: "input", Params: []graph.Param{p("shape", shape)}},
		{ID: "n", Type: "batchNorm"},
		{ID: "c", Type: "conv2d", Params: []graph.Param{p("outChannels", graph.IntValue(4)), p("kernelSize", graph.IntValue(3)), p("padding", graph.IntValue(1)), p("bias", graph.StringValue(s+"."))}},
		{ID: "a", Type: "add"},
		{ID: "m", Type: "mean", Params: []graph.Param{p("dim", graph.IntValue(1))}},
		{ID: "o", Type: "output"},
	}, Connections: []graph.Connection{{From: "i", To: "n"}, {From: "n", To: "c"}, {From: "c", To: "a"}, {From: "j", To: "a"}, {From: "a", To: "m"}, {From: "m", To: "o"}}}
	for i := range g.Components {
		g.Components[i].Name = label(i)
	}
	return g
}

// TestNothingThatACallerWroteBecomesCode exports one graph under hostile names and lets Python say whether it is still the same program.
func TestNothingThatACallerWroteBecomesCode(t *testing.T) {
	interpreter, dir := pythontest.WithTorch(t), t.TempDir()
	for k, s := range append([]string{"plain"}, hostile...) {
		for mode := range 3 {
			g := named(s, mode)
			g.Normalize(catalog.Vocabulary)
			source, err := torch.Source(infer.Walk(g), false)
			if err != nil {
				t.Fatalf("%q: %v", s, err)
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d_%d.py", k, mode)), []byte(source), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	out, err := exec.CommandContext(t.Context(), interpreter, "hostile.py", dir).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
