package serve

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
)

// whole commands of every engine: with a card of a count, and of a model of which everything is known.
var wholeCommands = map[string]string{
	"vllm":         "vllm serve m --max-model-len 4096",
	"sglang":       "python -m sglang.launch_server --model-path m --context-length 4096",
	"tensorrt-llm": "trtllm-serve m --max_seq_len 4096",
	"tgi":          "text-generation-launcher --model-id m --max-total-tokens 4096",
	"llama.cpp":    "llama-server -m m.gguf -c 4096",
}

// Every rule that an engine's commands of the corpora break is judged for its whole command, but for those about what it does not have.
func TestAWholeCommandIsJudgedByEveryRule(t *testing.T) {
	optional := []string{"config-file", "docker-entrypoint-mismatch", "docker-gpus", "docker-shm", "lora-rank-adapter", "pp-partition"}
	raised := map[string]map[string]bool{}
	for _, file := range []string{"testdata/vllm.cases", "testdata/sglang.cases", "testdata/others.cases", "testdata/sources.cases"} {
		for _, r := range rows(t, file) {
			res := Check(modelOf(t, r.model), r.request(t))
			if raised[res.Engine] == nil {
				raised[res.Engine] = map[string]bool{}
			}
			for _, f := range res.Findings {
				raised[res.Engine][f.Rule] = true
			}
		}
	}
	for _, e := range engines {
		res := Check(modelOf(t, "qwen3-30b-a3b"), &Request{Command: wholeCommands[e.id], GPU: hardware.Lookup("H200"), GPUs: 8, EngineVersion: e.assumed.text})
		for rule := range raised[e.id] {
			if strings.HasPrefix(rule, "flag-") && !e.complete {
				continue // the table is not whole
			}
			if !slices.Contains(res.Judged, rule) && !slices.Contains(optional, rule) {
				t.Errorf("%s: %s is not judged of %q", e.id, rule, res.Command)
			}
		}
		if res.Verdict == "block" {
			t.Errorf("%s: %s", e.id, explain(res))
		}
	}
}

// Without a card nothing of memory and compute capability is found out; without an engine nothing but the text; behind a variable that
// may hold any flag nothing for certain; and a custom module hides sizes and weights.
func TestJudgedListsOnlyWhatWasFoundOut(t *testing.T) {
	llama := modelOf(t, "llama-3.1-8b")
	for id, command := range wholeCommands {
		for _, rule := range Check(llama, &Request{Command: command}).Judged {
			if strings.HasPrefix(rule, "mem-") || slices.Contains([]string{"quant-capability", "gpu-too-old", "bf16-sm80", "kv-fp8-sm89", "world-gpus", "dp-gpus", "batched-lt-seqs"}, rule) {
				t.Errorf("%s: %s is judged without a card", id, rule)
			}
		}
		got := Check(llama, &Request{Command: command + " $ARGS", GPU: hardware.Lookup("H100"), GPUs: 1}).Judged
		if slices.Contains(got, "flag-unknown") || slices.Contains(got, "mem-weights") || !slices.Contains(got, "shell-variable") {
			t.Errorf("%s behind a variable: %v", id, got)
		}
	}
	for command, want := range map[string]string{
		"ollama run llama3":       "command-syntax command-unread unknown-engine-command",
		"vllm serve 'm":           "command-syntax command-unread",
		"":                        "command-syntax command-unread unknown-engine-command",
		"vllm serve --help":       "command-syntax command-unread prints-help shell-comment shell-pipeline shell-variable unknown-engine-command",
		"vllm serve m -tp \"$N\"": "",
	} {
		got := Check(llama, &Request{Command: command, GPU: hardware.Lookup("H100")}).Judged
		if want == "" {
			if slices.Contains(got, "tp-heads") || slices.Contains(got, "mem-weights") || slices.Contains(got, "flag-value") || !slices.Contains(got, "flag-unknown") {
				t.Errorf("%s: %v are judged", command, got)
			}
		} else if strings.Join(got, " ") != want {
			t.Errorf("%s: %v are judged, want %s", command, got, want)
		}
	}
	g, err := graph.Decode([]byte(`{"components":[{"id":"i","type":"input","params":{"shape":[8]}},{"id":"c","type":"customModule","params":{}},{"id":"l","type":"linear","params":{"inFeatures":8,"outFeatures":8}},{"id":"o","type":"output"}],
		"connections":[{"from":"i","to":"c"},{"from":"c","to":"l"},{"from":"l","to":"o"}]}`), "model", graph.LocalLimits)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	got := Check(infer.Walk(g), &Request{Command: "vllm serve m", GPU: hardware.Lookup("H100"), GPUs: 1}).Judged
	for _, id := range []string{"mem-weights", "tp-heads", "world-gpus"} {
		if slices.Contains(got, id) {
			t.Errorf("a custom module hides the model, and %s is judged", id)
		}
	}
}
