package pages_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/nodetest"
)

// program starts the service as somebody does who has just built it, and returns the link that it prints and its log.
func program(t *testing.T) (link string, log *accounttest.Log) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "verifier-hosted")
	if out, err := exec.Command("go", "build", "-o", binary, "../../../cmd/verifier-hosted").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	log = &accounttest.Log{}
	cmd := exec.Command(binary, "--addr", "127.0.0.1:0", "--data", t.TempDir())
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, log)
		}
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if line := strings.TrimSpace(lines.Text()); strings.HasPrefix(line, "http") && strings.Contains(line, "?link=") {
			return line, log
		}
	}
	t.Fatalf("no link was printed\n%s", log)
	return "", nil
}

// TestANewUserInABrowser starts the program and follows the link that it prints in chromium, with scripts switched off, up to a
// key that works with the commands that the page shows. PAGES_PICTURES names a folder for pictures of every page.
func TestANewUserInABrowser(t *testing.T) {
	node, chromium := nodetest.Browser(t)
	link, log := program(t)
	var out, errs bytes.Buffer
	began := time.Now()
	cmd := exec.Command(node, "browser.mjs", chromium, link, os.Getenv("PAGES_PICTURES"))
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s\n%s", err, &out, &errs, log)
	}
	var got struct {
		Faults             []string
		Seen               int
		KeyMs, RefusedInMs int
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, f := range got.Faults {
		t.Error(f)
	}
	_, secret, _ := strings.Cut(link, "?link=")
	for _, s := range []string{secret, "mv_", "a long enough password", "example.com", "127.0.0.1"} {
		if strings.Contains(log.String(), s) {
			t.Errorf("the log has %q", s)
		}
	}
	t.Logf("%d pages in %v; the commands had run after %d ms; the revoked key was refused after %d ms", got.Seen, time.Since(began).Round(time.Second), got.KeyMs, got.RefusedInMs)
}
