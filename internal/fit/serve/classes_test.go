package serve

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
)

// launchCase is a command that does not start, and the rule that says so.
type launchCase struct {
	model, gpu string
	gpus       int64
	version    string
	command    string
	rule       string
	warns      bool // an estimate, or what only fails in some places: the rule warns
}

// startupClasses are the ways in which launches break in practice, as they are met in the engines' issues. Each that command, model
// and card decide is caught on at least two models; the others say why they cannot be.
var startupClasses = []struct {
	class     string
	undecided string // why it cannot be told from command, model and card
	cases     []launchCase
}{
	{"1 the cache of one sequence of full length does not fit", "", []launchCase{
		{"llama-3.1-8b", "L4", 1, "", "vllm serve m", "mem-kv-one-seq", false},
		{"phi-3-mini-128k", "A10G", 1, "", "vllm serve m --max-model-len 131072", "mem-kv-one-seq", false},
	}},
	{"2 the heads do not divide among the cards", "", []launchCase{
		{"llama-3.1-8b", "H100", 8, "", "vllm serve m --tensor-parallel-size 3", "tp-heads", false},
		{"qwen2.5-7b", "H100", 8, "", "python -m sglang.launch_server --model-path m --tp 8", "tp-heads", false},
		{"falcon-7b", "H100", 2, "", "text-generation-launcher --model-id m --num-shard 2", "tp-heads", false},
		{"gpt2", "H100", 8, "", "trtllm-serve m --tp_size 8", "tp-heads", false},
	}},
	{"3 the root cause stands somewhere above in the log", "it is a message, not a cause: the other rules name the cause", nil},
	{"4 the context is longer than the model's", "", []launchCase{
		{"qwen2.5-7b", "H100", 1, "", "vllm serve m --max-model-len 131072", "max-len-derived", false},
		{"gpt2", "H100", 1, "", "vllm serve m --max-model-len 2048", "max-len-derived", false},
		{"llama-2-7b", "H100", 1, "", "python -m sglang.launch_server --model-path m --context-length 8192", "max-len-derived", false},
	}},
	{"5 less memory is free at the start than asked for", "another process on the card is not in the command; only a share that no idle card leaves is warned of", []launchCase{
		{"llama-3.1-8b", "H100", 1, "", "vllm serve m --gpu-memory-utilization 0.99", "mem-util-free", true},
		{"qwen3-8b", "H100", 1, "", "vllm serve m --gpu-memory-utilization 1.0", "mem-util-free", true},
	}},
	{"6 the weights do not fit", "", []launchCase{
		{"llama-3.1-70b", "H100", 8, "", "vllm serve m --max-model-len 8192", "mem-weights", false},
		{"qwen2.5-72b", "H100", 8, "", "python -m sglang.launch_server --model-path m", "mem-weights", false},
		{"mixtral-8x7b", "H100", 8, "", "trtllm-serve m", "mem-weights", false},
	}},
	{"7 memory runs out while graphs are captured", "", []launchCase{
		{"llama-3.1-8b", "H100", 1, "", "python -m sglang.launch_server --model-path m --mem-fraction-static 0.985", "mem-prefill", true},
		{"qwen3-8b", "H100", 1, "", "python -m sglang.launch_server --model-path m --mem-fraction-static 0.985", "mem-prefill", true},
		{"llama-3.1-8b", "H100", 1, "0.19.1", "vllm serve m --gpu-memory-utilization 0.96", "mem-graphs", true},
	}},
	{"8 SGLang has not enough memory by its share", "", []launchCase{
		{"llama-3.1-8b", "H100", 1, "", "python -m sglang.launch_server --model-path m --mem-fraction-static 0.1", "mem-weights", false},
		{"qwen2.5-7b", "L40S", 1, "", "python -m sglang.launch_server --model-path m --mem-fraction-static 0.2", "mem-weights", false},
	}},
	{"9 blocks of 8-bit floats do not divide among the cards", "", []launchCase{
		{"qwen3-30b-a3b-fp8", "H100", 8, "", "vllm serve m --tensor-parallel-size 4 --max-model-len 8192", "quant-fp8-block-tp", false},
		{"deepseek-v3", "H200", 32, "", "vllm serve m --tensor-parallel-size 32 --max-model-len 8192", "quant-fp8-block-tp", false},
		{"qwen3-30b-a3b-fp8", "H100", 8, "", "python -m sglang.launch_server --model-path m --tp 4", "quant-fp8-block-tp", false},
	}},
	{"10 groups of a quantisation do not divide among the cards", "", []launchCase{
		{"qwen2.5-72b-gptq", "H100", 8, "", "vllm serve m --tensor-parallel-size 8 --max-model-len 8192", "quant-group-tp", false},
		{"llama-2-7b-awq", "H100", 8, "", "vllm serve m --tensor-parallel-size 4", "quant-group-tp", false},
	}},
	{"11 the card has no bfloat16", "", []launchCase{
		{"llama-3.2-1b", "T4", 1, "", "vllm serve m --dtype bfloat16 --max-model-len 4096", "bf16-sm80", false},
		{"qwen2.5-0.5b", "V100", 1, "", "vllm serve m --dtype bfloat16 --max-model-len 4096", "bf16-sm80", false},
	}},
	{"12 flags that are gone, renamed or repeated", "", []launchCase{
		{"llama-3.1-8b", "H100", 1, "", "vllm serve m --swap-space 4", "flag-removed", false},
		{"qwen3-8b", "H100", 1, "", "vllm serve m --enable-reasoning --reasoning-parser qwen3", "flag-removed", false},
		{"qwen3-8b", "H100", 1, "", "python -m sglang.launch_server --model-path m --gpu-memory-utilization 0.8", "flag-wrong-engine", false},
		{"llama-3.1-8b", "H100", 1, "", "docker run --gpus all --ipc=host vllm/vllm-openai:v0.12.0 vllm serve m", "docker-entrypoint-mismatch", false},
		{"llama-3.1-8b", "H100", 1, "0.10.2", "vllm serve --model m", "serve-model-flag", false},
	}},
	{"13 the architecture is not there, or its code is not trusted", "whether the installed transformers can take its place is not in the command: it warns", []launchCase{
		{"custom-a", "H100", 1, "", "vllm serve m", "remote-code", true},
		{"custom-b", "H100", 1, "", "python -m sglang.launch_server --model-path m", "remote-code", true},
	}},
	{"14 the adapter's rank is above the limit", "", []launchCase{
		{"llama-3.1-8b", "H100", 1, "", "vllm serve m --enable-lora --lora-modules sql=/a/sql", "lora-rank-adapter", false},
		{"qwen3-8b", "H100", 1, "", "vllm serve m --enable-lora --lora-modules sql=/a/odd", "lora-rank-adapter", false},
	}},
	{"15 the quantisation is another, gone, or too young for the card", "", []launchCase{
		{"llama-2-7b-awq", "H100", 1, "", "vllm serve m --quantization gptq", "quant-mismatch", false},
		{"qwen2.5-72b-gptq", "H100", 1, "", "python -m sglang.launch_server --model-path m --quantization awq --context-length 4096", "quant-mismatch", false},
		{"llama-3.1-8b", "H100", 1, "", "vllm serve m --quantization gguf", "quant-unknown", false},
		{"llama-3.1-8b", "T4", 1, "", "python -m sglang.launch_server --model-path m --quantization fp8 --context-length 4096", "quant-capability", false},
	}},
	{"16 Text Generation Inference cannot hold its longest sequence", "", []launchCase{
		{"llama-3.1-8b", "L4", 1, "", "text-generation-launcher --model-id m --max-total-tokens 131072", "mem-kv-one-seq", false},
		{"phi-3-mini-128k", "A10G", 1, "", "text-generation-launcher --model-id m --max-total-tokens 131072", "mem-kv-one-seq", false},
	}},
	{"17 more ranks than cards", "", []launchCase{
		{"llama-3.1-8b", "H100", 4, "", "vllm serve m --tensor-parallel-size 8", "world-gpus", false},
		{"qwen2.5-7b", "H100", 8, "", "CUDA_VISIBLE_DEVICES=0,1 vllm serve m --tensor-parallel-size 4", "world-gpus", false},
		{"llama-3.1-70b", "H100", 8, "", `docker run --gpus '"device=0,1"' --ipc=host vllm/vllm-openai:v0.12.0 --model m --tensor-parallel-size 4 --max-model-len 8192`, "world-gpus", false},
		{"llama-3.1-8b", "H100", 2, "", "python -m sglang.launch_server --model-path m --tp 4", "world-gpus", false},
		{"qwen2.5-7b", "H100", 2, "", "text-generation-launcher --model-id m --num-shard 4 --max-total-tokens 4096", "world-gpus", false},
	}},
	{"18 experts do not divide among the cards", "", []launchCase{
		{"mixtral-8x7b", "H100", 12, "", "vllm serve m -tp 4 -dp 3 --enable-expert-parallel --enable-eplb --max-model-len 8192", "ep-divides", false},
		{"qwen3-30b-a3b", "H100", 12, "", "vllm serve m -tp 4 -dp 3 --enable-expert-parallel --enable-eplb --max-model-len 8192", "ep-divides", false},
		{"llama-3.1-8b", "H100", 2, "", "vllm serve m -tp 2 --enable-expert-parallel", "ep-needs-moe", false},
	}},
	{"19 the type of the cache or the backend does not go with the card", "", []launchCase{
		{"llama-3.2-1b", "T4", 1, "", "vllm serve m --kv-cache-dtype fp8 --max-model-len 4096", "kv-fp8-sm89", false},
		{"qwen2.5-0.5b", "T4", 1, "", "vllm serve m --attention-backend FLASH_ATTN --max-model-len 4096", "attn-backend", false},
		{"llama-3.1-8b", "H100", 1, "", "python -m sglang.launch_server --model-path m --kv-cache-dtype nvfp4", "kv-nvfp4", false},
	}},
	{"20 processes do not find each other, tokens and ports", "networks, tokens and ports in use are not in the command; only the little shared memory of a container is warned of", []launchCase{
		{"llama-3.1-8b", "H100", 2, "", "docker run --gpus all vllm/vllm-openai:v0.12.0 --model m --tensor-parallel-size 2", "docker-shm", true},
		{"qwen2.5-7b", "H100", 2, "", "docker run --gpus all ghcr.io/huggingface/text-generation-inference:3.3.5 --model-id m --num-shard 2 --max-total-tokens 4096", "docker-shm", true},
	}},
}

