package ci

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/comment/commenttest"
)

const source = `import torch.nn as nn
from parts import width

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, width())
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        return self.head(self.body(x))
`

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in\n%s", p, text)
		}
	}
}

func TestSeveralModelsShareOneComment(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit(map[string]string{"a.graph": net, "old/b.graph": net, "same.graph": net, "gone.graph": net, "notes.txt": "x", "-x.graph": net, "data.json": `{"components": 3}`,
		"src/net.py": source, "src/parts.py": "def width():\n    return 16\n", "src/.verifier.yml": "defaults: {input: [\"8\"]}\n",
		".verifier.yml": "models:\n  \"*.graph\": {}\n  \"src/net.py:Net\": {}\n  \"*.json\": {}\n"})
	r.git("checkout", "-q", "-b", "pr")
	r.git("mv", "old/b.graph", "b with | ` <b>@team.graph")
	r.commit(map[string]string{"a.graph": strings.ReplaceAll(net, "4096", "512"), "new.graph": "x: input shape=[3]\nl: linear outFeatures=5\no: output\nx -> l -> o\n", "gone.graph": "", "notes.txt": "y", "-x.graph": strings.ReplaceAll(net, "4096", "64"),
		"src/parts.py": "def width():\n    return 17\n", "bad.graph": "x: input shape=[\n", "data.json": `{"components": 4}`})
	out, code := r.run(append(r.onGitHub(commenttest.Job), "VERIFIER_ATTEST=true", "VERIFIER_SARIF=out.sarif")...)
	if code != 2 {
		t.Errorf("exit %d\n%s", code, out)
	}
	comments := r.server.Comments()
	if len(comments) != 1 {
		t.Fatalf("%d comments\n%s", len(comments), out)
	}
	body := comments[0].Body
	contains(t, body, "### ❌ 2 of 6 models are refused", "| ✅ `-x.graph` |", "| ✅ `a.graph` | 3,256,330 → **407,050** (−87.5 %)", "Of 1 more nothing is worth showing: ``b with | ` <b>@team.graph`` has not changed.",
		"| ✅ `new.graph` | 20 |", "| ❌ `src/net.py:Net` | 178 → not known |", "#### ❌ `bad.graph` could not be read", "at `src/net.py:8`; fix: `set inFeatures of head to 17`")
	if strings.Contains(body, "same.graph") || strings.Contains(body, "gone.graph") || strings.Contains(body, "data.json") {
		t.Errorf("what has not changed, or is no model, is in\n%s", body)
	}
	records, err := filepath.Glob(filepath.Join(r.dir, ".verifier-ci/records/*.json"))
	if err != nil || len(records) != 5 {
		t.Errorf("%d records, %v: %v\n%s", len(records), err, records, out)
	}
	var log struct{ Runs []json.RawMessage }
	if err := json.Unmarshal([]byte(r.read("out.sarif")), &log); err != nil || len(log.Runs) != 1 {
		t.Errorf("%d runs, %v", len(log.Runs), err)
	}
	contains(t, r.read(".git/output"), "verdict=error\n", "plan=.verifier-ci/change.json\n", "record=.verifier-ci/records\n")
}

func TestACommentThatNoLongerHoldsIsCorrected(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit(map[string]string{"net.graph": net})
	r.git("checkout", "-q", "-b", "pr")
	r.commit(map[string]string{"net.graph": strings.Replace(net, "4096", "2048", 1)})
	env := r.onGitHub(commenttest.Job)
	if _, code := r.run(env...); code != 1 {
		t.Errorf("exit %d", code)
	}
	r.commit(map[string]string{"net.graph": net})
	out, code := r.run(env...)
	if c := r.server.Comments(); code != 0 || len(c) != 1 || !strings.Contains(c[0].Body, "✅ No model has changed") {
		t.Errorf("exit %d, %+v\n%s", code, c, out)
	}
	contains(t, r.read(".git/output"), "verdict=none\n")
}

func TestAForkIsToldInTheSummary(t *testing.T) {
	t.Parallel()
	for _, token := range []string{commenttest.Fork, ""} {
		r := newRepository(t)
		r.commit(map[string]string{"net.graph": net})
		r.git("checkout", "-q", "-b", "pr")
		r.commit(map[string]string{"net.graph": strings.Replace(net, "4096", "2048", 1)})
		out, code := r.run(r.onGitHub(token)...)
		if code != 1 || len(r.server.Comments()) != 0 || strings.Contains(out, "ghs_") {
			t.Errorf("exit %d\n%s", code, out)
		}
		contains(t, out, "::warning title=Model Verifier::GITHUB_TOKEN ")
		contains(t, r.read(".git/summary"), "`net.graph` no longer runs", "set inFeatures of m to 2048")
	}
}

