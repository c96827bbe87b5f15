package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

func TestApplyingAnEditRemovesItsFinding(t *testing.T) {
	edits := 0
	for _, rule := range Rules() {
		for _, text := range rule.Examples {
			g, findings := lint(t, text)
			for _, f := range findings {
				if len(f.Edits) == 0 {
					continue
				}
				edits++
				changed := g.Clone()
				for _, e := range f.Edits {
					if e.Inserts() {
						at := slices.IndexFunc(changed.Connections, func(c graph.Connection) bool { return c.From == e.From && c.To == e.To })
						changed.Components = append(changed.Components, graph.Component{ID: e.Component, Type: e.Type})
						changed.Connections[at].From = e.Component
						changed.Connections = append(changed.Connections, graph.Connection{From: e.From, To: e.Component})
					}
					for i := range changed.Components {
						if changed.Components[i].ID == e.Component {
							changed.Components[i].SetParam(e.Param, e.Value)
						}
					}
				}
				for _, after := range Run(infer.Walk(changed)) {
					if after.Rule == f.Rule && after.Node == f.Node && after.Message == f.Message {
						t.Errorf("%s is still there after %q:\n%s", f.Rule.ID, f.Fix, text)
					}
				}
			}
		}
	}
	if edits < 20 {
		t.Errorf("only %d edits were tried", edits)
	}
}

func TestDesignRulesHoldBackOnInferredConnections(t *testing.T) {
	adjacency := []string{"bn-after-activation", "dropout-before-bn", "redundant-activation", "consecutive-linear", "linear-bias-before-norm", "double-norm",
		"deep-no-residual", "deep-no-norm", "vanishing-gradient", "dead-end", "attention-no-position", "duplicate-positional-encoding", "width-bottleneck",
		"output-activation", "bn-at-output", "dropout-at-output", "no-nonlinearity", "huge-linear"}
	for _, id := range adjacency {
		rule := Lookup(id)
		for _, text := range rule.Examples {
			g, err := graph.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			for i := range g.Connections {
				g.Connections[i].Inferred = "constructionOrder"
			}
			g.Normalize(catalog.Vocabulary)
			for _, f := range Run(infer.Walk(g)) {
				if f.Rule == rule {
					t.Errorf("%s concludes from connections that were not read:\n%s", id, text)
				}
			}
		}
	}
}

func TestABatchInTheInputExplainsTheRefusal(t *testing.T) {
	for _, text := range []string{
		"x: input shape=[1,3,32,32]\nc: conv2d outChannels=8 kernelSize=3\no: output\nx -> c -> o",
		"x: input shape=[16,3,32,32]\nc: conv2d inChannels=3 outChannels=8 kernelSize=3\no: output\nx -> c -> o",
	} {
		_, findings := lint(t, text)
		if !fires(findings, "leading-batch-axis") || !Blocked(findings) {
			t.Errorf("want the block and the batch, got %v", findings)
		}
	}
	_, findings := lint(t, "x: input shape=[3,32,32]\nc: conv1d outChannels=8 kernelSize=3\no: output\nx -> c -> o")
	if fires(findings, "leading-batch-axis") {
		t.Error("an image into a convolution over one axis says nothing about a batch")
	}
}

func TestALargeModuleOfOnesOwnTakesAtLeastWhatItGives(t *testing.T) {
	_, findings := lint(t, "x: input shape=[8]\nm: customModule outShape=[300000000] numParams=0 flops=0\no: output\nx -> m -> o")
	if !fires(findings, "large-activation") || !strings.Contains(findings[0].Message, "takes at least 1.1 GiB for one sample") {
		t.Errorf("want at least 1.1 GiB, got %v", findings)
	}
}

func fires(findings []Finding, id string) bool {
	for _, f := range findings {
		if f.Rule.ID == id {
			return true
		}
	}
	return false
}

// longChain has n components in a row, of every kind that a rule on adjacency looks at.
func longChain(n int) string {
	block := []string{"linear outFeatures=64", "layerNorm normalizedShape=64", "gelu", "dropout p=0.1"}
	return chain([]string{"input shape=[16,64]"}, times(n/len(block), block...), []string{"linear outFeatures=10", "output"})
}

// residualNet has about n components in blocks with a shortcut.
func residualNet(n int) string {
	var b strings.Builder
	b.WriteString("x: input shape=[16,32,32]\na0: conv2d outChannels=16 kernelSize=3 padding=1\nx -> a0\n")
	blocks := n / 6
	for i := range blocks {
		fmt.Fprintf(&b, "c%d: conv2d outChannels=16 kernelSize=3 padding=1 bias=false\nb%d: batchNorm\nr%d: relu\nd%d: conv2d outChannels=16 kernelSize=3 padding=1 bias=false\ne%d: batchNorm\na%d: add\n", i, i, i, i, i, i+1)
		fmt.Fprintf(&b, "a%d -> c%d -> b%d -> r%d -> d%d -> e%d\na%d, e%d -> a%d\n", i, i, i, i, i, i, i, i, i+1)
	}
	fmt.Fprintf(&b, "p: globalAvgPool2d\nf: linear outFeatures=10\no: output\na%d -> p -> f -> o\n", blocks)
	return b.String()
}

// BenchmarkRules measures all rules on walked graphs. The time must grow as the graph does.
func BenchmarkRules(b *testing.B) {
	for _, shape := range []struct {
		name string
		text func(int) string
	}{{"chain", longChain}, {"residual", residualNet}} {
		for _, n := range []int{500, 2000, 8000} {
			b.Run(fmt.Sprintf("%s/%d", shape.name, n), func(b *testing.B) {
				g, err := graph.Parse(shape.text(n))
				if err != nil {
					b.Fatal(err)
				}
				g.Normalize(catalog.Vocabulary)
				res := infer.Walk(g)
				if len(res.Refusals) > 0 {
					b.Fatal(res.Refusals[0].Message)
				}
				b.ReportAllocs()
				for b.Loop() {
					Run(res)
				}
			})
		}
	}
}

// BenchmarkRule measures each rule by itself, to see which one costs.
func BenchmarkRule(b *testing.B) {
	g, err := graph.Parse(residualNet(2000))
	if err != nil {
		b.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	for _, r := range ordered {
		b.Run(r.ID, func(b *testing.B) {
			for b.Loop() {
				p := newPass(res)
				p.rule = r
				r.Whole(p)
			}
		})
	}
}

// FuzzRules runs the rules on whatever parses: none may fail on a graph that does not run, and the same graph must get the
// same findings.
func FuzzRules(f *testing.F) {
	for _, r := range Rules() {
		for _, text := range r.Examples {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := graph.Parse(text)
		if err != nil || len(g.Components) > 200 {
			return
		}
		g.Normalize(catalog.Vocabulary)
		res := infer.Walk(g)
		once, again := Run(res), Run(res)
		if len(once) != len(again) {
			t.Fatalf("%d findings, then %d", len(once), len(again))
		}
		for i := range once {
			if once[i].Rule != again[i].Rule || once[i].Node != again[i].Node || once[i].Message != again[i].Message {
				t.Fatalf("%v, then %v", once[i], again[i])
			}
		}
	})
}
