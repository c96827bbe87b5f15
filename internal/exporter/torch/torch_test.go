package torch

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func walk(t testing.TB, text string) *infer.Result {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

func source(t testing.TB, text string) string {
	t.Helper()
	out, err := Source(walk(t, text), false)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestModelsAreWrittenAsTheGoldensSay(t *testing.T) {
	for _, name := range []string{"resnet18", "gpt2-small", "unet-small", "two-tower", "llama-like-small", "gcn-node-classifier"} {
		data, err := os.ReadFile("../../../models/" + name + ".graph")
		if err != nil {
			t.Fatal(err)
		}
		got, golden := source(t, string(data)), filepath.Join("testdata", name+".py.txt")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs from %s; run with -update and look at the diff", name, golden)
		}
		if again := source(t, string(data)); again != got {
			t.Errorf("%s is written in two ways", name)
		}
	}
}

func TestLinesAreShort(t *testing.T) {
	for _, typ := range catalog.Types() {
		for i, line := range strings.Split(reflow(withoutImports(typ.Module)), "\n") {
			if len(line) > maxWidth && strings.ContainsAny(line, openers) && !strings.Contains(line, "#") {
				t.Errorf("%s: line %d has %d characters: %s", typ.ID, i+1, len(line), line)
			}
		}
	}
}

// TestCatalogueNeedsNothingButTorch holds that whatever the catalogue calls outside torch is supplied, and that no two pieces of code
// have one name.
func TestCatalogueNeedsNothingButTorch(t *testing.T) {
	all := newLibrary()
	for _, typ := range catalog.Types() {
		lib := newLibrary()
		module := withoutImports(typ.Module)
		for _, l := range []*library{lib, all} {
			l.need(typ.Torch, module)
			if err := l.add(reflow(l.localise(module, true, ""))); err != nil {
				t.Errorf("%s: %v", typ.ID, err)
			}
		}
		code, err := lib.complete()
		if err != nil {
			t.Errorf("%s: %v", typ.ID, err)
		}
		for line := range strings.SplitSeq(code+"\n"+lib.localise(typ.Torch, false, ""), "\n") {
			text, _, _ := strings.Cut(line, "#")
			for _, stranger := range []string{"torch_geometric", "torchaudio", "torchvision", "nn.RMSNorm", "nn.LPPool3d"} {
				if strings.Contains(text, stranger) && !strings.Contains(text, `"""`) {
					t.Errorf("%s still needs %s", typ.ID, stranger)
				}
			}
		}
	}
	if _, err := all.complete(); err != nil {
		t.Error(err)
	}
}

func TestNamesAreKeptAndNeverCollide(t *testing.T) {
	got := source(t, `
x: input shape=[4]
a "forward": linear outFeatures=4
b "to": linear outFeatures=4
c "my layer": linear outFeatures=4
d "my-layer": linear outFeatures=4
e "my_layer": linear outFeatures=4
f "2nd": linear outFeatures=4
g "ünï": linear outFeatures=4
h "__init__": linear outFeatures=4
i "lambda": linear outFeatures=4
j "'); import os #": linear outFeatures=4
y: output
x -> a -> b -> c -> d -> e -> f -> g -> h -> i -> j -> y
`)
	for _, want := range []string{
		"self.forward_2 =", "self.to_2 =", "self.my_layer =", "self.my_layer_2 =", "self.my_layer_3 =", "self.layer_2nd =", "self.n =",
		"self.init =", "self.lambda_2 =", "self.import_os =",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%s is there %d times in\n%s", want, strings.Count(got, want), got)
		}
	}
}

