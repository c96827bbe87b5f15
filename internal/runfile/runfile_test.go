package runfile

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the goldens anew")

// beside opens a file that an example names.
func beside(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join("testdata", filepath.Base(name)))
}

func examples(t testing.TB) (out []string) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f, ".golden") {
			out = append(out, f)
		}
	}
	return out
}

// Each example is written from a trainer's documentation, and has what was read beside it.
func TestExamplesAreReadWithEveryKeyAccountedFor(t *testing.T) {
	seen := map[string]int{}
	for _, file := range examples(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		report, err := Parse(name, data, Options{Open: beside})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		seen[report.Run.Trainer]++
		if !strings.HasPrefix(name, report.Run.Trainer) {
			t.Errorf("%s was taken for a file of %s", name, report.Run.Trainer)
		}
		top, _, _ := parse(name, data)
		for _, leaf := range leaves(&top, nil) {
			if !slices.ContainsFunc(report.Keys, func(k Key) bool { return k.File == "" && within(leaf, k.Path) }) {
				t.Errorf("%s: %s is not accounted for", name, leaf)
			}
		}
		for _, k := range report.Keys {
			if k.Use == Unknown {
				t.Errorf("%s: %s is unknown", name, k.Path)
			}
		}
		compare(t, file+".golden", report)
	}
	for _, id := range Trainers() {
		if want := 2; id != "transformers" && seen[id] < want {
			t.Errorf("%d examples of %s, want %d", seen[id], id, want)
		}
	}
}

func compare(t *testing.T, golden string, report *Report) {
	t.Helper()
	got, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s differs from what is read; -update writes it anew (%v)", golden, err)
	}
}

// leaves are the paths of all values that hold no others.
func leaves(v *value, out []string) []string {
	for i := range v.members {
		m := &v.members[i].value
		if m.kind == mapping && len(m.members) > 0 {
			out = leaves(m, out)
		} else {
			out = append(out, m.path)
		}
	}
	return out
}

func within(leaf, key string) bool {
	return leaf == key || strings.HasPrefix(leaf, key+".") || strings.HasPrefix(leaf, key+"[")
}

const trlPacks = "model_name_or_path: m\ndataset_name: d\npacking: true\n"

// Packing that keeps samples apart is no finding.
func TestPackingThatKeepsSamplesApartIsSilent(t *testing.T) {
	for _, c := range [][2]string{
		{"a.yml", axolotlBase + "sample_packing: true\nsdp_attention: true"},
		{"a.yml", axolotlBase + "sample_packing: true\nflash_attention: true"},
		{"t.yaml", trlPacks + "attn_implementation: flash_attention_2"},
		{"t.yaml", trlPacks + "packing_strategy: bfd\nattn_implementation: flash_attention_3"},
		{"l.yaml", "model_name_or_path: m\nstage: sft\nneat_packing: true\nflash_attn: sdpa"},
		{"l.yaml", "model_name_or_path: m\nstage: pt\npacking: true\nflash_attn: sdpa"},
	} {
		report, err := Parse(c[0], []byte(c[1]), Options{})
		if err != nil {
			t.Errorf("%s: %v", c[1], err)
			continue
		}
		for _, f := range report.Findings {
			if f.Rule == rulePacking {
				t.Errorf("%s: %s", c[1], f.Message)
			}
		}
	}
}

const axolotlBase = "base_model: m\nmicro_batch_size: 2\nsequence_len: 512\n"

