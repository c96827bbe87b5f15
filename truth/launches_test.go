package truth

import (
	"encoding/json"
	"slices"
	"testing"
)

// launchesFile has the operations that launches.py counted in steps of rows of the other files, without a card.
const launchesFile = "launches.jsonl.gz"

// uncounted are model types whose operations are known to be more than is estimated, and why.
var uncounted = map[string]string{
	"deepseek_v4 of transformers": "its streams are balanced in twenty rounds of single operations",
	"ibert of transformers":       "it looks for the least and the greatest of what it would quantise",
	"big_bird of transformers":    "four thousand of its operations put single numbers into a mask, and take next to no time",
}

// TestStarts holds the kernels that a step is estimated to start, of which its time is computed where the host is the slower, to the
// operations of the real modules. An operation starts one kernel or a few, so that they are not the same number; a loop that was not seen
// shows all the same, in types that no timed row has.
func TestStarts(t *testing.T) {
	counted := map[string]map[string]float64{}
	lines(t, launchesFile, func(line []byte) {
		var r struct {
			File, ID   string
			Operations float64
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if counted[r.File] == nil {
			counted[r.File] = map[string]float64{}
		}
		counted[r.File][r.ID] = r.Operations
	})
	const low = 0.55
	var all []float64
	least := map[string]float64{} // of each family
	for file, rows := range counted {
		for _, r := range runsOf(t, file) {
			operations, ok := rows[r.ID]
			if !ok {
				continue
			}
			x := r.work.kernels() / operations
			if before, ok := least[r.family]; !ok || x < before {
				least[r.family] = x
			}
			all = append(all, x)
			if uncounted[r.family] == "" && (x < low || x > 2.8) {
				t.Errorf("%s starts %.2f kernels for each operation, %.0f of %.0f", r.ID, x, r.work.kernels(), operations)
			}
		}
	}
	if len(all) < 900 {
		t.Fatalf("only %d rows were counted", len(all))
	}
	slices.Sort(all)
	at := func(q float64) float64 { return all[int(q*float64(len(all)-1))] }
	t.Logf("%d steps of %d architectures start %.2f kernels for each operation in the median, nine in ten from %.2f to %.2f", len(all), len(least), at(0.5), at(0.05), at(0.95))
	for f, reason := range uncounted {
		if x, ok := least[f]; !ok || x >= low {
			t.Errorf("%s is no exception any more: %s", f, reason)
		}
	}
}
