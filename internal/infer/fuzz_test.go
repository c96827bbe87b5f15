package infer

import (
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// FuzzWalk reads any bytes as a graph in the short notation and walks it. Nothing may panic, and what is refused must say why.
func FuzzWalk(f *testing.F) {
	for _, t := range catalog.Types() {
		for _, e := range t.Examples {
			f.Add("x: input shape=[4,8,8]\na: " + t.ID + " " + e.Args + "\no: output\nx -> a -> o")
		}
	}
	f.Add("a: add\nb: add\na -> b -> a\na -> a")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := graph.Parse(text)
		if err != nil || len(g.Components) > 200 || len(g.Connections) > 2000 {
			return
		}
		g.Normalize(catalog.Vocabulary)
		res := Walk(g)
		for _, r := range res.Refusals {
			if r.Rule == "" || r.Message == "" || r.Node < 0 || r.Node >= len(g.Components) {
				t.Fatalf("%+v in\n%s", r, text)
			}
		}
		if res.Params < 0 || res.FLOPs < 0 || res.SavedBytes < 0 {
			t.Fatalf("%d weights, %d FLOPs, %d bytes in\n%s", res.Params, res.FLOPs, res.SavedBytes, text)
		}
	})
}
