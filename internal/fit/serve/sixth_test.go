package serve

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/hardware"
)

// An engine is one value and one table: with a sixth one, every command of the others is answered as before, its own are judged, and
// what lists the engines names it.
func TestASixthEngineTakesOneFileAndOneTable(t *testing.T) {
	before := map[string]string{}
	answer := func(command string) string {
		res := Check(modelOf(t, "llama-3.1-8b"), &Request{Command: command, GPU: hardware.Lookup("H100"), GPUs: 8})
		return res.Verdict + " " + found(res) + " " + explain(res)
	}
	mistaken := []string{"--tensor-parallel-size 2", "--tp-size 2", "--tp_size 2", "--num-shard 2", "--max-model-len 8", "--ctx-size 8", "--slots 4", "--no-such-flag"}
	var commands []string
	for _, c := range wholeCommands {
		commands = append(commands, c)
		for _, f := range mistaken {
			commands = append(commands, c+" "+f)
		}
	}
	for _, c := range commands {
		before[c] = answer(c)
	}
	kept := slices.Clone(engines)
	defer func() { engines = kept }()
	rules := len(Rules())
	sixth := readTable("sixth.txt", "# names, kind, values, first and last version\n"+
		"--cards\tint\t1..64\t-\t-\n--weights\tstr\t-\t-\t-\n--mode\tchoice\tfast,slow\t-\t-\n--sixth-alone\tflag\t-\t-\t-")
	define(engine{
		order: 5, id: "sixth", label: "Sixth Server", dialect: clap, complete: true, assumed: mustVersion("1.0.0"),
		flags: func() *table { return sixth },
		entry: func(words []word) int {
			if starts(words, "sixth-server") {
				return 1
			}
			return 0
		},
		calls: map[concept]string{tensorParallel: "--cards"},
		check: func(l *launch) {
			s := sizes{pp: 1, dp: 1}
			s.tp, s.known = l.size("--cards")
			if s.attnTP = s.tp; s.known {
				l.headRules("--cards", s)
			}
		},
	})
	for _, c := range commands {
		if now := answer(c); now != before[c] {
			t.Errorf("%s was %q and is %q", c, before[c], now)
		}
	}
	for command, want := range map[string]string{
		"sixth-server --weights m --cards 2":            "-",
		"sixth-server --weights m --cards 3":            "tp-heads!",
		"sixth-server --weights m --cards 65":           "flag-value-range! tp-heads!",
		"sixth-server --weights m --mode quick":         "flag-choice!",
		"sixth-server --weights m --tp-size 2":          "flag-wrong-engine!",
		"sixth-server --weights m more":                 "extra-argument!",
		"vllm serve m --max-model-len 64 --sixth-alone": "flag-wrong-engine!",
		"vllm serve m --max-model-len 64 --cards 2":     "flag-wrong-engine!",
	} {
		res := Check(modelOf(t, "llama-3.1-8b"), &Request{Command: command, GPU: hardware.Lookup("H100"), GPUs: 64})
		if found(res) != want {
			t.Errorf("%s: %s\n%s", command, found(res), explain(res))
		}
		if res.Engine == "sixth" && (res.EngineVersion != "1.0.0" || !slices.Contains(res.Judged, "flag-unknown")) {
			t.Errorf("%s: %+v", command, res)
		}
	}
	if res := Check(modelOf(t, "gpt2"), &Request{Command: "sixth-server --tensor-parallel-size 2"}); !strings.Contains(explain(res), "--cards") {
		t.Errorf("what it calls tensor parallelism is not said: %s", explain(res))
	}
	if got := engineList(); !strings.HasSuffix(got, "llama.cpp or Sixth Server") {
		t.Errorf("the engines are %s", got)
	}
	if len(Rules()) != rules {
		t.Error("an engine adds no rules")
	}
}
