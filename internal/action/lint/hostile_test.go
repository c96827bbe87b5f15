package lint

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// hostile documents are legal JSON at the limits, made to be slow.
func hostile() map[string]string {
	node := func(i int, typ string) string {
		return fmt.Sprintf(`{"id":"n%d","type":%q,"params":{"shape":[8]}}`, i, typ)
	}
	list := func(n int, typ string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = node(i, typ)
		}
		return strings.Join(parts, ",")
	}
	edges := func(n int, edge func(i int) (int, int)) string {
		parts := make([]string, n)
		for i := range parts {
			a, b := edge(i)
			parts[i] = fmt.Sprintf(`{"from":"n%d","to":"n%d"}`, a, b)
		}
		return strings.Join(parts, ",")
	}
	doc := func(components, connections string) string {
		return `{"components":[` + components + `],"connections":[` + connections + `]}`
	}
	complete := func(i int) (int, int) { // every component of 200 feeds every later one
		a, b := i%200, i/200%200
		return min(a, b), max(a, b) + 1
	}
	return map[string]string{
		"a cycle of 2,000":               doc(list(2000, "relu"), edges(2000, func(i int) (int, int) { return i, (i + 1) % 2000 })),
		"20,000 connections to itself":   doc(list(1, "add"), edges(20000, func(int) (int, int) { return 0, 0 })),
		"a complete graph of additions":  doc(list(1, "input")+","+strings.ReplaceAll(list(201, "add"), `"n0"`, `"m0"`), edges(20000, complete)),
		"20,000 connections to nowhere":  doc(list(1, "input"), edges(20000, func(i int) (int, int) { return i + 5, i + 6 })),
		"2,000 unknown types":            doc(list(2000, strings.Repeat("convolution", 5)), ""),
		"2,000 components with one id":   doc(strings.Repeat(`{"id":"a","type":"relu"},`, 1999)+`{"id":"a","type":"relu"}`, edges(20000, func(int) (int, int) { return 0, 0 })),
		"huge sizes":                     doc(strings.Repeat(`{"type":"input","params":{"shape":[9223372036854775807,9223372036854775807]}},`, 1999)+`{"type":"output"}`, ""),
		"a star of 1,999 readers":        doc(list(1, "input")+strings.Replace(","+list(2000, "linear"), `{"id":"n0","type":"linear","params":{"shape":[8]}},`, "", 1), edges(1999, func(i int) (int, int) { return 0, i + 1 })),
		"a producer with 1,999 disputes": doc(`{"id":"n0","type":"input","params":{"shape":[7]}},`+strings.Replace(list(2000, "linear"), `{"id":"n0","type":"linear","params":{"shape":[8]}},`, "", 1), edges(1999, func(i int) (int, int) { return i, i + 1 })),
	}
}

// TestHostileModelsStaySmall holds that no model within the limits of the service takes more than 100 MB, and that none panics.
func TestHostileModelsStaySmall(t *testing.T) {
	for name, text := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		g, err := graph.Decode([]byte(text), "model", graph.ServiceLimits)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		Run(&Request{Model: g})
		runtime.ReadMemStats(&after)
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 100 {
			t.Errorf("%s: %d MB were allocated", name, mb)
		}
	}
}

// BenchmarkHostile shows how long they take; 200 ms is the bar.
func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile() {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g, err := graph.Decode([]byte(text), "model", graph.ServiceLimits)
				if err != nil {
					b.Fatal(err)
				}
				Run(&Request{Model: g})
			}
		})
	}
}
