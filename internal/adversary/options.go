package adversary

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/internal/solve"
)

// option is a member of a request beside its model.
type option struct {
	name string
	draw func(d *draw, size int) string
}

var anything = func(d *draw, size int) string { return d.value(size) }

// options are those of each action.
var options = map[string][]option{
	"check": {{"data", data}, {"layout", layout}, {"serve", serve}, {"policy", policy}, {"other", anything}},
	"lint":  {{"policy", policy}, {"other", anything}},
	"plan": {{"policy", policy}, {"training", training}, {"inference", inference}, {"source", source}, {"seq_len", number}, {"attention", func(d *draw, size int) string { return quote(pick(d, "sdpa", "flash", "eager")) }}, {"other", anything},
		{"share", func(*draw, int) string { return "true" }}},
	"rank": {{"policy", policy}, {"tieBreak", func(d *draw, size int) string { return pick(d, `"cost"`, `"params"`, d.value(size)) }}, {"other", anything}},
}

func number(d *draw, _ int) string {
	return pick(d, "1", "2", "3", "8", "64", "1000", "2048", "99991", "1000000", "2147483647", "9007199254740992", "9223372036854775807")
}

// some writes some of the members of an object.
func (d *draw) some(size int, members ...option) string {
	return d.all(size, slices.DeleteFunc(members, func(option) bool { return d.chance(2) })...)
}

// all writes members of an object, and seldom one that nobody knows.
func (d *draw) all(size int, members ...option) string {
	var out []string
	for _, m := range members {
		out = append(out, fmt.Sprintf("%q:%s", m.name, m.draw(d, size/len(members))))
	}
	if d.chance(30) {
		out = append(out, quote(d.word(size/2))+":1")
	}
	return "{" + strings.Join(out, ",") + "}"
}

func data(d *draw, size int) string {
	return d.some(size, option{"seq_len", number}, option{"tokenizer_size", number}, option{"num_labels", number}, option{"channels", number}, option{"features", number},
		option{"samples", number}, option{"image_size", func(d *draw, _ int) string { return fmt.Sprintf("[%s,%s]", number(d, 0), number(d, 0)) }},
		option{"class_counts", func(d *draw, size int) string {
			return list(size/7, func(i int) string { return strconv.Itoa(i % 99991) })
		}})
}

func layout(d *draw, size int) string {
	var members []option
	for _, name := range []string{"tp", "pp", "dp", "cp", "ep", "vpp", "micro_batch", "etp", "zero", "global_batch", "seq_len", "first_stage_layers", "last_stage_layers"} {
		members = append(members, option{name, number})
	}
	words := func(w ...string) func(*draw, int) string {
		return func(d *draw, size int) string { return pick(d, append(w, quote(d.word(size)))...) }
	}
	return d.some(size, append(members, option{"framework", words(`"megatron"`, `"deepspeed"`, `"torchtitan"`)}, option{"gpu", words(`"H100"`, `"T4"`)},
		option{"recompute", words(`"full"`, `"selective"`, `"none"`)})...)
}

func training(d *draw, size int) string {
	words := func(w ...string) func(*draw, int) string {
		return func(d *draw, size int) string {
			if d.chance(8) {
				return d.value(size)
			}
			return quote(pick(d, w...))
		}
	}
	yes := func(*draw, int) string { return "true" }
	small := func(d *draw, size int) string { return pick(d, "1", "2", "8", "64", number(d, size)) }
	members := []option{{"batch", small}, {"epochs", small}, {"samples", number}, {"precision", words(estimate.Precisions...)}, {"optimizer", words(estimate.Optimizers...)},
		{"checkpointing", yes}, {"microBatch", small}, {"fusedLoss", yes}, {"dropout", yes}, {"expandableSegments", yes}, {"autocast", yes},
		{"objective", words(estimate.Objectives...)}, {"quantized", words(estimate.Bases...)}, {"frozen", globs}, {"lora", lora},
		{"gpus", small}, {"shard", words(estimate.Shardings...)}, {"offload", words(estimate.Offloads...)}}
	d.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	members = members[:d.IntN(5)] // most of them with most others are refused
	if d.chance(2) {
		return d.all(size/8, append(members, option{"gpu", words("T4", "H100", "A100")}, option{"solve", words(solve.Questions...)})...)
	}
	return d.all(size/8, members...)
}

// globs draws patterns of components' names, as many as may be there.
func globs(d *draw, size int) string {
	return list(d.IntN(estimate.MaxPatterns+2), func(int) string {
		return quote(pick(d, "*", "n1*", "*.*", strings.Repeat("*a", min(size, 1000)/2), strings.Repeat("?", min(size, 300)), d.word(min(size, 64))))
	})
}

func lora(d *draw, size int) string {
	return d.all(size, option{"rank", func(d *draw, _ int) string { return pick(d, "1", "8", number(d, 0)) }},
		option{"targets", func(d *draw, size int) string { return pick(d, `["all-linear"]`, `["n1"]`, globs(d, size)) }})
}

// inference draws how the trained model is used.
func inference(d *draw, size int) string {
	return d.some(size, option{"batch", number}, option{"prompt", number}, option{"generated", number},
		option{"precision", func(d *draw, _ int) string { return quote(pick(d, estimate.InferPrecisions...)) }})
}

