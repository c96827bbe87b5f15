package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// BenchmarkWalk infers chains of decoder blocks.
func BenchmarkWalk(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 2000} {
		g := decoder(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r := Walk(g); len(r.Refusals) > 0 {
					b.Fatal(r.Refusals[0])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/component")
		})
	}
}

// decoder writes a language model with about n components.
func decoder(tb testing.TB, n int) *graph.Graph {
	var s strings.Builder
	s.WriteString("x: input shape=[128]\nh0: embedding numEmbeddings=5000 embeddingDim=64\nx -> h0\n")
	last := "h0"
	for i := 1; 6*i < n; i++ {
		fmt.Fprintf(&s, "n%d: rmsNorm normalizedShape=64\na%d: groupedQueryAttention embedDim=64 numHeads=4 numKVHeads=2\ns%d: add\n", i, i, i)
		fmt.Fprintf(&s, "m%d: rmsNorm normalizedShape=64\nf%d: swiglu embedDim=64 intermediateSize=176\nh%d: add\n", i, i, i)
		fmt.Fprintf(&s, "%s -> n%d -> a%d\n%s, a%d -> s%d\ns%d -> m%d -> f%d\ns%d, f%d -> h%d\n", last, i, i, last, i, i, i, i, i, i, i, i)
		last = fmt.Sprint("h", i)
	}
	fmt.Fprintf(&s, "head: lmHead embedDim=64 vocabSize=5000\no: output\n%s -> head -> o\n", last)
	g, err := graph.Parse(s.String())
	if err != nil {
		tb.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return g
}
