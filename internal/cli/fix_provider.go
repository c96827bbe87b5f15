package cli

import (
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/client"
	"github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/patch"
)

// ask has the hosted service ask its language model for what is left. What comes back is proved here, as our own changes are: with the
// inputs, the data and the policy of this command, which the service does not have.
func (o *fixOptions) ask(cmd *cobra.Command, t *tree, r *fix.Result) error {
	c, err := remote(cmd)
	if err != nil {
		return err
	}
	for _, target := range t.request.Targets {
		var left []action.Finding
		for _, l := range r.Left {
			if l.Target == target.Name() {
				left = append(left, l.Finding)
			}
		}
		for _, x := range r.Choices {
			if x.Target == target.Name() {
				left = append(left, x.Finding)
			}
		}
		if len(left) == 0 {
			continue
		}
		got, err := o.question(cmd, c, t, target, left, r.Files)
		if err != nil {
			return err
		}
		for _, p := range got {
			if err := o.accept(cmd, t, target, r, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// question sends the files as ours left them.
func (o *fixOptions) question(cmd *cobra.Command, c *client.Client, t *tree, target fix.Target, left []action.Finding, files []patch.File) ([]client.FixedPatch, error) {
	now := t.request
	now.Files = files
	g := fix.Read(cmdContext(cmd), now, target)
	if g == nil {
		note(cmd, target.Name()+" cannot be read, so that nobody is asked")
		return nil, nil
	}
	type finding struct {
		Title  string `json:"title"`
		Detail string `json:"detail"`
		Stage  string `json:"stage"`
	}
	body := struct {
		Model    json.RawMessage   `json:"model"`
		Findings []finding         `json:"findings"`
		Files    []patch.File      `json:"files"`
		Source   map[string]string `json:"source"`
	}{Model: g.AppendJSON(nil), Files: files, Source: map[string]string{"target": target.Name()}}
	if len(target.Inputs) == 1 {
		body.Source["input"] = target.Inputs[0]
	}
	for _, f := range left {
		body.Findings = append(body.Findings, finding{f.Title, f.Detail, f.Stage})
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	got, err := c.Fix(cmdContext(cmd), data)
	if err != nil {
		return nil, answered(cmd, err)
	}
	note(cmd, "the service answered ("+got.Model+"): "+got.Rationale)
	return got.Patches, nil
}

// accept proves a patch, and adds it to the others.
func (o *fixOptions) accept(cmd *cobra.Command, t *tree, target fix.Target, r *fix.Result, p client.FixedPatch) error {
	i := slices.IndexFunc(r.Files, func(f patch.File) bool { return f.Path == p.Path })
	if i < 0 {
		r.Dropped = append(r.Dropped, fix.Dropped{Path: p.Path, Change: "a change by the service", Why: "the file was never sent"})
		return nil
	}
	after, err := patch.Patched(r.Files[i], p.Diff)
	if err != nil {
		r.Dropped = append(r.Dropped, fix.Dropped{Path: p.Path, Change: "a change by the service", Why: err.Error()})
		return nil
	}
	now := t.request
	now.Files, now.Targets = r.Files, []fix.Target{target}
	edit := patch.Between(r.Files[i], after)
	proof, err := fix.Prove(cmdContext(cmd), now, []patch.Edit{edit})
	if err != nil {
		return err
	}
	if proof.Judged && len(proof.Gone) == 0 || len(proof.New) > 0 {
		r.Dropped = append(r.Dropped, fix.Dropped{Path: p.Path, Change: "a change by the service", Why: proof.Why})
		return nil
	}
	gone := func(f action.Finding) bool {
		return slices.ContainsFunc(proof.Gone, func(g action.Finding) bool {
			return g.Title == f.Title && g.Detail == f.Detail && g.Component == f.Component
		})
	}
	r.Left = slices.DeleteFunc(r.Left, func(l fix.Left) bool { return l.Target == target.Name() && gone(l.Finding) })
	r.Choices = slices.DeleteFunc(r.Choices, func(x fix.Choice) bool { return x.Target == target.Name() && gone(x.Finding) })
	line, err := patch.Replaced(r.Files[i], []patch.Edit{edit})
	if err != nil {
		return err
	}
	one := fix.Patch{Path: p.Path, Diff: p.Diff, Findings: proof.Gone, FindingTitles: p.FindingTitles, Target: target.Name(), Why: "by the language model of the service", Proved: proof.Proved,
		ParamsBefore: proof.ParamsBefore, ParamsAfter: proof.ParamsAfter}
	if len(line) > 0 {
		one.Line = line[0].First
	}
	r.Files = slices.Clone(r.Files)
	r.Patches, r.Files[i] = append(r.Patches, one), after
	return nil
}
