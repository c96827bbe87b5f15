package truth

import (
	"sort"
	"testing"
)

// TestLayers holds every component type to the rows measured for it: whether it runs, the shape of the result, the weights.
func TestLayers(t *testing.T) {
	for _, file := range []string{"layers.jsonl.gz", "more.jsonl.gz", "edges.jsonl.gz"} {
		t.Run(file[:len(file)-len(".jsonl.gz")], func(t *testing.T) { layers(t, file) })
	}
}

func layers(t *testing.T, file string) {
	all := rowsOf(t, file)
	tb := newTable("rows", "refused", "agree")
	for _, typ := range sorted(all) {
		t.Run(typ, func(t *testing.T) {
			for _, r := range all[typ] {
				diff := r.differs(r.evaluate(t))
				tb.add(typ, 1, count(!r.OK), count(diff == ""))
				if diff != "" {
					t.Errorf("%s %s %v %v: %s", r.Type, r.Params, r.Inputs, r.Dtypes, diff)
				}
			}
		})
	}
	tb.print()
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
