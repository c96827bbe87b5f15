package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// answering are the rows of a plan that docs/fit.md shows: those of an answer, and of a card where there is none.
func answering(lines []string) []string {
	if slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "answer ") }) {
		return []string{"answer", "beware"}
	}
	return []string{"fits", "to fit"}
}

// TestTheQuestionsOfTheFitPageAreAnswered runs the commands of docs/fit.md: below each are the rows of its plan that answer. Every question has one.
func TestTheQuestionsOfTheFitPageAreAnswered(t *testing.T) {
	page, err := filepath.Abs("../../docs/fit.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	now := codeBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		parts := codeBlock.FindStringSubmatch(block)
		kind, file, body := parts[1], parts[2], parts[3]
		if file != "" {
			if err := os.WriteFile(filepath.Clean(file), []byte(body), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if kind != "console" {
			return block
		}
		var out strings.Builder
		for line := range strings.Lines(body) {
			if command, ok := strings.CutPrefix(line, "$ verifier "); ok {
				lines := printed(strings.TrimSuffix(command, "\n"))
				out.WriteString(line + rows(lines, answering(lines)))
			}
		}
		return "```console\n" + out.String() + "```"
	})
	for _, question := range strings.Split(now, "\n## ")[1:7] {
		if name, answer, _ := strings.Cut(question, "\n"); !strings.HasSuffix(name, "?") || !strings.Contains(answer, "\nanswer ") && !strings.Contains(answer, "\nfits ") {
			t.Errorf("%q has no answer", name)
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if now != string(text) {
		t.Errorf("docs/fit.md shows what the commands no longer print; -update writes\n%s", now)
	}
}

// rows are the lines of a text that have one of some labels, with those that follow on them. The text is indented.
func rows(lines, labels []string) string {
	var out strings.Builder
	shown := false
	for _, line := range lines {
		line = strings.TrimPrefix(line, "    ")
		if !strings.HasPrefix(line, " ") {
			shown = slices.ContainsFunc(labels, func(l string) bool { return strings.HasPrefix(line, l+" ") })
		}
		if shown {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}
