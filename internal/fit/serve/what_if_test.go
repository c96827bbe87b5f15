package serve

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/hardware"
)

// TestFindingsAreMarkedInTheCommand holds that a finding about a flag names where it stands, however the flag is spelled.
func TestFindingsAreMarkedInTheCommand(t *testing.T) {
	for _, c := range []struct{ command, rule, want string }{
		{"vllm serve m --tensor-parallel-size 3", "tp-heads", "--tensor-parallel-size 3"},
		{"vllm serve m \\\n  -tp 3", "tp-heads", "-tp 3"},
		{"vllm serve m --tensor-parallel-size=3", "tp-heads", "--tensor-parallel-size=3"},
		{"vllm serve m --not-a-flag 1", "flag-unknown", "--not-a-flag"},
		{"docker run --gpus all vllm/vllm-openai:v0.9.0 --model m --dtype flaot16", "flag-choice", "--dtype flaot16"},
		{"bash -c 'vllm serve m --max-model-len 99999999'", "", "--max-model-len 99999999"},
	} {
		r := Check(modelOf(t, "llama-3.1-8b"), &Request{Command: c.command, GPU: hardware.Lookup("H100"), GPUs: 8})
		var got []string
		for i := range r.Findings {
			f := &r.Findings[i]
			if c.rule != "" && f.Rule != c.rule {
				continue
			}
			for _, p := range r.Places(f) {
				got = append(got, c.command[p.From:p.To])
			}
		}
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, c.want) }) {
			t.Errorf("%s: %q is marked, not %q; %+v", c.command, got, c.want, r.Findings)
		}
	}
}

// TestWhatIfIsWhatTheCommandItselfIsAnswered holds the points of a plot and the sizes of a table to the command with them.
func TestWhatIfIsWhatTheCommandItselfIsAnswered(t *testing.T) {
	model, ask := modelOf(t, "llama-3.1-8b"), Request{Command: "vllm serve m --max-num-seqs 4096", GPU: hardware.Lookup("H100"), GPUs: 8}
	r := Check(model, &ask)
	for flag, n := range map[string]int64{"--max-model-len": 4096, "--tensor-parallel-size": 4} {
		with := ask
		with.Command += " " + flag + " 4096"
		if n == 4 {
			with.Command = ask.Command + " --tensor-parallel-size 4"
		}
		want := Check(model, &with)
		var got *int64
		if n == 4 {
			splits := r.Splits(8)
			if len(splits) != 8 || splits[2].Legal || splits[2].Why == "" || !splits[3].Legal {
				t.Fatalf("%+v", splits)
			}
			got = splits[3].Concurrent
		} else {
			got = r.Capacity([]int64{n})[0].Concurrent
		}
		if got == nil || *got != *want.MaxConcurrentSequences || *got == 0 {
			t.Errorf("%s %d: %v, not %d", flag, n, got, *want.MaxConcurrentSequences)
		}
	}
	rooms := r.Capacity([]int64{1024, 8192, 131072})
	if len(rooms) != 3 || *rooms[0].Concurrent < *rooms[1].Concurrent || *rooms[1].Concurrent < *rooms[2].Concurrent {
		t.Errorf("%+v", rooms)
	}
}