func source(d *draw, size int) string {
	word := func(d *draw, size int) string { return quote(d.word(pick(d, size, 250))) }
	return d.some(size, option{"kind", word}, option{"target", word}, option{"input", func(d *draw, size int) string {
		return quote(strings.Repeat("1x", pick(d, 3, 140, size/2)) + "1:float32")
	}})
}

// policy draws lines, most of which are sensible in form.
func policy(d *draw, size int) string {
	types := func(d *draw, size int) string {
		all := Types()
		return list(size/24, func(i int) string { return quote(all[i%len(all)]) })
	}
	return d.some(size, option{"max_params", func(d *draw, size int) string {
		return quote(pick(d, "1K", "200M", "7B", pick(d, d.word(size), strings.Repeat("9", size))))
	}},
		option{"must_fit", func(d *draw, size int) string { return quote(pick(d, "T4", "H100", "A100", d.word(size))) }},
		option{"forbid_types", types}, option{"require_types", types}, option{"max_layers", number}, option{"max_memory_gb", number}, option{"max_cost_usd", number},
		option{"severity", func(d *draw, size int) string {
			var out []string
			for _, r := range rules.Rules() {
				if d.chance(3) && len(out) < 1000 {
					out = append(out, quote(r.ID)+":"+quote("block"))
				}
			}
			return "{" + strings.Join(out, ",") + "}"
		}})
}

// launches begin launch commands.
var launches = []string{
	"vllm serve m ", "python3 -m vllm.entrypoints.openai.api_server --model m ", "python -m sglang.launch_server --model-path m ", "trtllm-serve m ", "text-generation-launcher --model-id m ",
	"llama-server -m m.gguf ", "docker run --gpus all vllm/vllm-openai:latest --model m ", "kubectl run x -- vllm serve m ", "",
}

// flags are repeated in launch commands.
var flags = []string{
	"--tensor-parallel-size 3 ", "--tensor-parallel-size=2 ", "-tp 2 ", "--max-model-len 4096 ", "--made-up-flag x ", "--gpu-memory-utilization 0.5 ", "-e A=b ", "A=$A ", "$A ", "${A:-b} ", "$(x) ",
	"\\\n", "'a b' ", "\"a\" ", "&& vllm serve m ", "; ", "| ", "--a.b.c=1 ", "--hf-overrides '{\"a\":1}' ", "--speculative-config '{\"num_speculative_tokens\":3}' ", "# x\n", "<<E\n", "--port ", "-", "--",
	"--no-enable-prefix-caching ", "--lora-modules a=b ", "--quantization fp8 ", "--dtype half ", "{a,b} ", "~ ", "* ", "if true; then ", "\u00a0",
}

// abbreviations are read by looking for what they could stand for.
var abbreviations = []string{"-qa ", "-tp1 ", "--ab ", "--t ", "--no-e "}

func serve(d *draw, size int) string {
	command := pick(d, launches...)
	for d.chance(2) {
		command += d.word(pick(d, 1, size/4))
	}
	if d.chance(8) {
		command += pick(d, "$", "${", "$(", "`", "A=", "--") + strings.Repeat("a", max(1, size/pick(d, 2, 16, 256)))
	}
	parts := 1 + d.IntN(4)
	for range parts {
		f := pick(d, slices.Concat(flags, abbreviations)...)
		command += strings.Repeat(f, max(1, size/parts/len(f)/pick(d, 1, 1, 64)))
	}
	out := `{"command":` + quote(command) + `,"gpu":"H100"`
	switch d.IntN(4) {
	case 0:
		out += `,"gpus":` + number(d, 0)
	case 1:
		out += `,"engine_version":` + quote(pick(d, "0.6.0", d.word(min(size/2, 1<<d.IntN(20)))))
	}
	return out + "}"
}

// configs are what an importer keeps of a config.json, grown to a size.
var configs = []func(size int) string{
	func(size int) string {
		return `{"architectures":` + list(size/8, func(i int) string { return fmt.Sprintf(`"A%d"`, i%1000) }) + `,"model_type":"llama","num_hidden_layers":1000000,"num_attention_heads":64,"hidden_size":8192}`
	},
	func(size int) string {
		return `{"model_type":"llama","num_hidden_layers":9007199254740992,"hidden_size":4096,"num_attention_heads":32,"num_key_value_heads":7,"layer_types":` +
			list(size/20, func(i int) string { return `"sliding_attention"` }) + `}`
	},
	func(size int) string {
		return `{"model_type":` + quote(strings.Repeat("a", size/2)) + `,"torch_dtype":` + quote(strings.Repeat("b", size/2)) + `,"num_hidden_layers":32,"num_attention_heads":32,"hidden_size":64}`
	},
	func(size int) string {
		return `{"model_type":"mixtral","quantization_config":{"quant_method":"fp8","modules_to_not_convert":` + list(size/12, func(i int) string { return `"lm_head"` }) +
			`},"rope_scaling":{"rope_type":"yarn","factor":4,"short_factor":` + list(size/24, func(i int) string { return "1.0" }) + `},"num_hidden_layers":32,"num_attention_heads":32,"hidden_size":4096,"vocab_size":1000000007}`
	},
	func(size int) string {
		return `{"text_config":` + strings.Repeat(`{"text_config":`, 40) + `{"hidden_size":64}` + strings.Repeat("}", 40) + `,"x":` + list(size/2, func(int) string { return "1" }) + `}`
	},
}
