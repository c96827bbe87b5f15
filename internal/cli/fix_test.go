package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/pythontest"
)

const brokenNet = "import torch.nn as nn\n\n\nclass Net(nn.Module):\n\tdef __init__(self):\n\t\tsuper().__init__()\n\t\tself.a = nn.Linear(8, 16)\n" +
	"\t\tself.b = nn.Linear(15, 4)  # ü\n\n\tdef forward(self, x):\n\t\treturn self.b(self.a(x))\n"

// mended runs fix in a folder, and returns its exit code and what it wrote.
func mended(t *testing.T, dir string, args ...string) (int, string) {
	t.Helper()
	t.Chdir(dir)
	var out, errs bytes.Buffer
	code := Main(append([]string{"fix"}, args...), strings.NewReader(""), &out, &errs)
	return code, out.String() + errs.String()
}

func TestWritingKeepsWhatAFileIs(t *testing.T) {
	for name, text := range map[string]string{
		"tabs":            brokenNet,
		"CRLF":            strings.ReplaceAll(brokenNet, "\n", "\r\n"),
		"a mark":          "\ufeff" + brokenNet,
		"mark and CRLF":   "\ufeff" + strings.ReplaceAll(brokenNet, "\n", "\r\n"),
		"no last newline": strings.TrimSuffix(brokenNet, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "net.py")
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, 0o755); err != nil {
				t.Fatal(err)
			}
			if code, said := mended(t, dir, "net.py:Net", "--input", "8", "--write"); code != 0 {
				t.Fatal(code, said)
			}
			got, err := os.ReadFile(file)
			if want := strings.Replace(text, "Linear(15", "Linear(16", 1); err != nil || string(got) != want {
				t.Errorf("%q, want %q", got, want)
			}
			info, err := os.Stat(file)
			if err != nil || info.Mode().Perm() != 0o755 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
				t.Errorf("%v are left", left)
			}
		})
	}
}

func TestFixSaysWhatItCannotChange(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"not UTF-8": {"# caf\xe9\n" + brokenNet, "is not UTF-8"},
		"no Python": {"class (\n", "net.py"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "net.py"), []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if code, said := mended(t, dir, "net.py:Net", "--input", "8", "--write"); code != exitUsage || !strings.Contains(said, c.want) {
				t.Errorf("%d %s, want %s", code, said, c.want)
			}
		})
	}
}

func TestFixWritesNothingOutsideOfTheRepository(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "repo")
	for path, text := range map[string]string{
		"repo/.git/HEAD": "", "repo/net.py": "from parts import Net\n", "repo/parts.py": "", "outside.py": brokenNet,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(inside, "parts.py")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../outside.py", filepath.Join(inside, "parts.py")); err != nil {
		t.Skip("links cannot be made here")
	}
	code, said := mended(t, inside, "net.py:Net", "--input", "8", "--write")
	if got, _ := os.ReadFile(filepath.Join(dir, "outside.py")); code == 0 || string(got) != brokenNet {
		t.Errorf("%d %s: a file outside was changed or taken for mended", code, said)
	}
}

func TestAChangedFileIsNotOverwritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "net.py")
	if err := os.WriteFile(file, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replace(file, "old", "mended"); err == nil || !strings.Contains(err.Error(), "has changed since it was read") {
		t.Error(err)
	}
}

// TestDiffsOfFixApply gives what --diff prints to both programs that apply diffs.
func TestDiffsOfFixApply(t *testing.T) {
	for _, tool := range [][]string{{"patch", "-p0", "--binary", "-s"}, {"git", "apply", "-p0"}} {
		if _, err := exec.LookPath(tool[0]); err != nil {
			t.Logf("%s is not installed", tool[0])
			continue
		}
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "a b"), 0o755); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "a b", "net.py")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(brokenNet, "\n", "\r\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		code, diff := mended(t, dir, "a b/net.py:Net", "--input", "8", "--diff")
		if code != exitGated {
			t.Fatal(code, diff)
		}
		diff = diff[:strings.Index(diff, "note:")]
		cmd := exec.Command(tool[0], tool[1:]...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s\n%s", tool[0], err, out, diff)
		}
		if got, _ := os.ReadFile(file); !strings.Contains(string(got), "Linear(16, 4)  # ü\r\n") {
			t.Errorf("%s: %q", tool[0], got)
		}
	}
}

// TestTheSampleRepositoryIsMended clones the sample repository, mends it with one command, and runs the tests that it has of its own.
func TestTheSampleRepositoryIsMended(t *testing.T) {
	const python = pythontest.Debian // which finds the packages that Debian installs
	if testing.Short() || !pythontest.Has(python, "torch") {
		t.Skip("python3-torch is not installed, or takes seconds to start")
	}
	origin, clone := filepath.Join(t.TempDir(), "origin"), filepath.Join(t.TempDir(), "clone")
	if err := os.CopyFS(origin, os.DirFS("../../examples/broken-model")); err != nil {
		t.Fatal(err)
	}
	in := func(dir, name string, args ...string) ([]byte, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "GIT_CONFIG_GLOBAL=/dev/null")
		return cmd.CombinedOutput()
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "a model"}, {"clone", "-q", origin, clone},
	} {
		if out, err := in(origin, "git", args...); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if out, err := in(clone, python, "-m", "unittest"); err == nil {
		t.Fatalf("the tests pass before anything is mended\n%s", out)
	}
	code, said := mended(t, clone, "--write")
	if code != 0 {
		t.Fatalf("%d\n%s", code, said)
	}
	if out, err := in(clone, python, "-m", "unittest"); err != nil {
		t.Errorf("%v\n%s\n%s", err, out, said)
	}
	if out, err := in(clone, "git", "diff", "--stat"); err != nil || !strings.Contains(string(out), "2 files changed, 3 insertions(+), 2 deletions(-)") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestPatternsOfModelsStayBeneathTheRoot(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	for _, f := range []string{filepath.Join(dir, "nets", "b.py"), filepath.Join(dir, "nets", "a.py"), filepath.Join(elsewhere, "c.py")} {
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, []byte(brokenNet), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(elsewhere, "c.py"), filepath.Join(dir, "nets", "c.py")); err != nil {
		t.Skip(err)
	}
	want := []string{filepath.Join(dir, "nets", "a.py"), filepath.Join(dir, "nets", "b.py")}
	for pattern, want := range map[string][]string{"nets/*.py": want, "./*/?.py": want, "../*/c.py": nil, "[": nil} {
		if got := filesLike(dir, pattern); !slices.Equal(got, want) {
			t.Errorf("%s stands for %v, want %v", pattern, got, want)
		}
	}
	for name, text := range map[string]string{"nets/d.graph": "x: input shape=[1]\n", "notes.json": "{}", ".hidden/e.graph": ""} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if got := modelsLike(dir, "*"); !slices.Equal(got, []string{filepath.Join(dir, "nets", "d.graph")}) {
		t.Errorf("* stands for %v", got)
	}
}
