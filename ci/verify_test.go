package ci

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/cli"
	"github.com/modelverifier/verifier/internal/comment/commenttest"
)

var update = flag.Bool("update", false, "rewrite the comments that are expected")

// asProgram makes the test's own binary the program that the script calls.
const asProgram = "CI_TEST_IS_VERIFIER"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(cli.Run())
	}
	os.Exit(m.Run())
}

const net = `x: input shape=[784]
l: linear outFeatures=4096
r: relu
m: linear inFeatures=4096 outFeatures=10
o: output
x -> l -> r -> m -> o
`

// repository is a git repository with a branch main and a branch for the pull request.
type repository struct {
	t      *testing.T
	dir    string
	server *commenttest.Server
	env    []string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	for _, program := range []string{"git", "sh", "tar"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &repository{t: t, dir: t.TempDir(), server: commenttest.Serve(t)}
	r.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@example.org", "TMPDIR=" + os.Getenv("TMPDIR"), "VERIFIER=" + self, asProgram + "=1"}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files, "" deletes one, and commits them.
func (r *repository) commit(files map[string]string) {
	r.t.Helper()
	for name, text := range files {
		path := filepath.Join(r.dir, name)
		if text == "" {
			r.git("rm", "-q", "--", name)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "-A", "--", ".", ":(exclude).verifier-ci")
	r.git("commit", "-q", "--allow-empty", "-m", "change")
}

// onGitHub is the environment of a job there.
func (r *repository) onGitHub(token string) []string {
	event := filepath.Join(r.dir, ".git", "event.json")
	if err := os.WriteFile(event, []byte(`{"number":7,"pull_request":{"number":7}}`), 0o644); err != nil {
		r.t.Fatal(err)
	}
	for _, name := range []string{"summary", "output"} {
		if err := os.WriteFile(filepath.Join(r.dir, ".git", name), nil, 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	return []string{"GITHUB_ACTIONS=true", "GITHUB_EVENT_NAME=pull_request", "GITHUB_EVENT_PATH=" + event, "GITHUB_REPOSITORY=" + commenttest.Repository,
		"GITHUB_API_URL=" + r.server.URL, "GITHUB_TOKEN=" + token, "GITHUB_STEP_SUMMARY=" + filepath.Join(r.dir, ".git", "summary"), "GITHUB_OUTPUT=" + filepath.Join(r.dir, ".git", "output"),
		"VERIFIER_BASE=main"}
}

// run runs the script, and returns what it printed and how it ended.
func (r *repository) run(env ...string) (string, int) {
	r.t.Helper()
	script, err := filepath.Abs("verify.sh")
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command("sh", script)
	cmd.Dir, cmd.Env = r.dir, append(append([]string(nil), r.env...), env...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	if strings.Contains(string(out), commenttest.Job) || strings.Contains(string(out), commenttest.GitLab) {
		r.t.Errorf("the token is in the log:\n%s", out)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (r *repository) read(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}

// situations are what a maintainer meets. Each has its comment in testdata.
var situations = []struct {
	name         string
	before, then string
	policy       string
	code         int
	output       string // verdict and findings
	log          string // in what is printed
}{
	{"nothing changed", net, "// a remark\n" + net, "", 0, "verdict=pass\nfindings=0\n", "comment: silent"},
	{"cheaper", net, strings.ReplaceAll(net, "4096", "1024"), "", 0, "verdict=pass\nfindings=0\n", "comment: created"},
	{"dearer", net, strings.ReplaceAll(net, "4096", "16384"), "", 0, "verdict=pass\nfindings=0\n", "comment: created"},
	{"now illegal", net, strings.Replace(net, "outFeatures=4096", "outFeatures=2048", 1), "", 1, "verdict=refused\nfindings=2\n", "::error file=models/net.graph,line=4"},
	{"repaired", strings.Replace(net, "outFeatures=4096", "outFeatures=2048", 1), net, "", 0, "verdict=pass\nfindings=0\n", "comment: created"},
	{"dearer than allowed", net, strings.ReplaceAll(net, "4096", "16384"), "change: {max_params_growth: 10%}\n", 1, "verdict=refused\nfindings=1\n", "::error"},
	{"dearer by less than the thresholds", net, strings.ReplaceAll(net, "4096", "4100"), "change: {max_params_growth: 10%}\n", 0, "verdict=pass\nfindings=0\n", "comment: silent"},
	{"much cheaper than the thresholds", net, strings.ReplaceAll(net, "4096", "256"), "change: {max_params_growth: 10%}\n", 0, "verdict=pass\nfindings=0\n", "comment: created"},
}

func TestTheCommentIsWhatAMaintainerWants(t *testing.T) {
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			first := map[string]string{"models/net.graph": s.before, "README.md": "nets\n"}
			if s.policy != "" {
				first[".verifier.yml"] = s.policy
			}
			r.commit(first)
			r.git("checkout", "-q", "-b", "pr")
			r.commit(map[string]string{"models/net.graph": s.then})
			env := r.onGitHub(commenttest.Job)
			out, code := r.run(env...)
			if code != s.code || !strings.Contains(out, s.log) {
				t.Errorf("exit %d, want %d, and %q in\n%s", code, s.code, s.log, out)
			}
			if got := r.read(".git/output"); !strings.HasPrefix(got, s.output) {
				t.Errorf("outputs are\n%s", got)
			}
			golden(t, s.name, r.server.Comments())
			if s.name == "dearer" {
				onThePage(t, r.server.Comments()[0].Body)
			}
			r.run(env...) // again: one comment, the same
			golden(t, s.name, r.server.Comments())
		})
	}
}

func golden(t *testing.T, name string, got []commenttest.Comment) {
	t.Helper()
	text := ""
	for _, c := range got {
		text += c.Body
	}
	file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+".md")
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || text != string(want) || len(got) > 1 {
		t.Errorf("%v; %d comments; got\n%s\nwant\n%s", err, len(got), text, want)
	}
}

var row = regexp.MustCompile("(?m)^\\| ✅ `models/net.graph`.*$")

// onThePage compares the row of a comment with the one that docs/ci.md shows.
func onThePage(t *testing.T, comment string) {
	t.Helper()
	const page = "../docs/ci.md"
	text, want := read(t, page), row.FindString(comment)
	if *update {
		text = row.ReplaceAllLiteralString(text, want)
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want == "" || row.FindString(text) != want {
		t.Errorf("the page does not show %q", want)
	}
}
