package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/report"
)

var _ = register(func() *cobra.Command {
	c := judging(&cobra.Command{
		Use:   applyCommand + " MODEL...",
		Short: "Check a model under the rules of the repository, and what changed since the version before",
		Long: `Does what check does, and applies the repository's .verifier.yml to each finding: its severity,
whether it is waived or in the baseline, and whether it fails the command. With --base the version
before is planned too. The change is refused if it breaks a model that ran, or a limit under
change:, unless the fingerprint of the model is listed under approved:. With --base-tree or
--base-policy the policy of the version before is applied too: what either policy refuses is
refused. Without MODEL, the models under models: in .verifier.yml are checked.`,
	}, policyApply)
	dataFlag(c)
	attestFlags(c)
	c.Flags().String("base", "", "the version before: a change for the worse against this `model` is refused")
	c.Flags().String(treeFlag, "", "a `folder` that has the versions before under the paths of the models, for any number of them; one that it does not have is new")
	c.Flags().StringArray(basePolicyFlag, nil, "a policy `file` of the version before, in the folder that it held for: what it refuses is refused too")
	c.MarkFlagsMutuallyExclusive("base", treeFlag)
	c.MarkFlagsMutuallyExclusive("attest", treeFlag) // a record names the files that decided, each by a flag
	c.MarkFlagsMutuallyExclusive("attest-predicate", treeFlag)
	runFlags(c)
	return c
})

func policyApply(j *judge, in *input) (*answer, error) {
	q, err := checkRequest(j, in)
	if err != nil {
		return nil, err
	}
	priced := &plan.Request{Model: q.Model, Training: q.Training, SeqLen: q.SeqLen}
	if err := planFlags(j.cmd, priced); err != nil {
		return nil, err
	}
	q.Training, q.SeqLen = priced.Training, priced.SeqLen
	base, err := j.before(in)
	switch {
	case err != nil:
		return nil, err
	case base == nil && given(j.cmd, treeFlag) == "" && j.house.file != nil && len(j.house.file.Change.Set()) > 0:
		j.note("the lines under change: of %s are judged with --base", j.house.path)
	}
	r := check.Run(q)
	run := report.OfCheck(r, q.Policy)
	var change *report.Change
	var before *action.Study
	if base != nil {
		before = action.Examine(base)
		before.Price(q.Options(), q.Length())
		change = report.Compare(before, r.Study, j.house.file)
		run.AddChange(change)
		run.Files = baseFile(j.cmd)
	}
	if err := j.holdBefore(in, q, run, before); err != nil {
		return nil, err
	}
	j.change(q, run, before, r.Study, change)
	var body *report.Applied
	done := func() any {
		body = j.terms.Apply(r, run, q.Policy, change)
		return body
	}
	return &answer{run: run, done: done, text: func(p *page) { appliedText(p, body) }}, nil
}

// baseFile is the version before as a file that decided, where it is one file.
func baseFile(cmd *cobra.Command) []report.File {
	name, _ := cmd.Flags().GetString("base")
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, err := readFile(name)
	if err != nil {
		return nil // it is larger than what is read whole
	}
	return []report.File{{Name: filepath.ToSlash(name), Data: data}}
}

func appliedText(p *page, a *report.Applied) {
	checkText(p, a.Result)
	h := a.Policy
	p.line("")
	p.line("%s  %d of %s gating, %d waived, %d in the baseline", p.word("policy", 9), h.Gating, plural(len(h.Findings), "finding"), h.Waived, h.Existing)
	for _, f := range h.Findings {
		if f.Gates {
			p.line("gates      %s  [%s/%s]", f.Detail, f.Checker, f.Rule)
		}
	}
	c := a.Change
	if c == nil {
		return
	}
	p.line("%s  %s", p.word("change", 9), p.word(c.Gate, 0))
	if c.Approval == nil {
		return // what it is refused for gates, and stands above
	}
	for _, reason := range c.Reasons {
		p.line("           %s", reason)
	}
	p.line("           approved all the same: %s", c.Approval.Reason)
}
