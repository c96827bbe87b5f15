package serve

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/hardware"
)

// settled is what a command means, apart from how it is written.
func settled(c *command) []string {
	out := []string{c.engine.id, c.version.text}
	for _, s := range c.env {
		out = append(out, s.name+"="+s.value.text)
	}
	for _, w := range c.strays {
		out = append(out, w.text)
	}
	for _, a := range c.args {
		name := a.name
		if a.flag != nil && a.problem == "" && !a.negated {
			name = a.flag.name
		}
		line := name + "." + a.key + "!" + a.problem
		for _, v := range a.values {
			line += "|" + v.text
		}
		out = append(out, line)
	}
	return out
}

// holds checks what must hold for every text: no panic, an answer that can be written, and that a printed command is read the same.
func holds(t *testing.T, text string) {
	res := Check(modelOf(t, "llama-3.1-8b"), &Request{Command: text, GPU: hardware.Lookup("H100"), GPUs: 2})
	for _, f := range res.Findings {
		if f.Title == "" || f.Detail == "" || !utf8.ValidString(f.Detail+f.Fix) {
			t.Fatalf("%q: %+v", text, f)
		}
	}
	c, err := read(text, "")
	if err != nil || c == nil || c.loose || !utf8.ValidString(text) {
		return
	}
	printed := c.String()
	asked := ""
	if c.named {
		asked = c.version.text
	}
	again, err := read(printed, asked)
	if err != nil || again == nil {
		t.Fatalf("%q is printed as %q, which is not read: %v", text, printed, err)
	}
	if !reflect.DeepEqual(settled(c)[2:], settled(again)[2:]) {
		t.Fatalf("%q is printed as %q\n%q\n%q", text, printed, settled(c), settled(again))
	}
	if p := again.String(); p != printed {
		t.Fatalf("%q is printed as %q and then as %q", text, printed, p)
	}
}

func TestAPrintedCommandIsReadTheSame(t *testing.T) {
	for _, file := range []string{"testdata/vllm.cases", "testdata/sglang.cases", "testdata/others.cases", "testdata/documented.cases"} {
		for _, r := range rows(t, file) {
			holds(t, r.command)
		}
	}
}

func seeds(f *testing.F, engine string) {
	for _, file := range []string{"testdata/vllm.cases", "testdata/sglang.cases", "testdata/others.cases"} {
		for _, r := range rows(f, file) {
			if c, err := read(r.command, ""); err == nil && c != nil && c.engine.id == engine {
				f.Add(r.command)
			}
		}
	}
	for _, s := range []string{"", "'", "\"", "\\", "$(", "${", "a=b", "docker run", "bash -c", "--", "-", "env A=1", "x | y", "a && b; c &", "2>&1", "<<E", "#"} {
		f.Add(s)
	}
}

func FuzzVLLM(f *testing.F)     { seeds(f, "vllm"); f.Fuzz(holds) }
func FuzzSGLang(f *testing.F)   { seeds(f, "sglang"); f.Fuzz(holds) }
func FuzzTensorRT(f *testing.F) { seeds(f, "tensorrt-llm"); f.Fuzz(holds) }
func FuzzTGI(f *testing.F)      { seeds(f, "tgi"); f.Fuzz(holds) }
func FuzzLlamaCpp(f *testing.F) { seeds(f, "llama.cpp"); f.Fuzz(holds) }

func TestAnswersAreTheSameEveryTime(t *testing.T) {
	for _, r := range rows(t, "testdata/vllm.cases")[:40] {
		a, b := Check(modelOf(t, r.model), r.request(t)), Check(modelOf(t, r.model), r.request(t))
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %+v and %+v", r.command, a, b)
		}
	}
}

func TestHugeCommandsAreRefusedQuickly(t *testing.T) {
	for name, text := range map[string]string{
		"flags":  "vllm serve m" + strings.Repeat(" --max-num-seqs 1", 60_000),
		"bytes":  "vllm serve " + strings.Repeat("x", 2<<20),
		"quotes": strings.Repeat("'", 1<<20-1),
	} {
		if res := Check(modelOf(t, "opt-125m"), &Request{Command: text}); res.Verdict == "pass" || len(res.Findings) > 100 {
			t.Errorf("%s: %s with %d findings", name, res.Verdict, len(res.Findings))
		}
	}
}

func TestConfigurationFiles(t *testing.T) {
	for _, c := range []struct{ command, file, want string }{
		{"vllm serve m --config c.yaml", "tensor-parallel-size: 3\n", "tp-heads! tp-intermediate!"},
		{"vllm serve m --config c.yaml -tp 2", "tensor_parallel_size: 3\nmax-model-len: 8192\n", "-"},
		{"vllm serve --config c.yaml", "model: meta-llama/Llama-3.1-8B\nenforce-eager: true\nserved-model-name: [a, b]\n", "-"},
		{"vllm serve m --config c.yaml", "swap-space: 4\n", "flag-removed!"},
		{"vllm serve m --config c.yaml", "speculative-config:\n  method: ngram\n  num_speculative_tokens: 0\n", "spec-tokens!"},
		{"vllm serve m --config c.yaml", "- 1\n", "config-file!"},
		{"vllm serve m --config c.yaml", "a: [", "config-file!"},
		{"vllm serve m --config other.yaml", "", "config-file"},
		{"python -m sglang.launch_server --config c.yaml", "model-path: m\ntp-size: 3\n", "tp-heads! tp-intermediate!"},
		{"trtllm-serve m --tp_size 3 --extra_llm_api_options c.yaml", "tensor_parallel_size: 2\n", "-"},
		{"trtllm-serve m --config c.yaml", "tensor_parallel_size: 3\n", "tp-heads! tp-intermediate"},
		{"trtllm-serve m --config c.yaml", "kv_cache_config:\n  free_gpu_memory_fraction: 1.5\n", "flag-value-range!"},
		{"trtllm-serve m --tp_size 4 --config c.yaml", "enable_attention_dp: true\n", "-"},
	} {
		res := Check(modelOf(t, "llama-3.1-8b"), &Request{Command: c.command, GPU: hardware.Lookup("H100"), Files: []File{{"c.yaml", c.file}}})
		if got := found(res); got != c.want {
			t.Errorf("%s with %q: found %s, want %s\n%s", c.command, c.file, got, c.want, explain(res))
		}
	}
}

