package lsp

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNeovimMendsAFile opens a broken file in a real editor with the real program: the finding stands on its line, and the action mends it.
func TestNeovimMendsAFile(t *testing.T) {
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		t.Skip("nvim is not installed: make packages installs it")
	}
	server := filepath.Join(t.TempDir(), "verifier")
	if out, err := exec.Command("go", "build", "-o", server, "../../cmd/verifier").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	dir := files(t, map[string]string{"net.py": strings.Replace(net, "16 * 30 * 30", "14000", 1)})
	file := filepath.Join(dir, "net.py")
	script, err := filepath.Abs("testdata/mend.lua")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "luafile "+script)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "VERIFIER="+server, "FILE="+file, "HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home, "TMPDIR="+home)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "line 9: linear-in-mismatch") || !strings.Contains(string(out), "mended") {
		t.Fatalf("Neovim: %v\n%s", err, out)
	}
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(net, "16 * 30 * 30", "14400", 1); string(after) != want {
		t.Errorf("the file is\n%s", after)
	}
}