// customModel is a model of an architecture that no engine has, with code of its own.
func customModel(t *testing.T, name string) *infer.Result {
	t.Helper()
	if !strings.HasPrefix(name, "custom-") {
		return modelOf(t, name)
	}
	width := map[string]string{"custom-a": "1024", "custom-b": "2048"}[name]
	m, err := hf.Import([]byte(`{"model_type":"llama","architectures":["LlamaForCausalLM"],"hidden_size":`+width+`,"intermediate_size":4096,"num_hidden_layers":4,"num_attention_heads":16,"num_key_value_heads":16,
		"vocab_size":32000,"max_position_embeddings":2048,"torch_dtype":"bfloat16"}`), hf.Options{SeqLen: 64})
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Graph.Extra {
		m.Graph.Extra[i].Raw = strings.Replace(m.Graph.Extra[i].Raw, `"LlamaForCausalLM"`, `"HouseForCausalLM"`, 1)
		m.Graph.Extra[i].Raw = strings.Replace(m.Graph.Extra[i].Raw, `{`, `{"auto_map":{"AutoModelForCausalLM":"modeling_house.HouseForCausalLM"},`, 1)
	}
	m.Graph.Normalize(catalog.Vocabulary)
	return infer.Walk(m.Graph)
}

// uncertain are the rules of which no change of the command certainly repairs anything, and why.
var uncertain = map[string]string{
	"remote-code":      "with the model's code trusted it still depends on what that code is",
	"quant-capability": "another card, or other weights, is no change of the command",
}

