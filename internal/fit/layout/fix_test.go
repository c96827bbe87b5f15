package layout

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/rules"
)

// advised reads the requests that the words of a fix lead to, one for each value and alternative.
func advised(t testing.TB, r Request, fix string) []Request {
	t.Helper()
	var out []Request
	for _, part := range strings.Split(fix, ", or ") {
		if part == "turn sequence_parallel on" {
			on := true
			q := r
			q.SequenceParallel = &on
			out = append(out, q)
			continue
		}
		words, ok := strings.CutPrefix(part, "set ")
		if !ok {
			t.Fatalf("%q is no change of the layout", fix)
		}
		if name, list, several := strings.Cut(words, " to one of "); several {
			for _, v := range strings.Split(strings.ReplaceAll(list, "…, ", ""), ", ") {
				out = append(out, reset(t, r, name, v))
			}
			continue
		}
		q := r
		for _, one := range strings.Split(words, " and ") {
			name, v, _ := strings.Cut(one, " to ")
			q = reset(t, q, name, v)
		}
		out = append(out, q)
	}
	return out
}

func reset(t testing.TB, r Request, name, value string) Request {
	t.Helper()
	if name == "recompute" {
		r.Recompute = value
		return r
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(value, ",", ""), 10, 64)
	if err != nil {
		t.Fatalf("set %s to %s: %v", name, value, err)
	}
	to := map[string]func(){
		"tp": func() { r.TP = n }, "pp": func() { r.PP = n }, "dp": func() { r.DP = n }, "cp": func() { r.CP = n }, "ep": func() { r.EP = n }, "vpp": func() { r.VPP = n },
		"micro_batch": func() { r.MicroBatch = n }, "etp": func() { r.ETP = &n }, "zero": func() { r.Zero = &n }, "global_batch": func() { r.GlobalBatch = &n },
		"seq_len": func() { r.SeqLen = &n }, "last_stage_layers": func() { r.LastLayers = &n },
	}[name]
	if to == nil {
		t.Fatalf("no size is called %q", name)
	}
	to()
	return r
}

// state writes a request down, to tell whether it was met before.
func state(r Request) string {
	opt := func(n *int64) string {
		if n == nil {
			return "-"
		}
		return strconv.FormatInt(*n, 10)
	}
	sequence := "-"
	if r.SequenceParallel != nil {
		sequence = fmt.Sprint(*r.SequenceParallel)
	}
	return fmt.Sprint(r.TP, r.PP, r.DP, r.CP, r.EP, r.VPP, r.MicroBatch, opt(r.ETP), opt(r.Zero), opt(r.GlobalBatch), opt(r.SeqLen), opt(r.FirstLayers), opt(r.LastLayers), sequence, r.Recompute, r.Framework)
}

func blocksOf(r *Result) (n int) {
	for _, f := range r.Findings {
		if f.Severity == rules.Block {
			n++
		}
	}
	return n
}

func randomLayout(rng *rand.Rand) Request {
	pick := func(list ...int64) int64 { return list[rng.IntN(len(list))] }
	some := func(list ...int64) *int64 {
		if rng.IntN(2) == 0 {
			return nil
		}
		n := pick(list...)
		return &n
	}
	r := Default()
	r.Framework, r.Recompute = Frameworks[rng.IntN(3)], Recomputes[rng.IntN(3)]
	r.TP, r.PP, r.DP = pick(1, 2, 3, 4, 5, 8, 16, 0), pick(1, 2, 3, 4, 6, 7, 8, 64), pick(1, 2, 3, 4, 8, -1)
	r.CP, r.EP, r.VPP, r.MicroBatch = pick(1, 1, 2, 3, 4), pick(1, 1, 2, 3, 8, 5), pick(1, 1, 2, 3, 4), pick(1, 2, 3)
	r.ETP, r.Zero, r.GlobalBatch = some(1, 2, 3), some(0, 1, 2, 3, 4), some(1, 7, 8, 64, 100)
	r.SeqLen, r.FirstLayers, r.LastLayers = some(1000, 1023, 2048, 4096, 200000), some(1, 3), some(1, 5)
	if rng.IntN(3) == 0 {
		on := rng.IntN(2) == 0
		r.SequenceParallel = &on
	}
	if rng.IntN(2) == 0 {
		r.GPU = hardware.Lookup([]string{"H100", "A100-40GB", "L4"}[rng.IntN(3)])
	}
	return r
}

// Whatever is advised was judged: following any fix of any finding does away with it, blocks nothing new, comes to an end within a few
// steps, and never back to a layout that was left.
func TestFollowingFixesEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	names := []string{"llama3-8b", "gpt2", "mixtral-8x7b", "gpt-oss-20b", "qwen2.5-7b", "deepseek-v3", "t5-base", "smollm2-135m"}
	rounds, followed, longest := 150, 0, 0
	if testing.Short() {
		rounds = 60
	}
	for range rounds {
		name := names[rng.IntN(len(names))]
		r := randomLayout(rng)
		met := map[string]bool{state(r): true}
		for step := 1; ; step++ {
			now := Check(open(t, name), r)
			var next []Request
			var why Finding
			for _, f := range now.Findings {
				if f.Fix == "" {
					continue
				}
				all := advised(t, r, f.Fix)
				for _, q := range all {
					then := Check(open(t, name), q)
					if then.SeqLen == now.SeqLen && countOf(then, f.Rule) >= countOf(now, f.Rule) || blocksOf(then) > blocksOf(now) {
						t.Fatalf("%s %s: %q of %s leaves %+v", name, state(r), f.Fix, f.Rule, then.Findings)
					}
				}
				if rng.IntN(2) == 0 || next == nil {
					next, why = all, f
				}
			}
			if next == nil {
				longest = max(longest, step-1)
				break
			}
			followed++
			r = next[rng.IntN(len(next))]
			if met[state(r)] {
				t.Fatalf("%s: %q of %s leads back to %s", name, why.Fix, why.Rule, state(r))
			}
			met[state(r)] = true
			if step > 12 {
				t.Fatalf("%s: fixes of %s do not end", name, state(r))
			}
		}
	}
	t.Logf("%d fixes were followed, at most %d in turn", followed, longest)
}

func countOf(r *Result, rule string) (n int) {
	for _, f := range r.Findings {
		if f.Rule == rule {
			n++
		}
	}
	return n
}
