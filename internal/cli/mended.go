package cli

import (
	"slices"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/patch"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

// mendable are the outputs that say how a finding is mended.
var mendable = []string{"sarif", changeFlag}

// mend looks for the changes of files that mend what blocks, for the outputs that say them. What cannot be read or changed has
// none: the findings stand without it.
func (j *judge) mend() {
	if !slices.ContainsFunc(mendable, func(flag string) bool { return given(j.cmd, flag) != "" }) {
		return
	}
	for _, run := range j.out.runs {
		if run.Command != "check" && run.Command != applyCommand || !slices.ContainsFunc(run.Findings, blocks) {
			continue
		}
		j.mendRun(run)
	}
}

func blocks(f report.Finding) bool { return f.Severity == rules.Block && !f.Waived }

func (j *judge) mendRun(run *report.Run) {
	var trees []*tree
	defer func() {
		for _, t := range trees {
			_ = t.dir.Close() // it was read
		}
	}()
	if (&fixOptions{}).take(j.cmd, run.Model, &trees) != nil {
		return
	}
	for _, t := range trees {
		r, err := fix.Propose(cmdContext(j.cmd), t.request)
		if err != nil {
			continue
		}
		was := map[string]patch.File{}
		for _, f := range t.request.Files {
			was[f.Path] = f
		}
		changes := make([]*report.Patch, len(r.Patches))
		for i := range r.Patches {
			changes[i] = t.change(&r.Patches[i], was[r.Patches[i].Path])
		}
		for i := range run.Findings {
			f := &run.Findings[i]
			for k := range r.Patches {
				if changes[k] != nil && f.Change == nil && slices.ContainsFunc(r.Patches[k].Findings, func(g action.Finding) bool { return isFinding(f, &g) }) {
					f.Change = changes[k]
				}
			}
		}
	}
}

// isFinding says whether a report's finding is one of a check.
func isFinding(f *report.Finding, g *action.Finding) bool {
	return f.Title == g.Title && f.Detail == g.Detail && f.Component == g.Component
}

// change is a patch as whole lines of files named as from the working directory; nil where it is not proved.
func (t *tree) change(p *fix.Patch, was patch.File) *report.Patch {
	if !p.Proved {
		return nil
	}
	lines, err := patch.Replaced(was, p.Edits)
	if err != nil || len(lines) == 0 {
		return nil
	}
	name, err := t.namer()
	if err != nil {
		return nil
	}
	for i := range lines {
		lines[i].Path = name(lines[i].Path)
	}
	return &report.Patch{Why: p.Why, Lines: lines}
}