// Mistakes that people make: what is found, and where.
func TestMistakesAreFound(t *testing.T) {
	for _, c := range []struct {
		name, text string
		rule, path string
		message    string // a part of it
	}{
		{"a.yml", axolotlBase + "gradient_acumulation_steps: 4", ruleUnknownKey, "gradient_acumulation_steps", "no key of axolotl"},
		{"a.yml", axolotlBase + "bf16: true\nfp16: true", ruleContradiction, "fp16", "bf16 asks for bfloat16 and fp16 for float16"},
		{"a.yml", axolotlBase + "load_in_4bit: true", ruleQuantised, "load_in_4bit", "4 bits"},
		{"a.yml", axolotlBase + "load_in_4bit: true\nload_in_8bit: true\nadapter: lora\nlora_r: 8\nlora_target_linear: true", ruleContradiction, "load_in_8bit", "load_in_4bit is 4"},
		{"a.yml", axolotlBase + "adapter: qlora\nlora_r: 8\nlora_target_linear: true", ruleContradiction, "adapter", "load_in_4bit is not true"},
		{"a.yml", axolotlBase + "adapter: lora\nlora_r: 8", ruleContradiction, "adapter", "neither lora_target_modules nor lora_target_linear"},
		{"a.yml", axolotlBase + "adapter: lora\nlora_r: 8\nlora_target_modules: []", ruleContradiction, "lora_target_modules", "no target"},
		{"a.yml", axolotlBase + "lora_r: 8", ruleIneffective, "lora_r", "every weight is"},
		{"a.yml", axolotlBase + "batch_size: 8\ngradient_accumulation_steps: 4", ruleContradiction, "batch_size", "both given"},
		{"a.yml", axolotlBase + "deepspeed: {zero_optimization: {stage: 3}}\nfsdp_config: {offload_params: true}", ruleContradiction, "fsdp_config", "a run has one of them"},
		{"a.yml", axolotlBase + "deepspeed: nowhere/zero3.json", ruleNotRead, "deepspeed", "nowhere/zero3.json"},
		{"a.yml", axolotlBase + "rl: dpo\nsample_packing: true", rulePacking, "sample_packing", "dpo does not take"},
		{"a.yml", axolotlBase + "sample_packing: true\neager_attention: true", rulePacking, "eager_attention", "axolotl does not keep them apart"},
		{"t.yaml", trlPacks + "attn_implementation: sdpa", rulePacking, "attn_implementation", "by a mask of all pairs of positions"},
		{"t.yaml", trlPacks + "packing_strategy: wrapped\nattn_implementation: flash_attention_2", rulePacking, "packing", "with every attention"},
		{"l.yaml", "model_name_or_path: m\nstage: sft\npacking: true\nflash_attn: fa2", rulePacking, "packing", "without neat_packing they see each other"},
		{"a.yml", axolotlBase + "flash_attention: true\neager_attention: true", ruleContradiction, "eager_attention", "flash_attention"},
		{"a.yml", axolotlBase + "optimizer: adamw_torch_fuse", ruleOptimizer, "optimizer", "not known"},
		{"a.yml", axolotlBase + "world_size: 6\ntensor_parallel_size: 4", ruleWorld, "world_size", "does not divide"},
		{"a.yml", axolotlBase + "rl: grpo\ntrl: {num_generations: 1}", ruleGroup, "trl.num_generations", "at least 2"},
		{"d.json", `{"train_batch_size": 100, "train_micro_batch_size_per_gpu": 8}`, ruleBatch, "train_batch_size", "does not divide"},
		{"d.json", `{"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}}`, ruleAuto, "train_micro_batch_size_per_gpu", "auto"},
		{"d.json", `{"train_batch_size": 8, "zero_optimization": {"stage": 2, "offload_param": {"device": "cpu"}}}`, ruleContradiction, "zero_optimization.offload_param.device", "from stage 3 on"},
		{"d.json", `{"train_batch_size": 8, "bf16": {"enabled": true}, "fp16": {"enabled": true}}`, ruleContradiction, "fp16.enabled", "a run has one of them"},
		{"d.json", `{"train_batch_size": 8, "zero_optimisation": {"stage": 2}}`, ruleUnknownKey, "zero_optimisation", "no key"},
		{"l.yaml", "model_name_or_path: m\nfinetuning_type: full\nquantization_bit: 4\nstage: sft", ruleQuantised, "quantization_bit", "no adapter"},
		{"l.yaml", "model_name_or_path: m\nstage: sft\ncutoff_length: 2048", ruleUnknownKey, "cutoff_length", "no key"},
		{"l.yaml", "model_name_or_path: m\nstage: sft\nper_device_train_batch_size: 2\ndeepspeed: {train_micro_batch_size_per_gpu: 4}", ruleContradiction, "deepspeed.train_micro_batch_size_per_gpu", "is 2 but"},
		{"t.yaml", "model_name_or_path: m\nuse_peft: false\nload_in_4bit: true\npacking: false", ruleQuantised, "load_in_4bit", "4 bits"},
		{"t.yaml", "model_name_or_path: m\ndataset_name: d\npacking: true\nnum_generations: 8", ruleContradiction, "num_generations", "of grpo"},
		{"t.yaml", "model_name_or_path: m\ndataset_name: d", ruleAssumed, "", "sft is taken"},
		{"t.toml", "[model]\nname = \"llama3\"\n[training]\nlocal_batch_size = 3\nglobal_batch_size = 64\n[parallelism]\ndata_parallel_shard_degree = 8\n[job]\n", ruleBatch, "training.global_batch_size", "does not divide"},
		{"c.yaml", "distributed_type: MULTI_GPU\nnum_processes: 4\nfsdp_config: {fsdp_version: 2}", ruleContradiction, "fsdp_config", "distributed_type is MULTI_GPU"},
		{"c.yaml", "distributed_type: MULTI_GPU\nnum_proceses: 4", ruleUnknownKey, "num_proceses", "no key"},
	} {
		report, err := Parse(c.name, []byte(c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if !slices.ContainsFunc(report.Findings, func(f Finding) bool {
			return f.Rule == c.rule && f.Path == c.path && strings.Contains(f.Message, c.message)
		}) {
			t.Errorf("%s: wants %s at %s (%s), has %+v", c.text, c.rule, c.path, c.message, report.Findings)
		}
	}
}

// What cannot be read says where, what stands there, and what is allowed.
func TestWrongFilesSayWhatIsAllowed(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.yml", "", "is empty"},
		{"a.yml", "- 1\n- 2", "no keys and values"},
		{"a.yml", "colour: red", "no key of a trainer that is known"},
		{"a.yml", axolotlBase + "gradient_accumulation_steps: four", `a.yml:4: gradient_accumulation_steps is "four" but takes a whole number`},
		{"a.yml", axolotlBase + "gradient_accumulation_steps: 0", "is 0 but must be at least 1"},
		{"a.yml", axolotlBase + "sample_packing: 3", "sample_packing is 3 but takes true or false"},
		{"a.yml", axolotlBase + "adapter: qlorra", "did you mean qlora?"},
		{"a.yml", axolotlBase + "fsdp_version: 3", "takes 1 or 2"},
		{"a.yml", axolotlBase + "lora_target_modules: [q_proj, 3]", "lora_target_modules[1] is 3 but must be text"},
		{"a.yml", axolotlBase + "micro_batch_size: 4", "already defined"},
		{"a.yml", axolotlBase + "datasets: *gone", "no anchor above"},
		{"a.yml", axolotlBase + "seed: !!str 3", "tag"},
		{"a.yml", axolotlBase + "a: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), "deeper than 32"},
		{"a.yml", "micro_batch_size: 2\nsequence_len: 3", "has no base_model"},
		{"d.json", `{"train_batch_size": 8, "train_batch_size": 9}`, "duplicate"},
		{"d.json", `{"train_batch_size": "eight"}`, `takes a whole number or "auto"`},
		{"d.json", `{"train_batch_size": 8, "zero_optimization": {"stage": 4}}`, "zero_optimization.stage is 4 but takes 0, 1, 2 or 3"},
		{"d.json", `{"zero_optimization": {"stage": 1}}`, "neither train_batch_size nor"},
		{"d.json", `{"train_batch_size": 8} x`, "follows"},
		{"d.json", `{"zero_optimization": 3, "train_batch_size": 8}`, "zero_optimization is 3 but takes a mapping"},
		{"t.toml", "[model]\nname = llama3", "text stands in quotes"},
		{"t.toml", "[model]\nname = \"a\"\nname = \"b\"", "twice"},
		{"t.toml", "[[job]]", "lists of tables"},
		{"t.toml", "[job]\n[model]\nname = 'llama3'\n[activation_checkpoint]\nmode = 'ful'", "did you mean full?"},
		{"c.yaml", "num_processes: 4\nmixed_precision: bf16", "has no distributed_type"},
		{"c.yaml", "distributed_type: FSDPP\nnum_processes: 4", "did you mean FSDP?"},
		{"run.sh", "trl sft --max_length 'x", "not closed"},
		{"run.sh", "trl sft stray --max_length 12", "belongs to no flag"},
		{"run.sh", "trl fly --max_length 12", "read for sft"},
		{"l.yaml", "model_name_or_path: m\nbf16: true", "could be a file of llamafactory or trl"},
	} {
		if _, err := Parse(c.name, []byte(c.text), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestACommandIsReadAsAFileIs(t *testing.T) {
	file, err := Parse("t.yaml", []byte("model_name_or_path: m\ndataset_name: d\npacking: true\nmax_length: 256\nlora_target_modules: [q_proj, v_proj]\nuse_peft: true"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	line, err := Parse("t.sh", []byte("trl sft --model_name_or_path m --dataset-name=d --packing --max_length \"256\" \\\n --lora_target_modules q_proj v_proj --use_peft true\necho done"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := file.Run, line.Run
	if a.Objective.Value != b.Objective.Value || a.SequenceLength.Value != b.SequenceLength.Value || !slices.Equal(a.LoRA.Targets.Value, b.LoRA.Targets.Value) || b.Method.Value != "lora" {
		t.Errorf("file %+v, line %+v", a, b)
	}
}

func TestMergedKeysGiveWay(t *testing.T) {
	r, err := Parse("a.yml", []byte("base_model: m\nx: &x {sequence_len: 100, micro_batch_size: 7}\n<<: *x\nmicro_batch_size: 3"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Run.MicroBatch.Value != 3 || r.Run.SequenceLength.Value != 100 {
		t.Errorf("micro-batch %d, length %d", r.Run.MicroBatch.Value, r.Run.SequenceLength.Value)
	}
}

// Whatever is read, nothing panics, and every key of the top is accounted for.
func fuzz(f *testing.F, ends ...string) {
	for _, file := range examples(f) {
		if slices.Contains(ends, filepath.Ext(file)) {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		report, err := Parse("f"+ends[0], []byte(text), Options{Open: beside})
		if err != nil {
			return
		}
		top, _, _ := parse("f"+ends[0], []byte(text))
		for i := range top.members {
			m := &top.members[i]
			if !slices.ContainsFunc(report.Keys, func(k Key) bool { return within(k.Path, m.path) }) && (m.kind != mapping || len(m.members) > 0) {
				t.Errorf("%q is not accounted for", m.path)
			}
		}
		if _, err := json.Marshal(report); err != nil {
			t.Error(err)
		}
	})
}

func FuzzYAML(f *testing.F)    { fuzz(f, ".yaml", ".yml") }
func FuzzJSON(f *testing.F)    { fuzz(f, ".json") }
func FuzzTOML(f *testing.F)    { fuzz(f, ".toml") }
func FuzzCommand(f *testing.F) { fuzz(f, ".sh") }
