package serve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/hardware"
)

// What cannot be read is a clear finding, and no guess.
func TestCommandsThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct{ command, want string }{
		"no engine":             {"echo hello", "unknown-engine-command"},
		"nothing":               {"", "unknown-engine-command"},
		"another program":       {"ollama serve", "unknown-engine-command"},
		"single quote":          {"vllm serve 'm", "command-syntax!"},
		"double quote":          {`vllm serve "m`, "command-syntax!"},
		"backslash at the end":  {"vllm serve m \\", "command-syntax!"},
		"substitution":          {"vllm serve $(cat model", "command-syntax!"},
		"no file":               {"vllm serve m >", "command-syntax!"},
		"pipeline":              {"vllm serve m 2>&1 | tee log", "shell-pipeline"},
		"background":            {"nohup vllm serve m > log 2>&1 &", "-"},
		"unset variable":        {"vllm serve m -tp $TP", "shell-variable"},
		"unset variables":       {"vllm serve $MODEL --max-model-len ${LEN} $EXTRA", "shell-variable"},
		"set variable":          {"TP=3\nvllm serve m -tp $TP", "tp-heads! tp-intermediate!"},
		"default of a variable": {"vllm serve m -tp ${TP:-3}", "tp-heads! tp-intermediate!"},
		"any arguments":         {`vllm serve m -tp 3 "$@"`, "tp-heads tp-intermediate shell-variable"},
		"a list of arguments":   {`vllm serve m -tp 3 "${ARGS[@]}"`, "tp-heads tp-intermediate shell-variable"},
		"sub-shell":             {"(cd /srv && vllm serve m -tp 3)", "tp-heads! tp-intermediate!"},
		"braces":                {"{ vllm serve m -tp 3; }", "tp-heads! tp-intermediate!"},
		"condition":             {"if vllm serve m -tp 3; then echo; fi", "tp-heads! tp-intermediate!"},
		"here-document":         {"cat > c.txt <<EOF\ntensor-parallel-size: '2\nEOF\nvllm serve m -tp 3", "tp-heads! tp-intermediate!"},
		"many flags":            {"vllm serve m" + strings.Repeat(" --max-num-seqs 1", 60_000), "command-unread"},
		"a megabyte of flags":   {"vllm serve m" + strings.Repeat(" --x", 1<<18), "command-unread"},
		"too many bytes":        {"vllm serve m " + strings.Repeat("x", 1<<20), "command-unread"},
		"no cards":              {"vllm serve m -tp 0", "flag-value-range!"},
		"less than no cards":    {"vllm serve m -tp -4", "flag-value-range!"},
		"enormous":              {"vllm serve m -tp 4611686018427387904", "flag-value-range!"},
		"an enormous cluster":   {"trtllm-serve m --ep_size 4 --cluster_size 4611686018427387904", "flag-value-range!"},
		"a flag and a kilobyte": {"vllm serve m -q" + strings.Repeat("q", 1025), "command-unread"},
		"flags without end":     {"vllm serve m " + strings.Repeat("-q", 500), "flag-value-missing!"},
		"letters without end":   {"python -m sglang.launch_server --model-path m" + strings.Repeat(" "+strings.Repeat("-h", 500), 41), "command-unread"},
		"a deep key":            {"vllm serve m --hf-overrides.a.b.c.d.e.f.g.h=1", "flag-json"},
		"a long version":        {"docker run --gpus all vllm/vllm-openai:v0.6.0rc" + strings.Repeat("1", 100) + " m", "-"},
		"more than are listed":  {"vllm serve m" + numbered(100, " --x%d"), "flag-unknown!"},
		"beyond all numbers":    {"vllm serve m -tp 99999999999999999999999", "flag-value-range!"},
		"binary":                {"vllm serve \xff\xfe -tp 3", "tp-heads! tp-intermediate!"},
	} {
		res := Check(modelOf(t, "llama-3.1-8b"), &Request{Command: c.command, GPU: hardware.Lookup("H100")})
		want := strings.Fields(c.want)
		for _, w := range want {
			if w != "-" && !strings.Contains(" "+found(res)+" ", " "+w+" ") {
				t.Errorf("%s: found %s, want %s\n%s", name, found(res), c.want, explain(res))
			}
		}
		if !strings.Contains(c.want, "!") && res.Verdict == "block" || len(res.Findings) > 100 || len(res.Command) > 1<<12 {
			t.Errorf("%s: %s with %d findings: %s", name, res.Verdict, len(res.Findings), clip(explain(res), 500))
		}
	}
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestMoreFindingsThanAreListed holds that the last finding of a rule says so, and weighs as much as the heaviest that is not listed.
func TestMoreFindingsThanAreListed(t *testing.T) {
	l := newLaunch(modelOf(t, "llama-3.1-8b"), &Request{}, nil)
	for i := range mostOfRule + 2 {
		l.warn("flag-value", nil, "value %d", i)
	}
	l.warn("flag-value", nil, "value %d", 0)
	last := l.out.Findings[len(l.out.Findings)-1]
	if len(l.out.Findings) != mostOfRule+1 || last.Severity != Warn || last.Detail != "more than 64 of these were found: the others are not listed" {
		t.Errorf("%d findings, of which the last is %+v", len(l.out.Findings), last)
	}
	l.block("flag-value", nil, "another value")
	if last = l.out.Findings[len(l.out.Findings)-1]; len(l.out.Findings) != mostOfRule+1 || last.Severity != Block {
		t.Errorf("%d findings, of which the last is %+v", len(l.out.Findings), last)
	}
}

