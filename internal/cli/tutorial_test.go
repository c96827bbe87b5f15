package cli

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestTheTutorialRuns goes through docs/tutorial.md as a new user does: it writes the files that the page shows, runs each command behind a
// dollar sign in an empty folder, and compares what is printed with what the page shows below.
func TestTheTutorialRuns(t *testing.T) {
	for _, program := range []string{"git", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	const name = "../../docs/tutorial.md"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	t.Chdir(t.TempDir())
	for key, value := range map[string]string{"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": "/dev/null"} {
		t.Setenv(key, value)
	}
	walk := &walkthrough{t: t, lines: strings.Split(string(data), "\n")}
	switch now := walk.run(); {
	case walk.commands < 8:
		t.Errorf("%d commands", walk.commands)
	case *update:
		if err := page.Truncate(0); err != nil {
			t.Fatal(err)
		}
		if _, err := page.WriteAt([]byte(now), 0); err != nil {
			t.Fatal(err)
		}
	case now != string(data):
		t.Errorf("the tutorial shows what is no longer printed; -update writes\n%s", now)
	}
}

// walkthrough goes through a page from top to bottom.
type walkthrough struct {
	t        *testing.T
	lines    []string
	out      []string
	commands int
}

const prompt = "    $ "

// run returns the page as it is now.
func (w *walkthrough) run() string {
	for len(w.lines) > 0 {
		line := w.lines[0]
		w.lines, w.out = w.lines[1:], append(w.out, line)
		if fence, ok := strings.CutPrefix(line, "```"); ok {
			w.file(fence)
		} else if command, ok := strings.CutPrefix(line, prompt); ok {
			w.command(command)
		}
	}
	return strings.Join(w.out, "\n")
}

// file writes a block that has the name of a file.
func (w *walkthrough) file(fence string) {
	var body strings.Builder
	for w.lines[0] != "```" {
		w.out = append(w.out, w.lines[0])
		body.WriteString(w.lines[0] + "\n")
		w.lines = w.lines[1:]
	}
	w.out, w.lines = append(w.out, "```"), w.lines[1:]
	if _, name, ok := strings.Cut(fence, " file="); ok {
		if err := os.WriteFile(name, []byte(body.String()), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
}

// command runs a command and puts what it prints in the place of what the page has.
func (w *walkthrough) command(command string) {
	w.commands++
	for len(w.lines) > 1 && (isOutput(w.lines[0]) || w.lines[0] == "" && isOutput(w.lines[1])) {
		w.lines = w.lines[1:]
	}
	var out bytes.Buffer
	if args, ok := strings.CutPrefix(command, "verifier "); ok {
		if code := Main(shellWords(args), strings.NewReader(""), &out, &out); code != exitClean {
			fmt.Fprintf(&out, "exit code %d\n", code)
		}
	} else {
		cmd := exec.Command("sh", "-c", command)
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			w.t.Errorf("%s: %v\n%s", command, err, &out)
		}
	}
	for line := range strings.SplitSeq(strings.TrimRight(out.String(), "\n"), "\n") {
		if line != "" {
			line = "    " + line
		}
		if line != "" || out.Len() > 0 {
			w.out = append(w.out, line)
		}
	}
}

// isOutput reports whether a line is part of what a command printed.
func isOutput(line string) bool {
	return strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, prompt)
}

// TestTheReadmesPictureIsWhatItsExamplePrints draws the first example of the README as a terminal shows it.
func TestTheReadmesPictureIsWhatItsExamplePrints(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "\n"+prompt+"verifier ")
	command, _, ok := strings.Cut(rest, "\n")
	if !ok {
		t.Fatal("README.md shows no command")
	}
	want := terminal("$ verifier "+command, printed(command))
	if *update {
		if err := os.WriteFile("docs/first.svg", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("docs/first.svg"); err != nil || string(got) != want {
		t.Errorf("docs/first.svg is not what the first example prints (%v): -update draws it", err)
	}
}

// terminal draws a command and what it printed as an SVG file without fonts or scripts of others.
func terminal(command string, lines []string) string {
	const line, margin = 20, 24
	var b strings.Builder
	height := (len(lines)+2)*line + 2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 %d" width="760" height="%[1]d" role="img" aria-label="%s">`+"\n", height, html.EscapeString(command))
	fmt.Fprintf(&b, `<rect width="760" height="%d" rx="10" fill="#14171c"/>`+"\n", height)
	b.WriteString(`<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" xml:space="preserve" fill="#d7dce2">` + "\n")
	y := margin + line/2
	row := func(colour, text string) {
		y += line
		if text != "" {
			fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", margin, y-line/2, colour, html.EscapeString(text))
		}
	}
	row("#8ab4f8", command)
	row("", "")
	for _, l := range lines {
		l = strings.TrimPrefix(l, "    ")
		switch {
		case strings.HasPrefix(l, "block"):
			row("#ff8b81", l)
		case strings.HasPrefix(strings.TrimSpace(l), "fix:"):
			row("#8fd694", l)
		default:
			row("#d7dce2", l)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}
