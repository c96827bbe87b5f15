package leaderboard

import (
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/bench/agent"
)

// TestCommittedResultsHoldAgain runs some tasks of every committed result again: those that passed pass, and no others. All of it is
// made again by `verifier bench run --policy NAME --n 50 --seed 1 --output internal/bench/leaderboard/results/NAME.json`.
func TestCommittedResultsHoldAgain(t *testing.T) {
	const every = 16 // tasks lie between two that are run again
	for _, r := range Results() {
		e, err := agent.Lookup(r.Agent)
		if err != nil {
			t.Logf("%s asks a provider, and is not run again", r.Agent)
			continue
		}
		var ids []string
		solved := map[string]bool{}
		for _, row := range r.Rows {
			if row.Tasks != r.N {
				t.Errorf("%s: %s/%s has %d tasks of %d", r.Agent, row.Family, row.Split, row.Tasks, r.N)
			}
			for _, n := range row.Solved {
				solved[bench.ID(row.Family, row.Split, n)] = true
			}
			for n := range r.N {
				if n%every == 0 || len(row.Solved) > 0 && n == row.Solved[0] {
					ids = append(ids, bench.ID(row.Family, row.Split, r.From+n))
				}
			}
		}
		err = agent.Each(t.Context(), e.Agent, ids, r.Seed, 2, func(o *agent.Outcome) error {
			if o.Grade.Passed != solved[o.Task] {
				t.Errorf("%s: %s passes: %t, in the result %t: run it again as the comment says", r.Agent, o.Task, o.Grade.Passed, solved[o.Task])
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestEveryAgentThatNeedsNobodyHasAResult of all families and splits, under the same conditions.
func TestEveryAgentThatNeedsNobodyHasAResult(t *testing.T) {
	want := len(bench.Families()) * len(bench.Splits)
	for _, name := range agent.Names() {
		at := slices.IndexFunc(Results(), func(r *bench.Result) bool { return r.Agent == name })
		if at < 0 {
			t.Errorf("%s has none", name)
			continue
		}
		if r := Results()[at]; len(r.Rows) != want || r.N != 50 || r.From != 0 || r.Seed != 1 {
			t.Errorf("%s: %d rows of %d, n %d, from %d, seed %d", name, len(r.Rows), want, r.N, r.From, r.Seed)
		}
	}
}

func TestTheBoardIsInOrder(t *testing.T) {
	half, good := 0.5, 0.9
	result := func(agent string, passed int, quality *float64, gradings int) *bench.Result {
		return &bench.Result{Agent: agent, Rows: []bench.Row{{Family: "repair", Split: bench.Test, Tasks: 10, Passed: passed, Quality: quality, Gradings: gradings}}}
	}
	lines := Board([]*bench.Result{result("none", 0, nil, 1), result("slow", 5, &half, 99), result("fast", 5, &half, 9), result("fine", 5, &good, 999), result("best", 6, &half, 9)}, bench.Test)
	var names []string
	for i := range lines {
		names = append(names, lines[i].Name())
	}
	if want := []string{"best", "fine", "fast", "slow", "none"}; !slices.Equal(names, want) {
		t.Errorf("%v", names)
	}
	if lines := Board([]*bench.Result{result("x", 1, &half, 1)}, bench.Dev); len(lines) != 0 {
		t.Errorf("%+v", lines)
	}
	l := Line{Agent: "provider", Model: "m"}
	if l.Name() != "provider (m)" {
		t.Error(l.Name())
	}
}
