// Package markdown writes reports as Markdown for a pull request's comment or a job's summary.
//
// It begins with a tag that is not shown, by which a bot finds the comment that it wrote before. What a caller named is shown as it
// is and can neither mark up nor link. It must not know files or the clock.
package markdown

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

// most is how many findings a list shows: a comment has 65,536 characters at the most.
const most = 30

// Comment writes the reports of a command.
func Comment(runs []*report.Run, paths report.Paths, unread []report.Unread) string {
	var b strings.Builder
	for i, r := range runs {
		if i > 0 {
			b.WriteString("\n")
		}
		one(&b, r, paths)
	}
	for _, u := range unread {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n### ❌ %s could not be read\n\n%s\n", tag("read", u.Model), Code(u.Model), Code(u.Message))
	}
	return b.String()
}

// tag begins the comment of a command on a model.
func tag(command, model string) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' {
			return c
		}
		return '_' // no dash: two of them would end an HTML comment
	}, clip(model, 200))
	return "<!-- model-verifier " + command + " " + name + " -->"
}

func one(b *strings.Builder, r *report.Run, paths report.Paths) {
	lists := sorted(r)
	mark := "✅"
	switch {
	case r.ExitCode != 0 || len(lists["gates"]) > 0:
		mark = "❌"
	case len(lists["warnings"]) > 0:
		mark = "⚠️"
	}
	fmt.Fprintf(b, "%s\n### %s %s: %s\n\n%s\n", tag(r.Command, r.Model), mark, Code(r.Model), r.Verdict, Text(r.Summary))
	findings(b, r, paths, lists)
	fmt.Fprintf(b, "\n<sub>verifier %s: %s tried, exit code %d</sub>\n", r.Command, count(r.Tried(), "rule"), r.ExitCode)
}

// Findings writes those of a report that has been judged: what fails the command first, the rest folded away.
func Findings(r *report.Run, paths report.Paths) string {
	var b strings.Builder
	findings(&b, r, paths, sorted(r))
	return b.String()
}

// sorted puts findings into the list that each is shown in.
func sorted(r *report.Run) map[string][]*report.Finding {
	lists := map[string][]*report.Finding{}
	for i := range r.Findings {
		f := &r.Findings[i]
		lists[listOf(f)] = append(lists[listOf(f)], f)
	}
	return lists
}

func findings(b *strings.Builder, r *report.Run, paths report.Paths, lists map[string][]*report.Finding) {
	if gates := lists["gates"]; len(gates) > 0 {
		b.WriteString("\n")
		list(b, r, paths, gates)
	}
	for _, d := range []struct{ key, word string }{{"warnings", "warning"}, {"softened", "finding that does not fail the command"}, {"notes", "note"}} {
		if found := lists[d.key]; len(found) > 0 {
			fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n", count(len(found), d.word))
			list(b, r, paths, found)
			b.WriteString("\n</details>\n")
		}
	}
}

// listOf says which list a finding is in.
func listOf(f *report.Finding) string {
	switch {
	case f.Gates:
		return "gates"
	case f.Softened() != "":
		return "softened"
	case f.Effective == rules.Block || f.Effective == rules.Warn:
		return "warnings"
	}
	return "notes"
}

func list(b *strings.Builder, r *report.Run, paths report.Paths, found []*report.Finding) {
	for _, f := range found[:min(len(found), most)] {
		fmt.Fprintf(b, "- **%s** %s (%s)", Text(f.Title), Code(f.Detail), Text(f.Test()))
		if f.Line > 0 {
			fmt.Fprintf(b, " at %s", Code(fmt.Sprintf("%s:%d", paths(r.Where(f)), f.Line)))
		}
		if why := f.Softened(); why != "" {
			fmt.Fprintf(b, "; %s", Text(why))
		}
		if f.Fix != "" {
			fmt.Fprintf(b, "; fix: %s", Code(f.Fix))
		}
		b.WriteString("\n")
	}
	if n := len(found) - most; n > 0 {
		fmt.Fprintf(b, "- and %d more\n", n)
	}
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if before, after, cut := strings.Cut(word, " that does"); cut {
		return fmt.Sprintf("%d %ss that do%s", n, before, after)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Code writes a caller's text as it is: between more backquotes than it has in a row.
func Code(s string) string {
	s = clip(report.Plain(s), 1000)
	longest, run := 0, 0
	for _, c := range s {
		if c == '`' {
			run++
		} else {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if s == "" || strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// Text writes our own words, in which a caller's may stand: nothing in it is markup.
func Text(s string) string {
	var b strings.Builder
	for _, c := range clip(report.Plain(s), 1000) {
		switch c {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '@': // would notify whoever has that name
			b.WriteString("@\u200b")
		case '\\', '`', '*', '_', '[', ']', '#', '|', '~', '!':
			b.WriteString("\\" + string(c))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
