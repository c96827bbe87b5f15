package bench

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

const golden = "testdata/tasks.txt"

// TestTasksAreTheSameEverywhere holds the digests of the first tasks: an agent that was measured on them was measured on these. They
// change where a family or an estimate that a budget is made of changes, and then docs and results have to be made again; -update writes
// them.
func TestTasksAreTheSameEverywhere(t *testing.T) {
	var b strings.Builder
	for _, f := range Families() {
		for _, split := range Splits {
			for n := range 5 {
				p, err := Find(ID(f.Name, split, n))
				if err != nil {
					t.Fatal(err)
				}
				text, err := json.Marshal(p)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "%s %x\n", p.Task.ID, sha256.Sum256(text))
			}
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != b.String() {
		t.Error("the tasks are other ones: go test ./internal/bench -run SameEverywhere -update, and see what changed")
	}
}
