package pythontest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestWarmDoesWhatPythonDoes runs commands with both: what they say, on both streams, and how they end.
func TestWarmDoesWhatPythonDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts PyTorch, which takes seconds")
	}
	python := WithTorch(t)
	warm := Warm(t, python)
	script := filepath.Join(t.TempDir(), "script.py")
	if err := os.WriteFile(script, []byte("import os, sys\nprint(__name__, __file__, sys.argv, sys.path[0], os.getcwd())\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"torch":      {"-c", "import torch\ntorch.manual_seed(0)\nprint(torch.__version__, torch.rand(3), torch.nn.Linear(3, 4)(torch.ones(3)).sum())"},
		"arguments":  {"-B", "-c", "import os, sys\nprint(__name__, sys.argv, sys.path[0], os.environ['OF_THIS_TEST'], sys.stdin.read())", "a", "-b"},
		"script":     {script, "a"},
		"exit":       {"-c", "raise SystemExit(7)"},
		"exit, word": {"-c", "raise SystemExit('a word')"},
		"exception":  {"-c", "raise ValueError('so')"},
		"no syntax":  {"-c", "this is none"},
		"killed":     {"-c", "import os\nos.kill(os.getpid(), 9)"},
	} {
		run := func(program string) (string, int) {
			cmd := exec.Command(program, args...)
			cmd.Dir, cmd.Env, cmd.Stdin = os.TempDir(), append(os.Environ(), "OF_THIS_TEST=yes", "PYTHONDONTWRITEBYTECODE=1"), strings.NewReader("in")
			out, _ := cmd.CombinedOutput()
			said := strings.Split(strings.TrimSpace(string(out)), "\n")
			if strings.Contains(string(out), "Traceback") {
				said = said[len(said)-1:] // its frames are others
			}
			return strings.Join(said, "\n"), cmd.ProcessState.ExitCode()
		}
		want, code := run(python)
		if code == -1 {
			code = 128 + 9
		}
		if got, ended := run(warm); got != want && name != "no syntax" || ended != code {
			t.Errorf("%s: ended with %d and\n%s\nPython with %d and\n%s", name, ended, got, code, want)
		}
	}
}

// TestWarmEndsWithItsClient kills a client, whose command would have written a file.
func TestWarmEndsWithItsClient(t *testing.T) {
	if testing.Short() {
		t.Skip("starts PyTorch, which takes seconds")
	}
	warm := Warm(t, WithTorch(t))
	file := filepath.Join(t.TempDir(), "written")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	code := "import os, sys, time\nprint(os.getpid(), flush=True)\ntime.sleep(3)\nopen(sys.argv[1], 'w')"
	out, err := exec.CommandContext(ctx, warm, "-c", code, file).Output()
	if err == nil || len(out) == 0 {
		t.Fatalf("said %q, and ended with %v", out, err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join("/proc", strings.TrimSpace(string(out)))); err != nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the command still runs")
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the command went on")
	}
}