func TestABusyServiceDoesNotChangeTheVerdict(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit(map[string]string{"net.graph": net})
	r.git("checkout", "-q", "-b", "pr")
	r.commit(map[string]string{"net.graph": strings.ReplaceAll(net, "4096", "2048")})
	r.server.Fail(commenttest.Fault{Status: 429, Header: map[string]string{"Retry-After": "999"}})
	out, code := r.run(r.onGitHub(commenttest.Job)...)
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	contains(t, out, "429 Too Many Requests", "warning: the comment could not be kept up to date")
	contains(t, r.read(".git/summary"), "got smaller at the same cost")
}

func TestGitLabHasTheSame(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit(map[string]string{"net.graph": net})
	base := r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "-b", "pr")
	r.commit(map[string]string{"net.graph": strings.Replace(net, "4096", "2048", 1)})
	out, code := r.run("GITLAB_CI=true", "CI_MERGE_REQUEST_IID=7", "CI_PROJECT_ID=42", "CI_API_V4_URL="+r.server.URL+"/api/v4", "GITLAB_TOKEN="+commenttest.GitLab, "CI_MERGE_REQUEST_DIFF_BASE_SHA="+base)
	if c := r.server.Comments(); code != 1 || len(c) != 1 || !strings.Contains(c[0].Body, "no longer runs") {
		t.Errorf("exit %d, %+v\n%s", code, c, out)
	}
}

func TestAShallowCloneFetchesWhatItNeeds(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit(map[string]string{"net.graph": net})
	base := r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "-b", "pr")
	r.commit(map[string]string{"net.graph": strings.ReplaceAll(net, "4096", "2048")})
	r.git("config", "uploadpack.allowAnySHA1InWant", "true")
	clone := filepath.Join(t.TempDir(), "clone")
	r.git("clone", "-q", "--depth=1", "--branch=pr", "file://"+r.dir, clone)
	c := *r
	c.dir = clone
	if out, code := c.run("VERIFIER_BASE="+base, "VERIFIER_COMMENT=false"); code != 0 || !strings.Contains(out, "change     approved") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

func TestWhatCannotBeComparedIsAnError(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit(map[string]string{"net.graph": net, "a\nb.graph": net})
	for _, c := range []struct {
		env, want string
		code      int
	}{
		{"VERIFIER_BASE=", "set VERIFIER_BASE", 2},
		{"VERIFIER_BASE=--output=x", "is not a commit", 2},
		{"VERIFIER_BASE=nowhere", "the commit nowhere is not in this clone", 2},
		{"VERIFIER_BASE=0000000000000000000000000000000000000000", "rename the file", 2},
		{"VERIFIER_BASE=HEAD", "no model has changed", 0},
	} {
		if out, code := r.run(c.env, "VERIFIER_COMMENT=false"); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s", c.env, code, c.code, c.want, out)
		}
	}
	r.git("rm", "-q", "a\nb.graph")
	r.commit(nil)
	if out, code := r.run("VERIFIER_BASE=0000000000000000000000000000000000000000", "VERIFIER_COMMENT=false"); code != 0 || strings.Contains(out, "change  ") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if out, code := r.run("VERIFIER_BASE=0000000000000000000000000000000000000000", "VERIFIER_FAIL_ON=much", "VERIFIER_COMMENT=false"); code != 2 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

