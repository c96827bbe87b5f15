package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/bench/agent"
	"github.com/modelverifier/verifier/internal/llm"
	"github.com/modelverifier/verifier/internal/llm/llmtest"
)

// benched runs a command below bench.
func benched(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = Main(append([]string{"bench"}, args...), strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func TestAReferenceIsGradedAndAStartIsNot(t *testing.T) {
	p, err := bench.Find("edit/dev/2")
	if err != nil {
		t.Fatal(err)
	}
	if code, out, _ := benched(t, string(p.Reference), "grade", "edit/dev/2", "-"); code != exitClean || !strings.Contains(out, "passes with quality") {
		t.Errorf("%d %s", code, out)
	}
	file := filepath.Join(t.TempDir(), "answer.json")
	if err := os.WriteFile(file, p.Task.Start, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := benched(t, "", "grade", "edit/dev/2", file); code != exitGated || !strings.Contains(out, "does not pass: ") {
		t.Errorf("%d %s", code, out)
	}
	for _, answer := range []string{"", "no JSON", "{}", "[]", "\x00", `{"edits":[]}`} {
		code, out, _ := benched(t, answer, "grade", "edit/dev/2", "-", "--json")
		var g bench.Grade
		if err := json.Unmarshal([]byte(out), &g); err != nil || code != exitGated || g.Passed || g.Reason == "" || g.Quality != nil {
			t.Errorf("%q: %d %s", answer, code, out)
		}
	}
}

func TestBenchRefusesWhatItDoesNotKnow(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big.json")
	if err := os.WriteFile(big, bytes.Repeat([]byte(" "), bench.Limits.Bytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, says := range map[string]string{
		"task repiar/test/1":                               "did you mean repair?",
		"task repair/tset/1":                               "train, dev, test; did you mean test?",
		"task repair":                                      "family/split/number",
		"tasks --family budgte":                            "did you mean budget?",
		"tasks --n 0":                                      "n: is 0 but must be from 1",
		"tasks --n 1000":                                   "n: is 1000 but must be from 1",
		"tasks --from -3":                                  "from: is -3",
		"run":                                              "policy provider",
		"run --policy lop":                                 "did you mean loop?",
		"run --policy loop --provider chat":                "policy provider",
		"run --policy loop --n 0":                          "--n is 0",
		"run --policy loop --from -1":                      "--from is -1",
		"run --policy loop --split tset":                   "did you mean test?",
		"run --policy loop --jobs 1000":                    "--jobs is 1000",
		"run --provider chta --provider-model m":           "must be one of chat, messages",
		"run --provider chat":                              "no model of the provider is named",
		"run --provider chat --provider-model m --tries 0": "--tries is 0",
		"run --provider chat --provider-model m --provider-tokens 0":     "--provider-tokens is 0",
		"run --provider chat --provider-model m --provider-timeout 1h":   "--provider-timeout must be",
		"run --provider chat --provider-model m --provider-key-file nix": "--provider-key-file",
		"grade repair/test/1 nothing.json":                               "nothing.json",
		"grade repair/test/1 " + big:                                     "8",
		"serve --addr nowhere:1:2":                                       "--addr: cannot listen",
		"serve --episodes 0":                                             "--episodes is 0",
		"serve --steps 0":                                                "--steps is 0",
		"serve --idle -1s":                                               "--idle",
		"leaderboard " + big:                                             big,
		"leaderboard --split tset":                                       "did you mean test?",
		"taks":                                                           "did you mean task?",
	} {
		code, out, errs := benched(t, "", strings.Fields(command)...)
		if code != exitUsage || !strings.Contains(errs, says) || out != "" {
			t.Errorf("bench %s: %d %s%s, want %q", command, code, out, errs, says)
		}
	}
}

func TestARunIsTheSameTwiceAndCanBeListed(t *testing.T) {
	dir := t.TempDir()
	var seen []string
	for _, jobs := range []string{"1", "3"} {
		file := filepath.Join(dir, jobs+".json")
		code, out, errs := benched(t, "", "run", "--policy", "random", "--family", "fit,repair", "--split", "dev", "--n", "3", "--seed", "5", "--jobs", jobs, "-o", file)
		if code != exitClean || !strings.Contains(out, "together") || !strings.Contains(errs, "6 of 6 tasks") {
			t.Fatalf("%d %s %s", code, out, errs)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, string(data), out)
	}
	if seen[0] != seen[2] || seen[1] != seen[3] {
		t.Errorf("%s", seen)
	}
	if code, out, _ := benched(t, "", "leaderboard", "--split", "dev", filepath.Join(dir, "1.json")); code != exitClean || !strings.Contains(out, "random") {
		t.Errorf("%d %s", code, out)
	}
	for _, split := range bench.Splits {
		code, out, _ := benched(t, "", "leaderboard", "--split", split)
		if fits(t, "leaderboard", out); code != exitClean || !strings.Contains(out, "search") {
			t.Errorf("%d %s", code, out)
		}
	}
	if code, out, _ := benched(t, "", "leaderboard", "--json"); code != exitClean || !json.Valid([]byte(out)) {
		t.Errorf("%d %s", code, out)
	}
}

func TestTracesAreLinesOfJSON(t *testing.T) {
	code, out, errs := benched(t, "", "traces", "--policy", "loop", "--family", "repair", "--split", "dev", "--n", "4")
	if code != exitClean || strings.Count(out, "\n") != 4 {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	for line := range strings.Lines(out) {
		var o agent.Outcome
		if err := json.Unmarshal([]byte(line), &o); err != nil || o.Agent != "loop" || o.Grade == nil || o.Prompt == "" || o.Steps == nil {
			t.Errorf("%v %s", err, line)
		}
	}
}

// TestAProviderIsAskedInBothFormats has a provider give the reference of the task that it is asked for.
func TestAProviderIsAskedInBothFormats(t *testing.T) {
	p, err := bench.Find("edit/dev/2")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range llm.Formats() {
		server := llmtest.New(t, true) // what is asked is drawn, and recorded nowhere; internal/bench/agent has transcripts
		file := filepath.Join(t.TempDir(), "transcript.json")
		answer, _ := json.Marshal([]llmtest.Exchange{{Response: llmtest.Response{Status: http.StatusOK, Body: llmtest.Said(format, "As asked.\n```json\n"+string(p.Reference)+"\n```")}}})
		if err := os.WriteFile(file, answer, 0o600); err != nil {
			t.Fatal(err)
		}
		server.Load(file)
		t.Setenv(providerKey, llmtest.Key)
		c := server.Config(format)
		code, out, errs := benched(t, "", "traces", "--provider", format, "--provider-url", c.URL, "--provider-model", c.Model, "--family", "edit", "--split", "dev", "--from", "2", "--n", "1", "--passed")
		server.Done()
		if code != exitClean || !strings.Contains(out, `"because":"As asked."`) || !strings.Contains(out, `"model":"test-model"`) || strings.Contains(out+errs, llmtest.Key) {
			t.Errorf("%s: %d %s %s", format, code, out, errs)
		}
		asked, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(asked, []byte("Task edit/dev/2")) {
			t.Errorf("%s: %v %s", format, err, asked)
		}
	}
}

// notes keeps what a command prints, and tells when an address is in it.
type notes struct {
	mu    sync.Mutex
	text  strings.Builder
	found chan string
}

var listening = regexp.MustCompile(`http://[0-9.:]+`)

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text.Write(p)
	if at := listening.FindString(n.text.String()); at != "" {
		select {
		case n.found <- at:
		default:
		}
	}
	return len(p), nil
}

// TestAPythonEpisodeSolvesATask starts the server as a user does, and runs the tests of the Python client against it.
func TestAPythonEpisodeSolvesATask(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	task := solvable(t)
	ctx, stop := context.WithCancel(t.Context())
	root := Root()
	out := &notes{found: make(chan string, 1)}
	root.SetOut(out)
	root.SetErr(out)
	root.SetArgs([]string{"bench", "serve", "--addr", "127.0.0.1:0", "--steps", "30"})
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	var url string
	select {
	case url = <-out.found:
	case err := <-ended:
		ended <- err
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-B", "-m", "unittest", "-v", "verifier.test_env")
	cmd.Dir = filepath.Join("..", "..", "python")
	cmd.Env = append(os.Environ(), "VERIFIER_BENCH_URL="+url, "VERIFIER_BENCH_TASK="+task, "PYTHONPATH=", "no_proxy=127.0.0.1")
	said, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "test_an_episode_solves_a_task") || strings.Contains(string(said), "skipped") {
		t.Errorf("%v\n%s", err, said)
	}
}

// solvable is a task that the edits of findings solve.
func solvable(t *testing.T) string {
	t.Helper()
	loop, err := agent.Lookup("loop")
	if err != nil {
		t.Fatal(err)
	}
	found, enough := "", errors.New("enough")
	plan := &agent.Plan{Families: []string{"repair"}, Splits: []string{bench.Dev}, N: 500}
	_, err = agent.Run(t.Context(), loop.Agent, plan, 2, func(o *agent.Outcome) error {
		if o.Grade.Passed {
			found = o.Task
			return enough
		}
		return nil
	})
	if found == "" {
		t.Fatalf("the edits of findings solve none of %d tasks: %v", plan.N, err)
	}
	return found
}