func TestManifests(t *testing.T) {
	compose := "services:\n  db:\n    image: postgres\n  llm:\n    image: vllm/vllm-openai:v0.11.1\n    command: --model m --tensor-parallel-size 3\n    environment:\n      - CUDA_VISIBLE_DEVICES=0,1,2\n"
	kubernetes := "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - name: llm\n        image: lmsysorg/sglang:v0.5.18\n        command: [python3, -m, sglang.launch_server]\n        args: [--model-path, m, --tp, \"3\"]\n        resources: {limits: {nvidia.com/gpu: 4}}\n"
	shell := "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:latest\n    command: [\"/bin/sh\", \"-c\"]\n    args: [\"vllm serve m --tensor-parallel-size 3\"]\n"
	for _, text := range []string{compose, kubernetes, shell} {
		command, err := CommandIn(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := found(Check(modelOf(t, "llama-3.1-8b"), &Request{Command: command})); !strings.Contains(got, "tp-heads!") {
			t.Errorf("%s: %s", command, got)
		}
	}
	for _, text := range []string{"services:\n  db:\n    image: postgres\n", "services: [", "services:\n  a: {image: vllm/vllm-openai, command: m}\n  b: {image: vllm/vllm-openai, command: m}\n"} {
		if c, err := CommandIn(text); err == nil {
			t.Errorf("%q gives %q", text, c)
		}
	}
	if c, err := CommandIn("vllm serve m"); err != nil || c != "vllm serve m" {
		t.Error(c, err)
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		text, want string
	}{{"v0.11.0", "0.11.0"}, {"0.5.4.post1", "0.5.4.post1"}, {"1.2.0rc3", "1.2.0rc3"}, {"b10586", "b10586"}, {"v0.5.3-cu126", "0.5.3"}, {"3.3.5-rocm", "3.3.5"}} {
		if v, ok := parseVersion(c.text); !ok || v.text != c.want {
			t.Errorf("%s is %q", c.text, v.text)
		}
	}
	for _, s := range []string{"", "latest", "nightly", "v", "12"} {
		if v, ok := parseVersion(s); ok {
			t.Errorf("%q is %q", s, v.text)
		}
	}
	order := []string{"0.8.5", "0.8.5.post1", "0.9.0", "0.10.1", "0.10.1.1", "0.10.2", "0.28.0rc2", "0.28.0"}
	for i := 1; i < len(order); i++ {
		if !mustVersion(order[i-1]).before(mustVersion(order[i])) || mustVersion(order[i]).before(mustVersion(order[i-1])) {
			t.Errorf("%s is not before %s", order[i-1], order[i])
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	res := modelOf(b, "llama-3.1-70b")
	r := &Request{Command: "vllm serve m --tensor-parallel-size 4 --max-model-len 32768 --gpu-memory-utilization 0.9", GPU: hardware.Lookup("H100"), GPUs: 8}
	for b.Loop() {
		Check(res, r)
	}
}

// A fix that lists values works: with the first and with the last of them behind the command the finding is gone. One about the value
// of a flag itself stays, as the value does.
func TestFixesThatListValuesWork(t *testing.T) {
	listed := regexp.MustCompile(`^set (--\S+) to (?:one of )?([0-9., ]+)`)
	tried := 0
	for _, file := range []string{"testdata/vllm.cases", "testdata/sglang.cases", "testdata/others.cases"} {
		for _, r := range rows(t, file) {
			q := r.request(t)
			for _, f := range Check(modelOf(t, r.model), q).Findings {
				m := listed.FindStringSubmatch(f.Fix)
				if m == nil || strings.HasPrefix(f.Rule, "flag-") || strings.Contains(r.command, "|") || strings.HasSuffix(r.command, "&") {
					continue
				}
				values := strings.Split(strings.Trim(m[2], ", "), ", ")
				for _, v := range []string{values[0], values[len(values)-1]} {
					fixed := *q
					fixed.Command += " " + m[1] + " " + v
					tried++
					for _, g := range Check(modelOf(t, r.model), &fixed).Findings {
						if g.Rule == f.Rule && g.Severity == Block {
							t.Errorf("%s:%d: %s: %q does not repair %s: %s", file, r.line, r.command, m[1]+" "+v, f.Rule, g.Detail)
						}
					}
				}
			}
		}
	}
	if tried < 50 {
		t.Errorf("only %d fixes were tried", tried)
	}
}

func TestAdaptersOfTooHighARankAreRefused(t *testing.T) {
	r := &Request{Command: "vllm serve m --enable-lora --lora-modules sql=/a/sql", Files: []File{{"/a/sql/adapter_config.json", `{"r":64}`}}}
	if files := FilesOf(r.Command, ""); len(files) != 1 || files[0] != r.Files[0].Name {
		t.Error(files)
	}
	if got := found(Check(modelOf(t, "llama-3.1-8b"), r)); got != "lora-rank-adapter!" {
		t.Error(got)
	}
	r.Command += " --max-lora-rank 64"
	if got := found(Check(modelOf(t, "llama-3.1-8b"), r)); got != "-" {
		t.Error(got)
	}
}
