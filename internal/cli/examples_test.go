package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestExamplesOfThePagesRun runs every command that a page shows behind a $ and compares what it prints with what the page shows below.
func TestExamplesOfThePagesRun(t *testing.T) {
	t.Chdir("../..")
	for _, page := range []string{"README.md", "docs/layout.md", "docs/data.md", "docs/fix.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		lines := strings.Split(string(text), "\n")
		examples := 0
		for i := 0; i < len(lines); i++ {
			out = append(out, lines[i])
			command, ok := strings.CutPrefix(lines[i], "    $ verifier ")
			if !ok {
				continue
			}
			examples++
			for i+1 < len(lines) && (strings.HasPrefix(lines[i+1], "    ") && !strings.HasPrefix(lines[i+1], "    $ ") || lines[i+1] == "" && i+2 < len(lines) && strings.HasPrefix(lines[i+2], "    ") && !strings.HasPrefix(lines[i+2], "    $ ")) {
				i++ // what it printed when the page was written
			}
			out = append(out, printed(command)...)
		}
		switch now := strings.Join(out, "\n"); {
		case examples == 0:
			t.Errorf("%s shows no command", page)
		case *update:
			if err := os.WriteFile(page, []byte(now), 0o644); err != nil {
				t.Fatal(err)
			}
		case now != string(text):
			t.Errorf("%s shows what the commands no longer print; -update writes\n%s", page, now)
		}
	}
}

// printed runs a command and indents what it writes to standard output.
func printed(command string) []string {
	var stdout, stderr bytes.Buffer
	Main(shellWords(command), strings.NewReader(""), &stdout, &stderr)
	text := strings.TrimRight(stdout.String(), "\n")
	if text == "" {
		text = strings.TrimRight(stderr.String(), "\n")
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		if lines[i] != "" {
			lines[i] = "    " + lines[i]
		}
	}
	return lines
}

// shellWords splits a command at blanks, but not within single quotes.
func shellWords(command string) []string {
	var out []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}
