package cli

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/policy"
)

// TestPolicyApplyAddsToTheBodyOfCheck compares the bytes: those of check stand in front, whole.
func TestPolicyApplyAddsToTheBodyOfCheck(t *testing.T) {
	for _, text := range []string{"x: input shape=[8]\nl: linear outFeatures=2\no: output\nx -> l -> o\n", "x: input shape=[8]\nl: linear inFeatures=3 outFeatures=2\nd: dropout p=0.9\no: output\nx -> l -> d -> o\n"} {
		var checked, applied, stderr bytes.Buffer
		args := []string{"--json", "--policy", `{"max_layers": 1}`, "--data", `{"num_labels": 3}`, "-"}
		exit := Main(append([]string{"check"}, args...), strings.NewReader(text), &checked, &stderr)
		if again := Main(append([]string{"policy-apply"}, args...), strings.NewReader(text), &applied, &stderr); again != exit {
			t.Errorf("exit %d, of check %d", again, exit)
		}
		body := strings.TrimSuffix(checked.String(), "}\n")
		if rest, ok := strings.CutPrefix(applied.String(), body); !ok || !strings.HasPrefix(rest, `,"policy":{`) {
			t.Errorf("%s\ndoes not begin with\n%s\n%s", &applied, body, &stderr)
		}
	}
}

// TestWhatAFileCanFillIn holds the list of flags to the commands: each exists, none takes a file or reaches further, and no command
// has the name of one.
func TestWhatAFileCanFillIn(t *testing.T) {
	root := Root()
	commands := names(root).Flags()
	var seen []string
	for _, c := range commands {
		seen = append(seen, c.Flags...)
	}
	for _, want := range []string{"check", "layout", "lint", "plan", "policy-apply", "serve-check"} {
		if !slices.ContainsFunc(commands, func(c policy.Command) bool { return c.Name == want }) {
			t.Errorf("%s takes no defaults", want)
		}
	}
	for _, flag := range fillable {
		if !slices.Contains(seen, flag) {
			t.Errorf("no command has the flag %s", flag)
		}
		if slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == flag }) {
			t.Errorf("%s is a flag and a command: a file could not tell them apart", flag)
		}
	}
	for _, flag := range []string{"policy", "now", "severity", "download", "request", "base", "data", "command-file", "json"} {
		if slices.Contains(fillable, flag) {
			t.Errorf("a file can fill in --%s", flag)
		}
	}
}

func TestTheRecordsTimeIsADayInUTC(t *testing.T) {
	for text, want := range map[string]string{"2027-01-31T23:30:00-01:00": "2027-02-01", "2027-01-31T12:00:00Z": "2027-01-31", "": ""} {
		c := &cobra.Command{}
		c.Flags().String("now", "", "")
		c.Flags().String("attest-time", text, "")
		if got, err := day(c); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
		if err := c.Flags().Set("now", "2026-05-05"); err != nil {
			t.Fatal(err)
		}
		if got, err := day(c); err != nil || got != "2026-05-05" {
			t.Errorf("--now does not go before the record's time: %s, %v", got, err)
		}
	}
	c := &cobra.Command{}
	c.Flags().String("attest-time", "yesterday", "")
	if _, err := day(c); err == nil {
		t.Error("yesterday is no time")
	}
}

// TestAModelThatIsNoFileHasTheRulesOfTheWorkingDirectory names one by its id: it lies in a cache, and keeps its reference.
func TestAModelThatIsNoFileHasTheRulesOfTheWorkingDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{".verifier.yml": "models: {'Org/*': {max_layers: 3}, 'net.py:A': {max_layers: 4}}\n", "net.py": ""} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for model, want := range map[string]string{"Org/Name-7B": "max_layers: 3", "Org/Name@main": "max_layers: 3", "./net.py:A": "max_layers: 4", "net.py:B": "", "-": ""} {
		h, err := houseOf(names(Root()), "", model)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(h.policy.Lines(), "; "); got != want || h.path != ".verifier.yml" {
			t.Errorf("%s: %q of %q, want %q", model, got, h.path, want)
		}
	}
}
