package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/report/annotate"
)

// is reports whether a flag is given, of commands that have it.
func is(cmd *cobra.Command, flag string) bool {
	yes, _ := cmd.Flags().GetBool(flag)
	return yes
}

// note writes a line about the run to standard error, unless only what fails it is wanted.
func note(cmd *cobra.Command, text string) {
	if !is(cmd, "quiet") {
		fmt.Fprintln(cmd.ErrOrStderr(), annotate.Harmless("note: "+clean(text)))
	}
}

// shown is the text of an answer: as the command tells it, only what fails, or that and more.
func (j *judge) shown(a *answer) func(*page) {
	switch {
	case a.run == nil:
		return a.text
	case is(j.cmd, "quiet"):
		return func(p *page) { j.quietText(p, a.run) }
	case is(j.cmd, "verbose"):
		return func(p *page) {
			a.text(p)
			j.verboseText(p, a.run)
		}
	}
	return a.text
}

func (j *judge) quietText(p *page, r *report.Run) {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Gates {
			j.reportText(p, r, f)
		}
	}
}

// reportText prints a finding of any checker, with the line that made it.
func (j *judge) reportText(p *page, r *report.Run, f *report.Finding) {
	p.line("%s  %s  [%s]", p.word(string(f.Effective), 5), f.Detail, f.Test())
	if f.Fix != "" {
		p.line("       fix: %s", f.Fix)
	}
	switch {
	case f.Line > 0:
		p.line("       at %s:%d", j.out.folder.path(r.Where(f)), f.Line)
	case len(j.cmd.Flags().Args()) > 1:
		p.line("       in %s", r.Model)
	}
}

// verboseText prints what the text leaves out: notes, where findings lie, what does not fail and why, rules that passed, and what
// the figures assume.
func (j *judge) verboseText(p *page, r *report.Run) {
	if len(r.Findings) > 0 {
		p.line("")
		p.line("every finding:")
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		j.reportText(p, r, f)
		if why := f.Softened(); why != "" {
			p.line("       %s", why)
		}
	}
	p.line("")
	p.line("rules      %s", passed(r))
	for _, f := range r.Files {
		p.line("read       %s", f.Name)
	}
	for _, f := range r.Filled {
		p.line("filled in  %s", f)
	}
	if t := r.Verdicts.Training; t != nil {
		p.line("training   peak %s GB, at most %s GB; %s attention%s; about %s dollars", t.PeakGB, t.UpperGB, t.Attention, tokens(t.SeqLen), t.EstCostUSD)
	}
	if u := r.Verdicts.Inference; u != nil {
		p.line("inference  peak %s GB; batch %d, %d tokens read and %d written, %s", u.PeakGB, u.Batch, u.PromptTokens, u.GenTokens, u.Precision)
	}
}

func tokens(n int64) string {
	if n == 0 {
		return ""
	}
	return quantity.Sprintf(", %d tokens a sample", n)
}

// passed counts the rules of each checker that ran, and those that found nothing.
func passed(r *report.Run) string {
	fired := map[string]bool{}
	for i := range r.Findings {
		fired[r.Findings[i].Test()] = true
	}
	var order []string
	all, clear := map[string]int{}, map[string]int{}
	for _, rule := range r.Rules {
		if all[rule.Checker] == 0 {
			order = append(order, rule.Checker)
		}
		all[rule.Checker]++
		if !fired[rule.Checker+"/"+rule.ID] {
			clear[rule.Checker]++
		}
	}
	var parts []string
	for _, c := range order {
		parts = append(parts, fmt.Sprintf("%s %d of %d passed", c, clear[c], all[c]))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
