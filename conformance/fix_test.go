package conformance

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"encoding/json"

	"github.com/modelverifier/verifier/internal/action/fix"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/llm"
	"github.com/modelverifier/verifier/internal/llm/llmtest"
)

var record = flag.Bool("record", false, "write the requests to the provider into its transcripts")

// nobody stands for a provider that must not be asked.
const nobody = "nobody"

// TestFixAnswersAsWrittenInBothFormats sends the exchanges of fix to a service whose provider answers from transcripts, in each of the
// two wire formats. A request that differs from the recorded one fails, and so does one that does not come.
func TestFixAnswersAsWrittenInBothFormats(t *testing.T) {
	for _, format := range llm.Formats() {
		t.Run(format, func(t *testing.T) {
			provider := llmtest.New(t, *record)
			s, keys, at := published(t, func(c *hostedapi.Config, at *stage) {
				config := provider.Config(format)
				config.Timeout = 3 * time.Second
				config.Wait = func(context.Context, time.Duration) error { return nil }
				client, err := llm.New(config)
				if err != nil {
					t.Fatal(err)
				}
				c.Agent = client
				c.CheckDiff = func(string) error {
					if at.refusing {
						return errors.New("refused")
					}
					return nil
				}
			})
			sent := 0
			for _, e := range exchanges(t) {
				if e.Provider == "" {
					continue
				}
				at.take(e.Before)
				if e.Provider != nobody {
					provider.Load("hosted/provider/" + e.Provider + "." + format + ".json")
				}
				got := e.send(t, s, keys, strings.NewReplacer())
				provider.Done()
				applies(t, e, got)
				sent++
			}
			if sent < 25 {
				t.Errorf("only %d exchanges", sent)
			}
		})
	}
}

// applies has patch apply the diffs of an answer to the files that were sent, with a path-strip level of 0.
func applies(t *testing.T, e *exchange, answer []byte) {
	t.Helper()
	var request struct{ Files []struct{ Path, Text string } }
	var result fix.Result
	if json.Unmarshal(e.Request, &request) != nil || json.Unmarshal(answer, &result) != nil || len(result.Patches) == 0 {
		return
	}
	if _, err := exec.LookPath("patch"); err != nil {
		t.Log("patch is not installed")
		return
	}
	dir := t.TempDir()
	for _, f := range request.Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(f.Text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range result.Patches {
		cmd := exec.Command("patch", "-p0", "--binary", "-s")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(p.Diff)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s\n%s", e.Name, err, out, p.Diff)
		}
	}
}
