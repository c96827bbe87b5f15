package corpus

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/graph"
)

// decoder writes a decoder of so many layers, with eight components each, as an editor exports it: 24 layers are 197 components.
func decoder(layers int) []byte {
	var components, connections []string
	last := ""
	add := func(typ, params string, from ...string) string {
		id := fmt.Sprintf("%s_%d", typ, len(components))
		components = append(components, fmt.Sprintf(`{"id":%q,"type":%q,"name":"%s %d","params":{%s}}`, id, typ, typ, len(components), params))
		for _, f := range from {
			connections = append(connections, fmt.Sprintf(`{"from":%q,"to":%q}`, f, id))
		}
		last = id
		return id
	}
	add("input", `"shape":[1024],"dtype":"int64"`)
	add("embedding", `"numEmbeddings":32000,"embeddingDim":1024`, last)
	for range layers {
		block := last
		add("rmsNorm", `"normalizedShape":1024`, block)
		add("groupedQueryAttention", `"embedDim":1024,"numHeads":16,"numKVHeads":4`, last)
		add("dropout", `"p":0.1`, last)
		middle := add("add", "", block, last)
		add("rmsNorm", `"normalizedShape":1024`, middle)
		add("swiglu", `"embedDim":1024,"intermediateSize":2816`, last)
		add("dropout", `"p":0.1`, last)
		add("add", "", middle, last)
	}
	add("rmsNorm", `"normalizedShape":1024`, last)
	add("lmHead", `"embedDim":1024,"vocabSize":32000`, last)
	add("output", "", last)
	return []byte(`{"model":{"components":[` + strings.Join(components, ",") + `],"connections":[` + strings.Join(connections, ",") + `]}}`)
}

// nowhere takes everything.
type nowhere struct{ Store }

func (nowhere) Append(context.Context, *Batch) error { return nil }

// BenchmarkOf is what a row costs, beside the check that it is the row of.
func BenchmarkOf(b *testing.B) {
	body := decoder(24)
	b.Run("check", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, err := check.Decode(body, graph.ServiceLimits)
			if err != nil {
				b.Fatal(err)
			}
			out := check.Run(r)
			if len(r.Model.Components) != 197 || out.StoppedAt != nil {
				b.Fatal(len(r.Model.Components), out.Summary)
			}
			if _, err := json.Marshal(out); err != nil {
				b.Fatal(err)
			}
		}
	})
	r, err := check.Decode(body, graph.ServiceLimits)
	if err != nil {
		b.Fatal(err)
	}
	s := action.Examine(r.Model)
	b.Run("fingerprint", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Walked.Fingerprint()
		}
	})
	b.Run("row", func(b *testing.B) {
		w := NewWriter(nowhere{}, nil)
		b.ReportAllocs()
		for b.Loop() {
			w.Add(Of(s, 20_000))
		}
	})
}
