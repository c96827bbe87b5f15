package conformance

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// place is where and how a record is made: the same command gives the same bytes in each.
type place struct {
	program []string // that runs the binary, and the binary
	env     []string
	reverse bool // the files of the model were written in the other order
}

const attestedConfig = `{"model_type":"gpt2","architectures":["GPT2LMHeadModel"],"n_layer":2,"n_embd":96,"n_head":6,"vocab_size":1000,"n_positions":128}`

// lay writes the model, with a policy beside it.
func (p *place) lay(t *testing.T, dir string) {
	t.Helper()
	files := [][2]string{{"llm/config.json", attestedConfig}, {"llm/a.txt", "a"}, {"llm/b-c.txt", "b"}, {"llm/b/c.bin", strings.Repeat("x", 1<<20)}, {".verifier.yml", "policy: {max_params: 200M}\ndefaults: {fail-on: warn}\n"}}
	for i := range files {
		f := files[i]
		if p.reverse {
			f = files[len(files)-1-i]
		}
		path := filepath.Join(dir, f[0])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f[1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (p *place) run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, code := p.exit(t, dir, args...)
	if code > 1 {
		t.Fatalf("%v %v: exit %d", p.program, args, code)
	}
	return out
}

// exit runs the program, and returns what it printed and its exit code.
func (p *place) exit(t *testing.T, dir string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(p.program[0], append(append([]string{}, p.program[1:]...), args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), p.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 {
		t.Fatalf("%v %v: %v %s", p.program, args, err, errs.String())
	}
	if errs.Len() > 0 {
		t.Logf("%v: %s", args, errs.String())
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// checkout copies what the program is built from into a folder of its own.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range []string{"cmd/verifier", "internal", "models", "worker", "web/dist", "web/engine"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join("..", part))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "repo.go", "VERSION", "web/web.go"} {
		data, err := os.ReadFile(filepath.Join("..", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// places builds the program for what this machine can run: once here as go build does, and otherwise as a release is built, in another
// checkout. Whoever builds it, the version is that of the source. The last one is a later version, which decides by another file.
func places(t *testing.T) (map[string]*place, *place) {
	t.Helper()
	dir, elsewhere := t.TempDir(), checkout(t)
	program := func(name string, env ...string) string {
		path := filepath.Join(dir, name)
		buildIn(t, elsewhere, env, "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid=", "-o", path, "./cmd/verifier")
		return path
	}
	native := filepath.Join(dir, "native")
	build(t, []string{"GOOS=" + runtime.GOOS}, "-o", native, "../cmd/verifier")
	out := map[string]*place{
		"one processor":                  {program: []string{native}, env: []string{"GOMAXPROCS=1"}},
		"eight, elsewhere, other order":  {program: []string{native}, env: []string{"GOMAXPROCS=8", "TZ=Asia/Kolkata", "HOME=/nonexistent", "LC_ALL=tr_TR.UTF-8", "NO_COLOR=1"}, reverse: true},
		"in GitHub's and GitLab's hands": {program: []string{native}, env: []string{"GITHUB_ACTIONS=true", "GITLAB_CI=true", "CI=1"}},
	}
	// What every level of a processor answers is compared by TestEveryProcessorAnswersTheSameBytes, in a smaller program.
	out["another checkout"] = &place{program: []string{program("elsewhere", "GOOS="+runtime.GOOS)}}
	if runtime.GOARCH == "amd64" {
		if qemu := find("qemu-aarch64-static", "qemu-aarch64"); qemu != "" && runtime.GOOS == "linux" {
			out["another checkout, arm64"] = &place{program: []string{qemu, program("arm64", "GOOS=linux", "GOARCH=arm64")}}
		} else {
			t.Log("arm64 is left out: qemu is not installed")
		}
	}
	later := filepath.Join(elsewhere, "internal/ruleset/digests.txt")
	list, err := os.ReadFile(later)
	if err != nil {
		t.Fatal(err)
	}
	changed := append([]byte("0000"), list[4:]...)
	if err := errors.Join(os.WriteFile(later, changed, 0o644), os.WriteFile(filepath.Join(elsewhere, "VERSION"), []byte("99.0.0\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	return out, &place{program: []string{program("later", "GOOS="+runtime.GOOS)}}
}

func find(names ...string) string {
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path
		}
	}
	return ""
}

func TestRecordsAreTheSameBytesEverywhere(t *testing.T) {
	skipShort(t)
	all, later := places(t)
	for _, args := range [][]string{
		{"check", "llm"}, {"policy-apply", "llm", "--base", "llm"}, {"layout", "llm", "--tp", "4", "--gpu", "H100"},
		{"serve-check", "llm", "--gpu", "A10G", "--", "vllm", "serve", "x", "--tensor-parallel-size", "4"},
	} {
		records := map[string]string{}
		dirs := map[string]string{}
		for name, p := range all {
			dir := t.TempDir()
			p.lay(t, dir)
			p.run(t, dir, append([]string{args[0], "--attest", "r.json", "--attest-time", "2027-01-31T12:00:00Z"}, args[1:]...)...)
			data, err := os.ReadFile(filepath.Join(dir, "r.json"))
			if err != nil {
				t.Fatal(err)
			}
			records[name], dirs[name] = string(data), dir
		}
		first := records["one processor"]
		for name, record := range records {
			if record != first {
				t.Errorf("%v: %s gives another record", args, name)
			}
		}
		if out, code := later.exit(t, dirs["one processor"], "verify-attestation", "r.json", "llm"); code != 3 || !strings.Contains(out, "this is v99.0.0") {
			t.Errorf("%v: a later version exits with %d: %s", args, code, out)
		}
		// Every build proves the record of another, over a model that lies elsewhere under another name.
		for name, p := range all {
			elsewhere := filepath.Join(t.TempDir(), "renamed")
			if err := os.CopyFS(elsewhere, os.DirFS(filepath.Join(dirs["one processor"], "llm"))); err != nil {
				t.Fatal(err)
			}
			out := p.run(t, dirs[name], "verify-attestation", filepath.Join(dirs["one processor"], "r.json"), elsewhere)
			if !strings.HasPrefix(out, "reproduced: ") {
				t.Errorf("%v: %s does not reproduce the record: %s", args, name, out)
			}
		}
	}
}
