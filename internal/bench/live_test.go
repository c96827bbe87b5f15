package bench

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// TestARepairLeavesNothingDead holds that what a broken start has dead does not stay dead: a lost connection is the fault that is to be
// repaired. What a start that runs has dead may stay.
func TestARepairLeavesNothingDead(t *testing.T) {
	branch := func(in string) json.RawMessage {
		g, err := graph.Parse(`x: input shape=[8]
a: linear inFeatures=8 outFeatures=8
r: relu
b: linear inFeatures=` + in + ` outFeatures=8
s: add
y: output
x -> a -> r -> s -> y
a -> b`)
		if err != nil {
			t.Fatal(err)
		}
		return g.AppendJSON(nil)
	}
	broken, dead := branch("9"), branch("8")
	task := Task{ID: "x", Start: broken, Constraints: []Constraint{{Kind: "runs"}, {Kind: "live"}}}
	if g := Score(&task, dead); g.Passed || !strings.Contains(g.Reason, "b does not reach the output") {
		t.Errorf("passed %v: %s", g.Passed, g.Reason)
	}
	task.Start = dead
	if g := Score(&task, dead); !g.Passed {
		t.Errorf("what ran and was dead before: %s", g.Reason)
	}
}