// TestAliasesOfAliasesAreRefused holds that YAML is counted as what its aliases stand for.
func TestAliasesOfAliasesAreRefused(t *testing.T) {
	ten := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 6; i++ {
		ten += fmt.Sprintf("a%d: &a%d [", i, i) + strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ",") + "]\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"values":    {"services:\n" + ten, "has more than 20000 values, those of aliases counted each time"},
		"bytes":     {"services: &a " + strings.Repeat("x", 30_000) + "\nb: [" + strings.Repeat("*a,", 40) + "]\n", "has more than 1048576 bytes of text, that of aliases counted each time"},
		"documents": {"services:\n" + strings.Repeat("---\n"+ten[:strings.Index(ten, "a4")], 2), "has more than 20000 values, those of aliases counted each time"},
		"brackets":  {"services: " + strings.Repeat("[", 65) + strings.Repeat("]", 65), "nests too deep"},
		"no YAML":   {"services: [", "is no YAML: "},
	} {
		if _, err := CommandIn(c.text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := readYAML(c.text); name != "documents" && (err == nil || !strings.HasPrefix(err.Error(), "it "+c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	compose := "x-all: &all {image: vllm/vllm-openai:v0.12.0}\nservices:\n  llm:\n    <<: *all\n    command: m -tp 3\n"
	if command, err := CommandIn(compose); err != nil || !strings.Contains(command, "vllm-openai:v0.12.0 m -tp 3") {
		t.Errorf("%q, %v", command, err)
	}
}

// Variables reach the engine in every way in which people set them.
func TestVariablesAreRead(t *testing.T) {
	for _, command := range []string{
		"CUDA_VISIBLE_DEVICES=0 vllm serve m -tp 2",
		"env CUDA_VISIBLE_DEVICES=0 vllm serve m -tp 2",
		"export CUDA_VISIBLE_DEVICES=0; vllm serve m -tp 2",
		"export CUDA_VISIBLE_DEVICES=0\nvllm serve m -tp 2",
		"CUDA_VISIBLE_DEVICES=\"0\" nohup vllm serve m -tp 2 &",
		"bash -c 'CUDA_VISIBLE_DEVICES=0 vllm serve m -tp 2'",
		"docker run --gpus all -e CUDA_VISIBLE_DEVICES=0 --ipc=host vllm/vllm-openai:v0.12.0 m -tp 2",
		"docker run --gpus all --env=CUDA_VISIBLE_DEVICES=0 --ipc=host vllm/vllm-openai:v0.12.0 m -tp 2",
		"docker run --gpus 1 --ipc=host vllm/vllm-openai:v0.12.0 m -tp 2",
		`docker run --gpus '"device=3"' --ipc=host vllm/vllm-openai:v0.12.0 m -tp 2`,
		"CUDA_VISIBLE_DEVICES=0 python -m sglang.launch_server --model-path m --tp 2",
		"CUDA_VISIBLE_DEVICES=0 NUM_SHARD=2 text-generation-launcher --model-id m --max-total-tokens 4096",
	} {
		if got := blocking(Check(modelOf(t, "llama-3.1-8b"), &Request{Command: command, GPU: hardware.Lookup("H100"), GPUs: 8})); len(got) != 1 || got[0] != "world-gpus" {
			t.Errorf("%s: blocks %v", command, got)
		}
	}
}

// A manifest is read as the container that it starts.
func TestManifestsOfEveryForm(t *testing.T) {
	for name, text := range map[string]string{
		"compose, a text":   "services:\n  llm:\n    image: vllm/vllm-openai:v0.12.0\n    command: m --tensor-parallel-size 3\n",
		"compose, a list":   "services:\n  llm:\n    image: vllm/vllm-openai:v0.12.0\n    command: [m, --tensor-parallel-size, 3]\n",
		"compose, folded":   "services:\n  llm:\n    image: vllm/vllm-openai:v0.12.0\n    command: >\n      m\n      --tensor-parallel-size 3\n",
		"compose, entry":    "services:\n  llm:\n    image: lmsysorg/sglang:v0.5.18\n    entrypoint: python3 -m sglang.launch_server\n    command: --model-path m --tp 3\n",
		"compose, shell":    "services:\n  llm:\n    image: lmsysorg/sglang:v0.5.18\n    command: [bash, -c, \"python3 -m sglang.launch_server --model-path m --tp 3\"]\n",
		"compose, object":   "services:\n  llm:\n    image: ghcr.io/huggingface/text-generation-inference:3.3.5\n    command: --model-id m --max-total-tokens 4096\n    environment: {NUM_SHARD: 3}\n",
		"pod":               "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.12.0\n    args: [m, --tensor-parallel-size, \"3\"]\n",
		"deployment, shell": "kind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - image: vllm/vllm-openai:v0.12.0\n        command: [/bin/sh, -c]\n        args: [\"vllm serve m --tensor-parallel-size 3\"]\n",
		"two documents":     "kind: Service\nspec: {ports: [{port: 80}]}\n---\nkind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.12.0\n    args: [m, -tp=3]\n    env: [{name: A, value: b}]\n",
	} {
		command, err := CommandIn(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := found(Check(modelOf(t, "llama-3.1-8b"), &Request{Command: command})); !strings.Contains(got, "tp-heads!") {
			t.Errorf("%s: %s gives %s", name, command, got)
		}
	}
}
