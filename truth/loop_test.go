package truth

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/cli"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// numbers are the faults that are one wrong number which the rest of the graph contradicts.
var numbers = map[string]bool{"features": true, "channels": true, "norm": true, "embed": true}

// leastRepaired is the share of those that must come back as they were meant, in percent.
const leastRepaired = 95

// TestFollowingTheFindingsRepairsWrongNumbers gives every broken graph that PyTorch refuses to `verifier loop`, and compares what comes
// out with the graph that was drawn before it was broken.
func TestFollowingTheFindingsRepairsWrongNumbers(t *testing.T) {
	if _, err := os.Stat(filepath.Join(*dir, "graphs-meant.jsonl.gz")); err != nil && *dir != "." {
		t.Skip("skipped: rows measured afresh come without the graphs that they were before they were broken; truth/meant.py makes them")
	}
	meant := map[string]string{}
	lines(t, "graphs-meant.jsonl.gz", func(line []byte) {
		var r graphRow
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		meant[r.ID] = fingerprint(t, r.Graph)
	})
	table, all, asMeant := newTable("refused", "passes", "as meant", "steps"), 0, 0
	for _, r := range graphRows(t) {
		if r.OK {
			continue
		}
		passes, structure, steps := loop(t, &r)
		same := passes && structure == meant[r.ID]
		table.add(r.Variant, 1, count(passes), count(same), steps)
		if passes && steps == 0 {
			t.Errorf("%s (%s): passes without a change, but PyTorch refuses it", r.ID, r.Variant)
		}
		if !numbers[r.Variant] {
			continue
		}
		all, asMeant = all+1, asMeant+count(same)
		if !same {
			t.Logf("%s (%s): passes %v, not as it was meant", r.ID, r.Variant, passes)
		}
	}
	table.print()
	if all < 50 || asMeant*100 < all*leastRepaired {
		t.Errorf("%d of %d graphs with a wrong number are repaired to what was meant, less than %d %%", asMeant, all, leastRepaired)
	}
	t.Logf("wrong numbers: %d of %d repaired to the graph that was meant", asMeant, all)
}

func fingerprint(t *testing.T, text []byte) string {
	t.Helper()
	g, err := graph.Decode(text, "model", graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g).Fingerprint()
}

// loop runs the command on a row, and proves what it says: its model, checked afresh, is blocked exactly where the command gates.
func loop(t *testing.T, r *graphRow) (passes bool, structure string, steps int) {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Main([]string{"loop", "--json", "-"}, bytes.NewReader(r.Graph), &out, &errs)
	var body struct {
		Passes bool
		Steps  []json.RawMessage
		After  string `json:"fingerprintAfter"`
		Model  json.RawMessage
	}
	if err := json.Unmarshal(out.Bytes(), &body); err != nil {
		t.Fatalf("%s: %v: %s %s", r.ID, err, out.String(), errs.String())
	}
	var again bytes.Buffer
	if check := cli.Main([]string{"check", "--policy", "none", "-"}, strings.NewReader(string(body.Model)), &again, &errs); check != code || (code == 0) != body.Passes {
		t.Errorf("%s: loop exits with %d and passes %v, check of its model with %d", r.ID, code, body.Passes, check)
	}
	if got := fingerprint(t, body.Model); got != body.After {
		t.Errorf("%s: the model has structure %s, the answer says %s", r.ID, got, body.After)
	}
	return body.Passes, body.After, len(body.Steps)
}
