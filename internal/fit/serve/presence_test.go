package serve

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The tables agree with what the sources of some releases have, flag by flag.
func TestTablesAgreeWithTheSources(t *testing.T) {
	data, err := os.ReadFile("testdata/presence.txt")
	if err != nil {
		t.Fatal(err)
	}
	compared := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if line[0] == '#' {
			continue
		}
		c := strings.Split(line, "|")
		if len(c) != 5 {
			t.Fatalf("presence.txt:%d has %d columns", i+1, len(c))
		}
		id, v := strings.TrimSpace(c[0]), mustVersion(strings.TrimSpace(c[1]))
		e := engines[slices.IndexFunc(engines, func(e *engine) bool { return e.id == id })]
		for column, want := range map[int]bool{3: true, 4: false} {
			for _, name := range strings.Fields(c[column]) {
				f := e.flags().byName[name]
				if got := f != nil && f.spelt(name).alive(v); got != want {
					t.Errorf("%s of %s %s: the table says %v, the source %v", name, id, v.text, got, want)
				}
				compared[id]++
			}
		}
	}
	for _, id := range []string{"vllm", "sglang", "tgi", "llama.cpp"} {
		if compared[id] < 90 {
			t.Errorf("only %d flags of %s are compared", compared[id], id)
		}
	}
	t.Log(compared)
}
