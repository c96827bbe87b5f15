package serve

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/hardware"
)

// follow makes fixes until none is left, any of those that are offered, and reports how many.
func follow(t *testing.T, rng *rand.Rand, model string, q *Request) int {
	t.Helper()
	c, err := read(q.Command, q.EngineVersion)
	if err != nil || c == nil {
		return 0
	}
	res := modelOf(t, model)
	met := map[string]bool{}
	for made := 0; ; made++ {
		state := c.String()
		if c.box != nil {
			state += strings.Repeat("+", len(c.box.gpus)) + map[bool]string{true: "gpus"}[c.box.hasGPUs] + map[bool]string{true: "shm"}[c.box.shm]
		}
		if c.repeated {
			state += " repeated"
		}
		if met[state] {
			t.Fatalf("%s: fixes lead back to %s", q.Command, state)
		}
		met[state] = true
		start := *c
		l := check(res, q, &start, nil)
		offered := map[string]bool{}
		var all []change
		for _, r := range l.remedies {
			if len(r) == 0 {
				continue
			}
			offered[r.String()] = true
			for _, ch := range r {
				next := l.origin.with(ch, q.EngineVersion)
				then := check(res, q, next, nil)
				if blocks(then.out) > blocks(l.out) || blocks(then.out) == blocks(l.out) && len(then.out.Findings) >= len(l.out.Findings) {
					t.Fatalf("%s: %q comes to %s\nfrom\n%sto\n%s", q.Command, r, then.out.Command, explain(l.out), explain(then.out))
				}
				all = append(all, ch)
			}
		}
		for _, f := range l.out.Findings {
			if f.Fix != "" && !offered[f.Fix] {
				t.Fatalf("%s: the fix %q was not judged", q.Command, f.Fix)
			}
		}
		if len(all) == 0 {
			return made
		}
		if made > 12 {
			t.Fatalf("%s: fixes do not end: %s", q.Command, state)
		}
		c = l.origin.with(all[rng.IntN(len(all))], q.EngineVersion)
	}
}

func blocks(r *Result) (n int) {
	for _, f := range r.Findings {
		if f.Severity == Block {
			n++
		}
	}
	return n
}

// Whatever is advised was judged: following any fix of any finding comes to an end, never back to a command that was left, and nothing
// blocks that did not before. Of every command of the corpora, and of commands with flags of any engine and any value added to them.
func TestFollowingFixesEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 2))
	commands, made, longest := 0, 0, 0
	values := []string{"1", "2", "3", "8", "0", "-1", "131072", "32k", "0.5", "1.5", "auto", "fp8", "true", "{}", "off", "x"}
	for _, file := range []string{"testdata/vllm.cases", "testdata/sglang.cases", "testdata/others.cases", "testdata/sources.cases"} {
		for i, r := range rows(t, file) {
			if i%5 != 0 && (testing.Short() || i%2 != 0) {
				continue
			}
			q := r.request(t)
			n := follow(t, rng, r.model, q)
			commands, made, longest = commands+1, made+n, max(longest, n)
			e := engines[rng.IntN(len(engines))]
			f := e.flags().flags[rng.IntN(len(e.flags().flags))]
			q.Command += " " + f.name
			if rng.IntN(3) > 0 {
				q.Command += " " + values[rng.IntN(len(values))]
			}
			if q.GPU == nil {
				q.GPU, q.GPUs = hardware.Lookup([]string{"H100", "T4", "L4"}[rng.IntN(3)]), 1+rng.Int64N(8)
			}
			n = follow(t, rng, r.model, q)
			commands, made, longest = commands+1, made+n, max(longest, n)
		}
	}
	if made < commands/8 {
		t.Errorf("only %d fixes were followed of %d commands", made, commands)
	}
	t.Logf("%d commands, %d fixes followed, at most %d in turn", commands, made, longest)
}
