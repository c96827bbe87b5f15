package fix

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/patch"
)

// TestNumbersOfADocumentHaveTheirNamesAndOwners in a graph, bare or as a model, and in a configuration.
func TestNumbersOfADocumentHaveTheirNamesAndOwners(t *testing.T) {
	graph := `{"v":1,"components":[{"params":{"a":2,"s":[3,[4]]},"id":"x"},{"id":"y","n":5,"z":{"id":"no","k":6}}],"connections":[{"c":7}]}`
	for text, want := range map[string]string{
		graph: "/v=1 x/a=2 x/0=3 x/0=4 y/n=5 y/k=6 /c=7", `{"model":` + graph + `}`: "/v=1 x/a=2 x/0=3 x/0=4 y/n=5 y/k=6 /c=7",
		`{"a":{},"b":[],"c":{"d":8},"e":1.5,"f":9}`: "/d=8 /f=9", "{1": "",
	} {
		d := newDocument(context.Background(), []patch.File{{Path: "m.json", Text: text}}, &Target{Path: "m.json"}, action.Finding{})
		var got []string
		for _, p := range d.places {
			got = append(got, fmt.Sprintf("%s/%s=%s", p.owner, p.name, text[p.start:p.end]))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", text, strings.Join(got, " "), want)
		}
	}
}

// TestADocumentCostsWhatItHas lists the numbers below a long name, and what may stand in their place.
func TestADocumentCostsWhatItHas(t *testing.T) {
	text := `{"` + strings.Repeat("a", 30_000) + `":[1` + strings.Repeat(",1", 20_000) + `]}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := newDocument(context.Background(), []patch.File{{Path: "config.json", Text: text}}, &Target{Path: "config.json"}, action.Finding{Detail: "2 3 5 7 11 13 17 19 23"})
	n := len(d.candidates())
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 48<<20 || n == 0 {
		t.Errorf("%d MB for %d bytes and %d candidates", got>>20, len(text), n)
	}
}
