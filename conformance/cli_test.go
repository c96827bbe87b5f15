package conformance

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/modelverifier/verifier/internal/cli"
)

// TestTheCommandLineAnswersTheSameBytes gives the body to verifier on standard input. What it prints is the body of the service
// and a line end, errors included. Sizes are not compared: a file of one's own may be larger than a request.
func TestTheCommandLineAnswersTheSameBytes(t *testing.T) {
	for _, c := range load(t) {
		if c.Status == 413 {
			continue
		}
		status, want := answer(t, c)
		var stdout, stderr bytes.Buffer
		code := cli.Main([]string{c.Action, "--json", "--request", "--policy", "none", "-"}, bytes.NewReader(bodyOf(t, c)), &stdout, &stderr)
		if got, ok := bytes.CutSuffix(stdout.Bytes(), []byte("\n")); !ok || !bytes.Equal(got, want) {
			t.Errorf("%s: %.300s, want %.300s", c.Name, stdout.String(), want)
		}
		if exit := exitCode(t, c, status, want); code != exit {
			t.Errorf("%s: exit %d, want %d: %s", c.Name, code, exit, stderr.String())
		}
	}
}

// exitCode is 2 for an error, and 1 where the answer refuses the model: all candidates, for rank.
func exitCode(t *testing.T, c *Case, status int, body []byte) int {
	t.Helper()
	if status != 200 {
		return 2
	}
	var a struct {
		Verdict string
		Plan    *struct{ Run struct{ Legal bool } }
		Budget  *struct{ Legal int }
	}
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	refused := a.Verdict == "block" || a.Verdict == "fail"
	switch {
	case a.Plan != nil:
		refused = !a.Plan.Run.Legal
	case a.Budget != nil:
		refused = a.Budget.Legal == 0
	}
	if refused {
		return 1
	}
	return 0
}
