package datasets

import (
	"testing"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/bench/agent"
)

func init() { verified["arena"] = arenaHolds }

// arenaHolds adds a row up again, and has its agent solve the first task that it says is solved. A provider is not asked.
func arenaHolds(t *testing.T, line []byte) {
	var r arenaRow
	decode(t, line, &r)
	if len(r.Solved) != r.Passed || r.Passed > r.Tasks || r.Tasks == 0 || (r.Quality == nil) != (r.Passed == 0) ||
		r.Rate != float64(r.Passed*10_000/r.Tasks)/10_000 {
		t.Errorf("%s: %d of %d tasks, of which %d are listed; rate %v", r.ID, r.Passed, r.Tasks, len(r.Solved), r.Rate)
	}
	e, err := agent.Lookup(r.Agent)
	if err != nil || len(r.Solved) == 0 {
		return
	}
	p := find(t, bench.ID(r.Family, r.Split, r.Solved[0]))
	answer, err := e.Agent.Solve(t.Context(), &p.Task, r.Seed, func(agent.Step) {})
	if g := bench.Score(&p.Task, answer); err != nil || !g.Passed {
		t.Errorf("%s does not solve %s any more: %v, %s", r.Agent, p.Task.ID, err, g.Reason)
	}
}