// findingOf returns the finding of a rule.
func findingOf(res *Result, rule string) *Finding {
	for i := range res.Findings {
		if res.Findings[i].Rule == rule {
			return &res.Findings[i]
		}
	}
	return nil
}

func TestStartUpFailuresAreCaughtAndRepaired(t *testing.T) {
	if len(startupClasses) != 20 {
		t.Errorf("%d classes, 20 are known", len(startupClasses))
	}
	for _, class := range startupClasses {
		seen := map[string]bool{}
		for _, c := range class.cases {
			seen[c.model] = true
			caught(t, class.class, c)
		}
		if len(seen) < 2 && class.undecided == "" {
			t.Errorf("%s: is tried on %d models", class.class, len(seen))
		}
		if class.undecided != "" {
			t.Logf("%s: %s", class.class, class.undecided)
		}
	}
}

// caught checks that a rule speaks, and that it is silent when its fix is applied.
func caught(t *testing.T, class string, c launchCase) {
	t.Helper()
	q := &Request{Command: c.command, GPU: hardware.Lookup(c.gpu), GPUs: c.gpus, EngineVersion: c.version,
		Files: []File{{"/a/sql/adapter_config.json", `{"r":64}`}, {"/a/odd/adapter_config.json", `{"r":24}`}}}
	if q.GPU == nil {
		t.Fatalf("no card %s", c.gpu)
	}
	model := customModel(t, c.model)
	first, err := read(q.Command, q.EngineVersion)
	if err != nil {
		t.Fatal(err)
	}
	res := Check(model, q)
	f := findingOf(res, c.rule)
	if f == nil || f.Severity == Block == c.warns {
		t.Errorf("%s: %s: %s does not speak\n%s", class, c.command, c.rule, explain(res))
		return
	}
	if f.Fix == "" {
		if uncertain[c.rule] == "" {
			t.Errorf("%s: %s: %s has no fix", class, c.command, c.rule)
		}
		return
	}
	l := check(model, q, first, nil)
	for _, r := range l.remedies {
		if r.String() != f.Fix {
			continue
		}
		for _, change := range r {
			again := check(model, q, l.origin.with(change, q.EngineVersion), nil).out
			if findingOf(again, c.rule) != nil || len(blocking(again)) > 0 {
				t.Errorf("%s: %s: %q gives %s, on which there is\n%s", class, c.command, f.Fix, again.Command, explain(again))
			}
		}
	}
}