func TestRefusedModelsAreWrittenOnlyIfForced(t *testing.T) {
	res := walk(t, "x: input shape=[4]\nl: linear inFeatures=5 outFeatures=2\nz: nonsense\ny: output\nx -> l -> z -> y")
	if _, err := Source(res, false); err == nil || !strings.Contains(err.Error(), "inFeatures is 5 but 4 features arrive") {
		t.Errorf("the error is %v", err)
	}
	got, err := Source(res, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# PyTorch does not run this model:\n# - l: inFeatures is 5", `self.z = Missing("nonsense")`, "self.l = nn.Linear(5, 2)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	cyclic := walk(t, "x: input shape=[4]\na: add\nb: relu\ny: output\nx -> a -> b -> a\nb -> y")
	if _, err := Source(cyclic, true); err == nil || !strings.Contains(err.Error(), "cycle") {
		t.Errorf("the error is %v", err)
	}
}

func TestTiedWeightsAreShared(t *testing.T) {
	got := source(t, `
x: input shape=[8]
back: embedding numEmbeddings=20 embeddingDim=4 tiedTo=l
l: linear inFeatures=4 outFeatures=20 bias=false tiedTo=e
e: embedding numEmbeddings=20 embeddingDim=4
m: argmax dim=-1
h: lmHead embedDim=4 vocabSize=20 tied=true
y: output
x -> e -> l -> m -> back -> h -> y
`)
	for _, want := range []string{"self.l.weight = self.e.weight", "self.back.weight = self.e.weight", "self.h.weight = self.e.weight"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestSeveralOutputsAndResultsThatNothingReads(t *testing.T) {
	got := source(t, `
left: input shape=[4]
right: input shape=[4]
a: linear outFeatures=2
b: concatenate dim=1
dead: relu
y1: output
y2: output
left -> a -> y1
left, right -> b -> y2
b -> dead
`)
	for _, want := range []string{"def forward(self, left, right):", "x = self.a(left)", "torch.cat((left, right), 1)", "self.dead(y)  # (nothing reads this)", "return x, y", "outputs = model(*inputs)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestLongStatementsAreWrappedAsBlackDoes(t *testing.T) {
	long := strings.Repeat("a", 40)
	for _, c := range []struct{ in, want string }{
		{"f(" + long + ", b)", "f(" + long + ", b)"},
		{"x = f(" + long + ", " + long + ", c=" + long + ")", "x = f(\n    " + long + ",\n    " + long + ",\n    c=" + long + ",\n)"},
		{"x = f(" + long + ", " + long + ", cccccccccccc)", "x = f(\n    " + long + ", " + long + ", cccccccccccc\n)"},
		{"s.p, s.q = f(" + long + "), g(" + long + ", ddd)", "s.p = f(" + long + ")\ns.q = g(" + long + ", ddd)"},
		{"a, b = f(" + long + "), g(a, " + long + ", dddd)", "a, b = f(" + long + "), g(\n    a, " + long + ", dddd\n)"},
		{"x = [f(n, m, " + long + ") for n, m in ((a, b), (c, d), (e, f), (g, h), (i, j))]", "x = [\n    f(n, m, " + long + ")\n    for n, m in ((a, b), (c, d), (e, f), (g, h), (i, j))\n]"},
		{`s = "(" + f("]",` + long + "," + long + ", 1)", `s = "(" + f(` + "\n    \"]\", " + long + ", " + long + ", 1\n)"},
	} {
		if got := strings.Join(statement("", c.in), "\n"); got != c.want {
			t.Errorf("%s becomes\n%s\nnot\n%s", c.in, got, c.want)
		}
	}
}

// FuzzNames holds that what a caller writes never leaves its place: every line of the file that is not a comment or the docstring has
// only what we write, whatever names and strings the graph has.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"x", `"""`, "\\", "a\nb", "coding: utf-7", "# -*- coding: utf-7 -*-", "'); import os #", "\u202e", "\x00", "é", strings.Repeat("n", 500)} {
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, name, label, word string) {
		g := &graph.Graph{Name: name, Components: []graph.Component{
			{ID: "i", Type: "input", Name: label, Params: []graph.Param{{Name: "shape", Value: graph.IntsValue(4, 4)}}},
			{ID: label + "l", Type: "linear", Name: label, Params: []graph.Param{{Name: "outFeatures", Value: graph.IntValue(4)}, {Name: "bias", Value: graph.StringValue(word)}}},
			{ID: label + "r", Type: "reshape", Name: label, Params: []graph.Param{{Name: "shape", Value: graph.IntsValue(16)}}},
			{ID: "o", Type: "output", Name: label},
		}, Connections: []graph.Connection{{From: "i", To: label + "l"}, {From: label + "l", To: label + "r"}, {From: label + "r", To: "o"}}}
		g.Normalize(catalog.Vocabulary)
		out, err := Source(infer.Walk(g), true)
		if err != nil {
			t.Skip()
		}
		lines := strings.Split(out, "\n")
		if !strings.HasPrefix(lines[0], `"""`) || strings.Count(out, `"""`) != 2 || strings.ContainsAny(out, "\r\x00\f\v") {
			t.Fatalf("the docstring is not one line:\n%s", out)
		}
		for _, line := range lines {
			code, _, _ := strings.Cut(line, "  # ")
			if strings.HasPrefix(line, "#") || strings.Contains(code, "bias=") || strings.HasPrefix(line, "        # ") {
				continue
			}
			if !strings.HasPrefix(line, `"""`) && strings.ContainsAny(strings.ReplaceAll(strings.ReplaceAll(code, `f"{sum`, ""), `"__main__"`, ""), "\\;#'") {
				t.Fatalf("%q is not ours in\n%s", line, out)
			}
		}
	})
}

func TestWhatRepeatsIsALoopOnlyWhereNoNameIsLost(t *testing.T) {
	chain := "x: input shape=[8]\n%s: linear outFeatures=8\n%s: linear outFeatures=8\n%s: linear outFeatures=8\ny: output\nx -> %[1]s -> %[2]s -> %[3]s -> y"
	for _, c := range []struct{ a, b, c, want string }{
		{"fc0", "fc1", "fc2", "self.fc = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))"},
		{"first", "second", "third", "self.second = nn.Linear(8, 8)"},
	} {
		if got := source(t, fmt.Sprintf(chain, c.a, c.b, c.c)); !strings.Contains(got, c.want) {
			t.Errorf("no %q in\n%s", c.want, got)
		}
	}
	tied := source(t, "x: input shape=[8]\nfc0: linear outFeatures=8\nfc1: linear outFeatures=8\nfc2: linear outFeatures=8\nh: linear outFeatures=8 tiedTo=fc1\ny: output\nx -> fc0 -> fc1 -> fc2 -> h -> y")
	if strings.Contains(tied, "ModuleList") || !strings.Contains(tied, "self.h.weight = self.fc1.weight") {
		t.Errorf("a weight that is shared is in a loop:\n%s", tied)
	}
}

func TestAModuleIsCalledOnceMore(t *testing.T) {
	got := source(t, "x: input shape=[8]\na: linear outFeatures=8\nr: relu\nb: linear outFeatures=8 sameAs=a\ny: output\nx -> a -> r -> b -> y")
	if strings.Count(got, "nn.Linear(") != 1 || strings.Count(got, "x = self.a(x)") != 2 {
		t.Errorf("the module is not called twice:\n%s", got)
	}
}
