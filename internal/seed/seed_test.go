package seed

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestDraws prints what is drawn; TestEveryRunDrawsTheSame runs it.
func TestDraws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { t.Log("drew", rapid.Uint64().Draw(rt, "n")) })
}

func TestEveryRunDrawsTheSame(t *testing.T) {
	draws := func(env []string, args ...string) string {
		t.Helper()
		cmd := exec.Command(os.Args[0], append([]string{"-test.run=^TestDraws$", "-test.v"}, args...)...)
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "RAPID_") {
				cmd.Env = append(cmd.Env, v)
			}
		}
		cmd.Env = append(cmd.Env, env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var drawn []string
		for line := range strings.Lines(string(out)) {
			if _, n, ok := strings.Cut(line, "drew "); ok {
				drawn = append(drawn, n)
			}
		}
		if len(drawn) != 100 {
			t.Fatalf("drew %d times\n%s", len(drawn), out)
		}
		return strings.Join(drawn, "")
	}
	plain := draws(nil)
	if draws(nil) != plain {
		t.Error("two runs draw different values")
	}
	other := draws(nil, "-rapid.seed=2")
	if other == plain || draws([]string{"RAPID_SEED=2"}) != other {
		t.Error("a seed of the caller's does not decide what is drawn")
	}
	anew := draws([]string{"RAPID_SEED=0"})
	if draws([]string{"RAPID_SEED=0"}) == anew {
		t.Error("seed 0 does not draw anew")
	}
}
