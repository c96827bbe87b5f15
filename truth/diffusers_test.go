package truth

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/diffusers"
	"github.com/modelverifier/verifier/internal/infer"
)

// partRow is the config of a part of a pipeline, and what diffusers builds from it on the meta device (diffusers_parts.py).
type partRow struct {
	Config  json.RawMessage `json:"config"`
	Params  int64           `json:"params"`
	Tensors int             `json:"tensors"`
	Digest  string          `json:"digest"` // of the names and shapes of its parameters
	Error   string          `json:"error"`
}

// TestDiffusersPartsHaveTheirWeights holds every part to the number, the names and the shapes of its parameters, and its graph to their number.
func TestDiffusersPartsHaveTheirWeights(t *testing.T) {
	counts := map[string]int{}
	lines(t, "diffusers.jsonl.gz", func(line []byte) {
		var r partRow
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.Error != "" { // what a constructor refuses is compared nowhere else: sizes that do not divide
			return
		}
		m, err := diffusers.Import(r.Config)
		if err != nil {
			t.Errorf("%s: %v", r.Config, err)
			return
		}
		names := make([]string, len(m.Tensors))
		for i, x := range m.Tensors {
			names[i] = x.Name + " " + strings.ReplaceAll(fmt.Sprint(x.Shape), " ", ", ")
		}
		slices.Sort(names)
		sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
		if m.Params != r.Params || len(names) != r.Tensors || hex.EncodeToString(sum[:]) != r.Digest {
			t.Errorf("%s: diffusers has %d parameters in %d tensors, we count %d in %d", r.Config, r.Params, r.Tensors, m.Params, len(names))
		}
		m.Graph.Normalize(catalog.Vocabulary)
		res := infer.Walk(m.Graph)
		if len(res.Refusals) > 0 {
			t.Errorf("%s: the graph is refused: %v", r.Config, res.Refusals[0])
		} else if res.Params != r.Params {
			t.Errorf("%s: its components have %d weights, want %d", r.Config, res.Params, r.Params)
		}
		counts[m.Class]++
	})
	if len(counts) != len(diffusers.Classes()) {
		t.Errorf("rows of %v, want some of each of %v", counts, diffusers.Classes())
	}
	t.Logf("parts that agree or were compared: %v", counts)
}
