package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/modelverifier/verifier/internal/report/annotate"
	"github.com/modelverifier/verifier/models"
)

const (
	page80 = "../../docs/cli.md"
	marker = "<!-- from here on written by go test ./internal/cli -run Documented -update -->\n"
)

// TestEveryCommandIsDocumented compares docs/cli.md with the commands and flags that there are.
func TestEveryCommandIsDocumented(t *testing.T) {
	data, err := os.ReadFile(page80)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(data), marker)
	if !found {
		t.Fatalf("%s has no marker: %s", page80, marker)
	}
	want := reference()
	if *update {
		if err := os.WriteFile(page80, []byte(head+marker+want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if rest != want {
		t.Errorf("docs/cli.md is not what the commands say: go test ./internal/cli -run Documented -update")
	}
}

// reference is the part of the page that is made of the commands.
func reference() string {
	var b strings.Builder
	b.WriteString("\n## Exit codes\n\n| code | |\n|---|---|\n")
	for _, e := range exits {
		fmt.Fprintf(&b, "| %d | %s |\n", e.code, e.meaning)
	}
	root := Root()
	b.WriteString("\n## Commands\n\nEvery command has `--help` and `--json`.\n")
	commandPages(&b, root)
	return b.String()
}

func commandPages(b *strings.Builder, c *cobra.Command) {
	for _, below := range c.Commands() {
		if below.Hidden || below.Name() == "help" || below.Name() == "completion" {
			continue
		}
		fmt.Fprintf(b, "\n### %s\n\n`%s`\n\n%s\n", strings.TrimPrefix(below.CommandPath(), "verifier "), below.UseLine(), strings.ReplaceAll(below.Long, "<", "&lt;"))
		rows := ""
		below.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Hidden {
				return
			}
			value, usage := pflag.UnquoteUsage(f)
			name := "`--" + f.Name + "`"
			if f.Shorthand != "" {
				name += ", `-" + f.Shorthand + "`"
			}
			if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" && f.DefValue != "0" {
				usage += " (default " + f.DefValue + ")"
			}
			rows += fmt.Sprintf("| %s | %s | %s |\n", name, value, strings.ReplaceAll(usage, "|", `\|`))
		})
		if rows != "" {
			b.WriteString("\n| flag | takes | |\n|---|---|---|\n" + rows)
		}
		commandPages(b, below)
	}
}

// TestTheExamplesOfTheDocsRun runs what docs/cli.md shows behind a dollar sign, on the files that it shows.
func TestTheExamplesOfTheDocsRun(t *testing.T) {
	data, err := os.ReadFile(page80)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	files := regexp.MustCompile("(?s)`([a-z.]+)`:\n\n```[a-z]*\n(.*?)```").FindAllStringSubmatch(string(data), -1)
	for _, f := range files {
		if err := os.WriteFile(f[1], []byte(f[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	examples := regexp.MustCompile(`(?s)    \$ verifier ([^\n]*)\n(.*?)    \$ echo \$\?\n    (\d)\n`).FindAllStringSubmatch(string(data), -1)
	if len(files) < 2 || len(examples) < 3 {
		t.Fatalf("%d files and %d examples", len(files), len(examples))
	}
	for _, e := range examples {
		var stdout, stderr strings.Builder
		code := Main(strings.Fields(e[1]), strings.NewReader(""), &stdout, &stderr)
		want := strings.ReplaceAll(strings.ReplaceAll("\n"+e[2], "\n    ", "\n"), "\n\n", "\n")[1:]
		if got := strings.ReplaceAll(stdout.String(), "\n\n", "\n"); got != want || fmt.Sprint(code) != e[3] {
			t.Errorf("verifier %s: exit %d, want %s\n got %q\nwant %q\n%s", e[1], code, e[3], got, want, stderr.String())
		}
	}
}

// TestHelpFitsATerminal covers every command's.
func TestHelpFitsATerminal(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			visit(below)
		}
		var stdout strings.Builder
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		if code := Main(args, strings.NewReader(""), &stdout, &stdout); code != exitClean {
			t.Errorf("%v: exit %d", args, code)
		}
		fits(t, fmt.Sprint(args), stdout.String())
	}
	visit(Root())
}

// TestTextFitsATerminal runs every command that prints text on a third of the bundled models, each third on another.
func TestTextFitsATerminal(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i, id := range models.List() {
		if testing.Short() && i%9 != 0 {
			continue
		}
		g, err := models.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, id+".graph")
		if err := os.WriteFile(file, []byte(g.Text()), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	long := strings.Repeat("a.very_long.name", 12)
	file := filepath.Join(dir, "long.graph")
	if err := os.WriteFile(file, []byte("x: input shape=[8]\n"+long+": linear inFeatures=3 outFeatures=2\no: output\nx -> "+long+" -> o\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files = append(files, file)
	lines := 0
	for i, file := range files {
		for k, command := range []string{
			"check", "check -v", "check -q --fail-on warn", "lint", "lint -v", "plan", "plan --gpu T4 --batch 4096 --lora 8", "policy-apply", "describe",
			"layout --tp 3 --pp 4 --gpu T4", "layout --tp 8 --pp 8 --dp 64 --gpu H100 -v", "layout --suggest --gpus 64 --gpu H100", "rank",
		} {
			if (i+k)%3 == 0 || file == files[len(files)-1] {
				lines += textOf(t, strings.Fields(command), file)
			}
		}
		lines += textOf(t, []string{"serve-check", "--gpu", "T4"}, file, "--", "vllm", "serve", "x", "--tensor-parallel-size", "3", "--max-model-len", "999999999")
	}
	lines += textOf(t, []string{"rank"}, files...) + textOf(t, []string{"types"}) + textOf(t, []string{"rules"})
	t.Logf("%d lines", lines)
}

func textOf(t *testing.T, command []string, args ...string) int {
	t.Helper()
	var stdout, stderr strings.Builder
	args = append(command, args...)
	if code := Main(args, strings.NewReader(""), &stdout, &stderr); code > exitGated && !strings.Contains(stderr.String(), "is not a") && stdout.Len() == 0 && command[0] != "layout" {
		t.Errorf("%v: exit %d: %s", args, code, stderr.String())
	}
	fits(t, fmt.Sprint(args), stdout.String())
	return strings.Count(stdout.String(), "\n")
}

func fits(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); width(line) > columns {
			t.Errorf("%s: %d columns: %s", what, width(line), line)
			return
		}
		if strings.TrimRight(line, " ") != line || annotate.Harmless(line) != line {
			t.Errorf("%s: %q", what, line)
			return
		}
	}
}
