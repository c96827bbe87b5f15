package serve

import (
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/hardware"
)

// TestAFixIsMadeInTheTextOfTheCommand holds that a fix changes what it names and leaves the rest as it was written.
func TestAFixIsMadeInTheTextOfTheCommand(t *testing.T) {
	for _, c := range []struct{ command, rule, want string }{
		{"vllm serve m --tensor-parallel-size 3", "tp-heads", "vllm serve m --tensor-parallel-size 4"},
		{"vllm serve m \\\n  -tp 3 \\\n  --port 80", "tp-heads", "vllm serve m \\\n  -tp 2 \\\n  --port 80"},
		{"A=1 vllm serve m --tensor-parallel-size=3 | tee log", "tp-heads", "A=1 vllm serve m --tensor-parallel-size=8 | tee log"},
		{"bash -c 'vllm serve m --tensor-parallel-size 3'", "tp-heads", "bash -c 'vllm serve m --tensor-parallel-size 4'"},
		{"vllm serve m --dtype flaot16", "flag-choice", "vllm serve m --dtype float16"},
		{"vllm serve m --max-modl-len 4096", "flag-unknown", "vllm serve m --max-model-len 4096"},
	} {
		ask := &Request{Command: c.command, GPU: hardware.Lookup("H100"), GPUs: 8}
		r := Check(modelOf(t, "llama-3.1-8b"), ask)
		var got []string
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Rule == c.rule {
				for _, m := range r.Mends(f) {
					got = append(got, m.Command)
				}
			}
		}
		if !slices.Contains(got, c.want) {
			t.Errorf("%q becomes one of %q, not %q: %+v", c.command, got, c.want, r.Findings)
		}
	}
}

// TestAMendedCommandLacksTheFinding makes every change that is offered for commands with faults of many kinds, and judges what comes of
// it: the finding is gone, and nothing blocks that did not before.
func TestAMendedCommandLacksTheFinding(t *testing.T) {
	model := modelOf(t, "llama-3.1-8b")
	made := 0
	for _, command := range []string{
		"vllm serve m --tensor-parallel-size 3 --dtype int4 --max-model-len 9999999", "vllm serve m -tp 16 --kv-cache-dtype fp9",
		"python -m sglang.launch_server --model-path m --tp-size 3", "trtllm-serve m --tp_size 3 --kv_cache_free_gpu_memory_fraction 2",
		"docker run vllm/vllm-openai:v0.9.0 --model m --tensor-parallel-size 5", "text-generation-launcher --model-id m --num-shard 3 --max-input-tokens 9 --max-total-tokens 5",
		"llama-server -m m.gguf --ctx-size -5 --unknown", "vllm serve m --tensor-parallel-size 3 --tensor-parallel-size 5",
	} {
		ask := Request{Command: command, GPU: hardware.Lookup("H100"), GPUs: 8}
		r := Check(model, &ask)
		for i := range r.Findings {
			f := &r.Findings[i]
			for _, m := range r.Mends(f) {
				made++
				next := ask
				next.Command = m.Command
				if then := Check(model, &next); !better(r.Findings, then.Findings, f.Rule) {
					t.Errorf("%s: %s (%s) gives %q, of which is found %+v", command, f.Rule, m.Words, m.Command, then.Findings)
				}
			}
		}
	}
	if made < 10 {
		t.Errorf("only %d changes were offered", made)
	}
}
