package ci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/modelverifier/verifier/internal/cli"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func parse[T any](t *testing.T, what, text string) (out T) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return out
}

type step struct {
	ID, If, Uses, Shell, Run string
	With, Env                map[string]any
}

type action struct {
	Name, Description string
	Inputs            map[string]struct {
		Description string
		Default     *string
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []step
	}
}

func keys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

var variable = regexp.MustCompile(`VERIFIER_[A-Z_]+`)

// TestTheActionHangsTogether holds action.yml, the scripts and docs/ci.md to each other.
func TestTheActionHangsTogether(t *testing.T) {
	a := parse[action](t, "action.yml", read(t, "../action.yml"))
	if got := keys(a.Inputs); a.Runs.Using != "composite" || !slices.Equal(got, []string{"attest", "base", "comment", "fail-on", "models", "policy", "sarif", "token", "version"}) {
		t.Errorf("%s, inputs %v", a.Runs.Using, got)
	}
	if got := keys(a.Outputs); !slices.Equal(got, []string{"findings", "plan", "record", "verdict"}) {
		t.Errorf("outputs %v", got)
	}
	script, docs, whole := read(t, "verify.sh"), read(t, "../docs/ci.md"), read(t, "../action.yml")
	for name, in := range a.Inputs {
		if in.Description == "" || in.Default == nil || !strings.Contains(whole, "inputs."+name) || !strings.Contains(docs, "| `"+name+"` |") {
			t.Errorf("the input %s is not described, used or documented", name)
		}
	}
	for name, out := range a.Outputs {
		if out.Value != "${{ steps.verify.outputs."+name+" }}" || !strings.Contains(script, "output "+name+" ") || !strings.Contains(docs, "| `"+name+"` |") {
			t.Errorf("the output %s is not written or documented", name)
		}
	}
	known := variable.FindAllString(script+read(t, "install.sh")+read(t, "../install.sh"), -1)
	for _, s := range a.Runs.Steps {
		if s.Run != "" && (s.Shell == "" || strings.Contains(s.Run, "${{")) {
			t.Errorf("%q has no shell, or takes an input for a command", s.Run)
		}
		for name := range s.Env {
			if strings.HasPrefix(name, "VERIFIER_") && !slices.Contains(known, name) {
				t.Errorf("no script reads %s", name)
			}
		}
	}
	for _, name := range variable.FindAllString(script, -1) {
		if !strings.Contains(script, "#   "+name+" ") {
			t.Errorf("%s is not explained on top of verify.sh", name)
		}
	}
}

func TestTheGitLabJobCallsTheScripts(t *testing.T) {
	jobs := parse[map[string]struct {
		Stage     string
		Script    []string
		Variables map[string]string
		Artifacts map[string]any
	}](t, "gitlab.yml", read(t, "gitlab.yml"))
	job, ok := jobs["verifier"]
	if script := strings.Join(job.Script, "\n"); !ok || len(jobs) != 1 || !strings.Contains(script, "ci/install.sh") || !strings.Contains(script, "ci/verify.sh") {
		t.Errorf("%+v", jobs)
	}
	for _, line := range job.Script {
		if out, err := exec.Command("sh", "-n", "-c", line).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}

// TestTheFixHookMends runs the entry of the hook that takes no files but those of .verifier.yml.
func TestTheFixHookMends(t *testing.T) {
	t.Chdir(t.TempDir())
	bad := strings.Replace(net, "inFeatures=4096", "inFeatures=2048", 1)
	for path, text := range map[string]string{"net.graph": bad, ".verifier.yml": "models:\n  net.graph:\n    max_params: 1B\n", ".git": ""} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time there is nothing to do
		var out bytes.Buffer
		if code := cli.Main([]string{"fix", "--write"}, strings.NewReader(""), &out, &out); code != 0 {
			t.Errorf("%d\n%s", code, out.String())
		}
		if got := read(t, "net.graph"); got != net {
			t.Errorf("%s\nis not\n%s", got, net)
		}
	}
}

// hook is an entry of .pre-commit-hooks.yaml.
type hook struct {
	ID, Name, Description, Entry, Language, Files string

	PassFilenames *bool `yaml:"pass_filenames"`
}

