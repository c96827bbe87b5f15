package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fix"
)

// print shows what came of it: as JSON, as diffs alone, or for people.
func (o *fixOptions) print(cmd *cobra.Command, r *fix.Result) error {
	switch {
	case wantsJSON(cmd):
		return printJSON(cmd, r)
	case o.diff:
		return printText(cmd, o.diffs)
	}
	p := &page{coloured: wantsColour(cmd.OutOrStdout())}
	o.text(p, r)
	return printText(cmd, p.text())
}

func (o *fixOptions) text(p *page, r *fix.Result) {
	for _, x := range r.Patches {
		for _, f := range x.Findings {
			problem(p, x.Target, f)
		}
		p.line("       %s: %s", fmt.Sprintf("%s:%d", x.Path, x.Line), x.Why)
		diffText(p, x.Diff)
	}
	for _, x := range r.Arguments {
		problem(p, x.Target, x.Finding)
		p.line("       --arg %s=%s mends it, in place of %s: no file is wrong", x.Name, x.Value, x.Was)
	}
	for _, x := range r.Choices {
		problem(p, x.Target, x.Finding)
		p.line("       %s:", x.Why)
		for _, opt := range x.Options {
			where := ""
			if opt.Path != "" {
				where = fmt.Sprintf("%s:%d: ", opt.Path, opt.Line)
			}
			p.line("       - %s%s", where, opt.Why)
		}
	}
	for _, x := range r.Left {
		problem(p, x.Target, x.Finding)
		p.line("       %s", x.Why)
	}
	p.line("%s", o.summary(r))
}

func problem(p *page, target string, f action.Finding) {
	rule := f.RuleID
	if rule == "" {
		rule = f.Stage
	}
	p.line("%s  %s: %s  [%s]", p.word(string(f.Severity), 5), target, f.Detail, rule)
}

// diffText shows a diff as it is, in the colours of one.
func diffText(p *page, diff string) {
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		line = strings.Map(func(r rune) rune {
			if r == '\t' {
				return r
			}
			return []rune(clean(string(r)))[0]
		}, line)
		colour := ""
		switch {
		case strings.HasPrefix(line, "+"):
			colour = "32"
		case strings.HasPrefix(line, "-"):
			colour = "31"
		case strings.HasPrefix(line, "@@"):
			colour = "36"
		}
		if p.coloured && colour != "" {
			line = "\x1b[" + colour + "m" + line + "\x1b[0m"
		}
		p.WriteString(line + "\n")
	}
}

// summary is the last line.
func (o *fixOptions) summary(r *fix.Result) string {
	proved := 0
	var paths []string
	for _, x := range r.Patches {
		if x.Proved {
			proved++
		}
		if !slices.Contains(paths, x.Path) {
			paths = append(paths, x.Path)
		}
	}
	rest := len(r.Choices) + len(r.Left) + len(r.Arguments)
	var said []string
	switch n := len(r.Patches); {
	case n == 0 && rest == 0 && len(r.Unread) == 0:
		return "nothing blocks: there is nothing to mend"
	case n == 0:
		said = append(said, "no patch")
	case o.write && proved == n:
		said = append(said, "wrote "+strings.Join(paths, ", "))
	case o.write:
		said = append(said, "nothing was written: a patch is not proved")
	case proved == n:
		said = append(said, patches(n)+", proved; --write makes "+map[bool]string{true: "it", false: "them"}[n == 1])
	default:
		said = append(said, fmt.Sprintf("%s, %d proved", patches(n), proved))
	}
	if rest > 0 {
		said = append(said, plural(rest, "finding")+" left to a person")
	}
	return strings.Join(said, "; ")
}

func patches(n int) string {
	if n == 1 {
		return "1 patch"
	}
	return fmt.Sprintf("%d patches", n)
}
