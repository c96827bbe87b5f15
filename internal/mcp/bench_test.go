package mcp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/models"
)

// decoder is a model of 197 components: 24 blocks of attention and a gated layer.
func decoder(b *testing.B) *graph.Graph {
	b.Helper()
	const blocks, dim = 24, 1024
	var text strings.Builder
	fmt.Fprintf(&text, "graph \"decoder\"\nx: input shape=[2048]\ne: embedding numEmbeddings=32000 embeddingDim=%d\n", dim)
	chain := "x -> e\n"
	last := "e"
	for i := range blocks {
		fmt.Fprintf(&text, "n%[1]d: rmsNorm normalizedShape=%[2]d\na%[1]d: groupedQueryAttention embedDim=%[2]d numHeads=16 numKVHeads=4\nd%[1]d: dropout p=0.1\ns%[1]d: add\nm%[1]d: rmsNorm normalizedShape=%[2]d\nf%[1]d: swiglu embedDim=%[2]d intermediateSize=2816\ng%[1]d: dropout p=0.1\nt%[1]d: add\n", i, dim)
		chain += fmt.Sprintf("%[2]s -> n%[1]d -> a%[1]d -> d%[1]d\n%[2]s, d%[1]d -> s%[1]d -> m%[1]d -> f%[1]d -> g%[1]d\ns%[1]d, g%[1]d -> t%[1]d\n", i, last)
		last = fmt.Sprintf("t%d", i)
	}
	fmt.Fprintf(&text, "n: rmsNorm normalizedShape=%[1]d\nh: lmHead embedDim=%[1]d vocabSize=32000\no: output\n%[2]s%[3]s -> n -> h -> o\n", dim, chain, last)
	g, err := graph.Parse(text.String())
	if err != nil || len(g.Components) != 197 {
		b.Fatalf("%v: %d components", err, len(g.Components))
	}
	return g
}

// BenchmarkCheck is a check over standard input and output of the running program, from the request to the answer.
func BenchmarkCheck(b *testing.B) {
	g := decoder(b)
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "decoder.json"), g.AppendJSON(nil), 0o644); err != nil {
		b.Fatal(err)
	}
	for name, model := range map[string]string{"inline-197": string(g.AppendJSON(nil)), "path-197": `"decoder.json"`} {
		b.Run(name, func(b *testing.B) {
			r := start(b, dir)
			line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check","arguments":{"model":` + model + `}}}`
			r.send(line)
			if m := r.next(); !strings.Contains(string(m.Result), `"verdict":"ask"`) {
				b.Fatalf("%.300s", m.Result)
			}
			for b.Loop() {
				r.send(line)
				r.next()
			}
			b.StopTimer()
			r.close()
		})
	}
}

// BenchmarkFirstAnswer starts the program, initialises it, and has it check a model.
func BenchmarkFirstAnswer(b *testing.B) {
	dir := b.TempDir()
	g, err := models.Open("resnet18")
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "m.json"), g.AppendJSON(nil), 0o644); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r := start(b, dir)
		r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check","arguments":{"model":"m.json"}}}`)
		if m := r.next(); m.Error != nil {
			b.Fatal(m.Error)
		}
		b.StopTimer()
		r.close()
		b.StartTimer()
	}
}
