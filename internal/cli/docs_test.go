package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/policy"
)

var codeBlock = regexp.MustCompile("(?ms)^```([a-z]+)(?: file=(\\S+))?\n(.*?)^```$")

// TestExamplesOfThePolicyPageRun reads every .verifier.yml of the page, writes the files that it names, and runs its commands: each
// line under one must be printed, and an exit code other than 0 must be said.
func TestExamplesOfThePolicyPageRun(t *testing.T) {
	text, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	commands := 0
	for _, block := range codeBlock.FindAllStringSubmatch(string(text), -1) {
		kind, file, body := block[1], block[2], block[3]
		if kind == "yaml" {
			if _, err := policy.ParseFile([]byte(body), names(Root())); err != nil {
				t.Errorf("%v in\n%s", err, body)
			}
		}
		if file != "" {
			if err := os.WriteFile(filepath.Clean(file), []byte(body), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if kind != "console" {
			continue
		}
		for _, session := range strings.Split("\n"+body, "\n$ ")[1:] {
			command, expected, _ := strings.Cut(session, "\n")
			commands++
			runExample(t, command, expected)
		}
	}
	if commands < 4 {
		t.Errorf("the page has %d commands", commands)
	}
}

func runExample(t *testing.T, command, expected string) {
	args := strings.Fields(command)
	if args[0] != "verifier" {
		t.Fatalf("%s does not call verifier", command)
	}
	var out bytes.Buffer
	code := Main(args[1:], strings.NewReader(""), &out, &out)
	if code != exitClean {
		out.WriteString("exit code " + string(rune('0'+code)) + "\n")
	}
	for line := range strings.Lines(expected) {
		if !strings.Contains("\n"+out.String(), "\n"+line) {
			t.Errorf("%s does not print %q but\n%s", command, line, &out)
		}
	}
	if (code != exitClean) != strings.Contains(expected, "exit code") {
		t.Errorf("%s exits with %d", command, code)
	}
}