// TestTheModelsHookRefusesAndPasses runs the entry of the hook that checks the models of .verifier.yml.
func TestTheModelsHookRefusesAndPasses(t *testing.T) {
	hooks := parse[[]hook](t, ".pre-commit-hooks.yaml", read(t, "../.pre-commit-hooks.yaml"))
	i := slices.IndexFunc(hooks, func(h hook) bool { return h.ID == "verifier-models" })
	if i < 0 || hooks[i].Language != "golang" || !regexp.MustCompile(hooks[i].Files).MatchString("a/net.py") {
		t.Fatalf("%+v", hooks)
	}
	words := strings.Fields(hooks[i].Entry)
	t.Chdir(t.TempDir())
	for want, text := range []string{net, strings.Replace(net, "4096", "2048", 1)} {
		for path, text := range map[string]string{"net.graph": text, ".verifier.yml": "models:\n  net.graph: {}\n", ".git": ""} {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		if code := cli.Main(words[1:], strings.NewReader(""), &out, &out); code != want {
			t.Errorf("exit %d, want %d\n%s", code, want, &out)
		}
	}
}

// TestTheHooksRefuseAndPass runs the entry of each hook on the files that it takes, as pre-commit does.
func TestTheHooksRefuseAndPass(t *testing.T) {
	hooks := parse[[]hook](t, ".pre-commit-hooks.yaml", read(t, "../.pre-commit-hooks.yaml"))
	if len(hooks) != 4 {
		t.Fatalf("%d hooks", len(hooks))
	}
	hooks = slices.DeleteFunc(hooks, func(h hook) bool { return h.PassFilenames != nil }) // which take the models of .verifier.yml
	if len(hooks) != 2 {
		t.Fatalf("%d hooks take files", len(hooks))
	}
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.graph"), filepath.Join(dir, "bad.graph")
	for path, text := range map[string]string{good: net, bad: strings.Replace(net, "4096", "2048", 1)} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range hooks {
		files, err := regexp.Compile(h.Files)
		if err != nil || !files.MatchString("a/b.graph") || files.MatchString("a/config.json") || h.Language != "golang" || h.Name == "" || h.Description == "" {
			t.Errorf("%+v: %v", h, err)
		}
		words := strings.Fields(h.Entry)
		if words[0] != "verifier" {
			t.Errorf("%s runs %s", h.ID, words[0])
		}
		for want, list := range [][]string{{good}, {good, bad}} {
			var out bytes.Buffer
			if code := cli.Main(append(words[1:], list...), strings.NewReader(""), &out, &out); code != want {
				t.Errorf("%s %v: exit %d\n%s", h.ID, list, code, &out)
			}
		}
	}
}

var fence = regexp.MustCompile("(?ms)^```([a-z]+) ([a-z]+)\n(.*?)^```$")

// TestTheExamplesOfThePageHold reads the files that docs/ci.md shows, and runs its recipe.
func TestTheExamplesOfThePageHold(t *testing.T) {
	page := read(t, "../docs/ci.md")
	seen := 0
	for _, block := range fence.FindAllStringSubmatch(page, -1) {
		seen++
		switch kind, text := block[2], block[3]; kind {
		case "workflow":
			workflow(t, text)
		case "gitlab":
			parse[struct{ Include []map[string]string }](t, kind, text)
		case "hooks":
			c := parse[struct {
				Repos []struct{ Hooks []struct{ ID string } }
			}](t, kind, text)
			if !strings.Contains(read(t, "../.pre-commit-hooks.yaml"), "- id: "+c.Repos[0].Hooks[0].ID+"\n") {
				t.Errorf("there is no hook %s", c.Repos[0].Hooks[0].ID)
			}
		case "local":
			c := parse[struct{ Repos []struct{ Hooks []hook } }](t, kind, text)
			if h := c.Repos[0].Hooks[0]; h.Language != "system" || h.Entry != "verifier check --quiet" {
				t.Errorf("%+v", h)
			}
		case "recipe":
			recipe(t, text)
		default:
			t.Errorf("what is %s?", kind)
		}
	}
	if seen != 5 {
		t.Errorf("the page has %d examples", seen)
	}
}

// workflow checks that a workflow gives the action inputs that it has.
func workflow(t *testing.T, text string) {
	t.Helper()
	w := parse[struct {
		Jobs map[string]struct{ Steps []step }
	}](t, "workflow", text)
	inputs := parse[action](t, "action.yml", read(t, "../action.yml")).Inputs
	steps := w.Jobs["verifier"].Steps
	if len(steps) != 2 || !strings.HasPrefix(steps[1].Uses, "modelverifier/verifier@") {
		t.Errorf("%+v", steps)
		return
	}
	for name := range steps[1].With {
		if _, ok := inputs[name]; !ok {
			t.Errorf("the action has no input %s", name)
		}
	}
}

// recipe runs the plain shell on a repository.
func recipe(t *testing.T, text string) {
	r := newRepository(t)
	r.commit(map[string]string{"sub/net.graph": net, "other.graph": net})
	r.git("checkout", "-q", "-b", "pr")
	for want, model := range []string{strings.ReplaceAll(net, "4096", "8192"), strings.Replace(net, "4096", "2048", 1)} {
		r.commit(map[string]string{"sub/net.graph": model})
		bin := filepath.Join(t.TempDir(), "verifier")
		if err := os.Symlink(strings.TrimPrefix(r.env[slices.IndexFunc(r.env, func(s string) bool { return strings.HasPrefix(s, "VERIFIER=") })], "VERIFIER="), bin); err != nil {
			t.Skip("no links here:", err)
		}
		cmd := exec.Command("sh", "-c", text)
		cmd.Dir, cmd.Env = r.dir, append(slices.Clone(r.env), "BASE=main", "PATH="+filepath.Dir(bin)+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != want || !strings.Contains(string(out), "<!-- model-verifier comment -->\n### ") {
			t.Errorf("%v, want %d\n%s", err, want, out)
		}
	}
}

// TestInitProposesAWorkflowThatTheActionTakes reads what init writes.
func TestInitProposesAWorkflowThatTheActionTakes(t *testing.T) {
	dir := t.TempDir()
	hostile := "a\"b: {} #\u2028\u0085x.graph"
	if err := os.WriteFile(filepath.Join(dir, hostile), []byte(net), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, provider := range []string{"github", "gitlab"} {
		var out bytes.Buffer
		if code := cli.Main([]string{"init", "--force", "--provider", provider, dir}, strings.NewReader(""), &out, &out); code != 0 {
			t.Fatal(out.String())
		}
	}
	text := read(t, filepath.Join(dir, ".github/workflows/verifier.yml"))
	workflow(t, text)
	workflow(t, regexp.MustCompile(`(?m)^        #( +[a-z]|   )`).ReplaceAllStringFunc(text, func(s string) string { return strings.Replace(s, "# ", "", 1) })) // with what stands commented out
	parse[struct{ Include []map[string]string }](t, "gitlab", read(t, filepath.Join(dir, ".gitlab-ci.yml")))
	var out bytes.Buffer
	t.Chdir(dir)
	if code := cli.Main([]string{"changed"}, strings.NewReader("A\x00"+hostile+"\x00"), &out, &out); code != 2 || !strings.Contains(out.String(), "rename the file") {
		t.Errorf("exit %d: %s", code, &out) // the file was read, and names the model
	}
}

// archive is a release whose program says that it is one.
func archive(t *testing.T, name string) []byte {
	t.Helper()
	program := "#!/bin/sh\necho released\n"
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: name + "/verifier", Mode: 0o644, Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(program)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTheProgramIsInstalledFromAReleaseOrFromSource serves a release, and one with another digest.
func TestTheProgramIsInstalledFromAReleaseOrFromSource(t *testing.T) {
	for _, program := range []string{"sh", "curl", "awk", "tar"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	name := "verifier_1.0.0_" + runtime.GOOS + "_" + runtime.GOARCH
	packed := archive(t, name)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1.0.0/" + name + ".tar.gz", "/v2.0.0/" + strings.Replace(name, "1.0", "2.0", 1) + ".tar.gz":
			_, _ = w.Write(packed)
		case "/v1.0.0/SHA256SUMS":
			fmt.Fprintf(w, "%x  other\n%x  %s.tar.gz\n", sha256.Sum256(nil), sha256.Sum256(packed), name)
		case "/v2.0.0/SHA256SUMS":
			fmt.Fprintf(w, "%x  %s.tar.gz\n", sha256.Sum256(nil), strings.Replace(name, "1.0", "2.0", 1))
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	if !testing.Short() {
		dir := t.TempDir()
		if out, err := exec.Command("sh", "install.sh", dir, "..").CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		} else if out, err := exec.Command(filepath.Join(dir, "verifier"), "version").CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	source := t.TempDir() // what a fallback would build: it has no module, so building fails in a way that shows
	for _, c := range []struct {
		version, want string
		code          int
	}{{"v1.0.0", "released", 0}, {"v2.0.0", ".tar.gz is not the one", 4}, {"v3.0.0", "built from source", 1}, {"../v1.0.0", "is not a version", 2}, {"v1;x", "is not a version", 2}} {
		dir := t.TempDir()
		cmd := exec.Command("sh", "install.sh", dir, source)
		cmd.Env = append(os.Environ(), "VERIFIER_VERSION="+c.version, "VERIFIER_RELEASES="+server.URL)
		out, _ := cmd.CombinedOutput()
		if ran, err := exec.Command(filepath.Join(dir, "verifier")).CombinedOutput(); err == nil {
			out = append(out, ran...)
		} else if c.code == 0 {
			t.Error(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: exit %d\n%s", c.version, code, out)
		}
	}
}
