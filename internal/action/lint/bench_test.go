package lint

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rules"
)

// residualNetwork writes a convolutional network with n components as an editor exports it: names, positions, params. Its
// blocks are alike, as in most models; distinct gives every block a width of its own.
func residualNetwork(n int, distinct bool) []byte {
	g := &graph.Graph{Name: "bench"}
	add := func(typ, params string, from ...string) string {
		id := fmt.Sprintf("%s_%d", typ, len(g.Components))
		p, err := graph.ParseParams(params)
		if err != nil {
			panic(err)
		}
		g.Components = append(g.Components, graph.Component{ID: id, Type: typ, Name: id, Params: p,
			Extra: []graph.Member{{Name: "position", Raw: fmt.Sprintf(`{"x":%d,"y":120}`, 80*len(g.Components))}}})
		for _, f := range from {
			g.Connections = append(g.Connections, graph.Connection{From: f, To: id})
		}
		return id
	}
	x := add("input", "shape=[3,32,32]")
	x = add("conv2d", "inChannels=3 outChannels=64 kernelSize=3 padding=1", x)
	for width := 64; len(g.Components) < n-10; {
		if distinct {
			width++
		}
		y := add("conv2d", fmt.Sprintf("inChannels=64 outChannels=%d kernelSize=3 padding=1 bias=false", width), x)
		y = add("batchNorm", fmt.Sprintf("numFeatures=%d", width), y)
		y = add("relu", "", y)
		y = add("conv2d", fmt.Sprintf("inChannels=%d outChannels=64 kernelSize=3 padding=1 bias=false", width), y)
		y = add("batchNorm", "numFeatures=64", y)
		x = add("relu", "", add("add", "", x, y))
	}
	for len(g.Components) < n-3 {
		x = add("relu", "", x)
	}
	x = add("globalAvgPool2d", "", x)
	x = add("linear", "inFeatures=64 outFeatures=10", x)
	add("output", "", x)
	return g.AppendJSON(nil)
}

// BenchmarkLint goes from JSON to findings: decode, walk and every rule.
func BenchmarkLint(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 2000} {
		benchmark(b, fmt.Sprint(n), n, residualNetwork(n, false))
	}
	benchmark(b, "2000-distinct", 2000, residualNetwork(2000, true))
}

// BenchmarkServed goes from the body of a request to findings in the memory of the one before, as a server does it.
func BenchmarkServed(b *testing.B) {
	for name, distinct := range map[string]bool{"2000": false, "2000-distinct": true} {
		body := append(append([]byte(`{"model":`), residualNetwork(2000, distinct)...), '}')
		b.Run(name, func(b *testing.B) {
			room := new(action.Room)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				read := room.Read(body, graph.ServiceLimits, action.Model)
				model := read.Model()
				if err := read.Err(); err != nil {
					b.Fatal(err)
				}
				if s := room.Examine(model); len(s.Findings) > 0 && s.Findings[0].Rule.Severity == rules.Block {
					b.Fatal(s.Findings[0])
				}
				room.Clear()
			}
		})
	}
}

// BenchmarkValid is the raw limit to compare with: encoding/json's check of the same document.
func BenchmarkValid(b *testing.B) {
	doc := residualNetwork(2000, false)
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if !json.Valid(doc) {
			b.Fatal("not JSON")
		}
	}
}

func benchmark(b *testing.B, name string, n int, doc []byte) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		b.ReportAllocs()
		for b.Loop() {
			g, err := graph.Decode(doc, "model", graph.ServiceLimits)
			if err != nil {
				b.Fatal(err)
			}
			if r := Run(&Request{Model: g}); r.Counts.Block > 0 {
				b.Fatal(r.Findings[0])
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/component")
	})
}