func TestAPullRequestReachesNothingElse(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x: input\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.commit(map[string]string{"net.graph": net})
	link := func(name, to string) {
		path := filepath.Join(r.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, path); err != nil {
			t.Skip("no links here:", err)
		}
		r.git("add", "-f", "--", name)
		r.git("commit", "-q", "-m", "link")
	}
	try := func(code int, want string) {
		t.Helper()
		if out, got := r.run("VERIFIER_BASE=main~1", "VERIFIER_COMMENT=false"); got != code || !strings.Contains(out, want) {
			t.Errorf("exit %d, want %d and %q\n%s", got, code, want, out)
		}
	}
	link("inside.graph", "net.graph")
	try(0, "ask: ")
	link("outside.graph", secret)
	try(2, "outside.graph leads out of the repository, by a link or by its name")
	link(".verifier-ci/diff2", secret)
	try(2, "set VERIFIER_OUT to another folder")
	if data, err := os.ReadFile(secret); err != nil || string(data) != "x: input\n" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestInputsSayWhatCounts(t *testing.T) {
	t.Parallel()
	config := `{"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 4, "num_hidden_layers": 2, "vocab_size": 100}`
	noisy := strings.Replace(net, "r: relu\n", "r: dropout p=0.9\n", 1)
	r := newRepository(t)
	r.commit(map[string]string{"llama/config.json": config, "a.graph": net, "b/net.graph": net, "app/config.json": "{}"})
	r.git("checkout", "-q", "-b", "pr")
	r.commit(map[string]string{"llama/config.json": strings.Replace(config, "128", "256", 1), "a.graph": noisy, "b/net.graph": noisy, "app/config.json": `{"port": 1}`})
	for _, c := range []struct {
		env  []string
		code int
		want []string // models
	}{
		{nil, 0, []string{"a.graph", "b/net.graph", "llama/config.json"}},
		{[]string{"VERIFIER_MODELS=llama/*\n a.graph \n"}, 0, []string{"a.graph", "llama/config.json"}},
		{[]string{"VERIFIER_MODELS=b/*", "VERIFIER_FAIL_ON=warn", "VERIFIER_QUALITY=quality.json"}, 1, []string{"b/net.graph"}},
		{[]string{"VERIFIER_MODELS=llama/*", `VERIFIER_POLICY={"max_params": 10}`}, 1, []string{"llama/config.json"}},
		{[]string{"VERIFIER_MODELS=none"}, 0, nil},
	} {
		out, code := r.run(append([]string{"VERIFIER_BASE=main", "VERIFIER_COMMENT=false"}, c.env...)...)
		var record struct {
			Models []struct {
				Path       string
				Base, Head *struct{ Params int64 }
			}
		}
		if err := json.Unmarshal([]byte(r.read(".verifier-ci/change.json")), &record); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range record.Models {
			got = append(got, m.Path)
			if m.Path == "llama/config.json" && (m.Base == nil || m.Head == nil || m.Head.Params-m.Base.Params != 2*3*64*128) {
				t.Errorf("%+v to %+v", m.Base, m.Head)
			}
		}
		if code != c.code || !slices.Equal(got, c.want) {
			t.Errorf("%q: exit %d, %q\n%s", c.env, code, got, out)
		}
	}
	contains(t, r.read("quality.json"), `"path": "b/net.graph"`)
}

// TestTheScriptIsPlainShell has every shell that is installed read it.
func TestTheScriptIsPlainShell(t *testing.T) {
	read := 0
	for _, script := range []string{"verify.sh", "install.sh"} {
		for _, shell := range []string{"dash", "bash", "busybox", "sh"} {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Logf("%s is not installed", shell)
				continue
			}
			args := []string{"-n", script}
			if shell == "busybox" {
				args = append([]string{"sh"}, args...)
			}
			if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %v\n%s", shell, script, err, out)
			}
			read++
		}
		if info, err := os.Stat(script); err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("%s cannot be run: %v", script, err)
		}
	}
	if read == 0 {
		t.Skip("no shell is installed")
	}
}

// TestRecordsRepeatFromACleanCheckout: with the artifact in its place, a clone of the head repeats every recorded run, the version before and
// its policy included; and a pull request that loosens the policy is refused by the one before.
func TestRecordsRepeatFromACleanCheckout(t *testing.T) {
	r := newRepository(t)
	r.commit(map[string]string{"models/net.graph": net, ".verifier.yml": "policy: {max_params: 4M}\n"})
	r.git("checkout", "-q", "-b", "change")
	r.commit(map[string]string{"models/net.graph": strings.ReplaceAll(net, "4096", "8192"), ".verifier.yml": "policy: {max_params: 40M}\n"})
	out, code := r.run(append(r.onGitHub(commenttest.Job), "VERIFIER_ATTEST=true")...)
	if code != 1 || !strings.Contains(out, "policy-loosened") {
		t.Errorf("a change that loosens the policy gives exit code %d:\n%s", code, out)
	}
	if change := r.read(".verifier-ci/change.json"); !strings.Contains(change, "max_params: 4M") {
		t.Errorf("what the comment is made of does not name the line that is gone: %s", change)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	r.git("clone", "-q", "-b", "change", ".", clone)
	r.git("-C", clone, "status") // it is clean
	if err := os.CopyFS(filepath.Join(clone, ".verifier-ci", "records"), os.DirFS(filepath.Join(r.dir, ".verifier-ci", "records"))); err != nil {
		t.Fatal(err)
	}
	records, err := filepath.Glob(filepath.Join(clone, ".verifier-ci", "records", "*.json"))
	if err != nil || len(records) != 1 {
		t.Fatal(records, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "verify-attestation", records[0], "models/net.graph")
	cmd.Dir, cmd.Env = clone, r.env
	if text, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(text), "reproduced: ") {
		t.Errorf("%v\n%s", err, text)
	}
}
