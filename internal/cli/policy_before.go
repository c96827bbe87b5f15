package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
)

const basePolicyFlag = "base-policy"

// policiesBefore are the policy files of the version before that hold for the model at hand: those that --base-policy names, and those that
// lie in --base-tree on the way to it.
func (j *judge) policiesBefore(in *input) (paths []string) {
	named, _ := j.cmd.Flags().GetStringArray(basePolicyFlag)
	for _, p := range named {
		if rel := j.fromBefore(p, in); rel != "" {
			paths = append(paths, p)
		}
	}
	tree := given(j.cmd, treeFlag)
	if tree == "" || !filepath.IsLocal(in.name) || len(named) > 0 || given(j.cmd, "policy") != "" {
		return paths
	}
	for dir := filepath.Dir(in.name); ; dir = filepath.Dir(dir) {
		if p := filepath.Join(tree, dir, policyFile); exists(p) {
			paths = append(paths, p)
		}
		if dir == "." {
			return paths
		}
	}
}

// fromBefore is the path of the model from the folder of a policy file of the version before, "" where it lies elsewhere.
func (j *judge) fromBefore(file string, in *input) string {
	was := given(j.cmd, "base")
	if tree := given(j.cmd, treeFlag); tree != "" {
		was = filepath.Join(tree, in.name)
	}
	if was == "" {
		return filepath.ToSlash(in.name) // it is new: its path from here
	}
	rel, err := filepath.Rel(absolute(filepath.Dir(file)), absolute(was))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// holdBefore judges the model by the policies of the version before as well. What they refuse and this one does not is refused.
func (j *judge) holdBefore(in *input, q *check.Request, run *report.Run, before *action.Study) error {
	for _, path := range j.policiesBefore(in) {
		data, err := readFound(filepath.Dir(path), filepath.Base(path), true)
		if err != nil {
			return fmt.Errorf("--%s: %w", basePolicyFlag, err)
		}
		file, fault := policy.ParseFile(data, names(j.cmd))
		if fault != nil { // which this change may repair
			j.note("the policy before is not compared, because it cannot be read: %s: %s", path, fault)
			continue
		}
		old := &house{file: file, path: path, model: j.fromBefore(path, in)}
		old.policy = file.For(old.model)
		run.Files = append(run.Files, report.File{Name: filepath.ToSlash(path), Data: data})
		if err := j.baselineBefore(old, run); err != nil {
			return err
		}
		j.compareBefore(old, q, run, before)
	}
	return nil
}

// baselineBefore reads the baseline beside a policy of the version before; where its name was another, today's is used.
func (j *judge) baselineBefore(old *house, run *report.Run) error {
	named := filepath.FromSlash(old.file.Baseline)
	switch {
	case named == "":
		named = baselineFile
	case !filepath.IsLocal(named):
		return errors.New("baseline: of " + old.path + " is not a path inside its folder")
	}
	if err := old.readBaseline(names(j.cmd), filepath.Dir(old.path), named); err != nil {
		return err
	}
	if old.baseline == nil && old.file.Baseline != "" {
		old.baseline = j.house.baseline
	}
	run.Files = append(run.Files, old.files...)
	return nil
}

func (j *judge) compareBefore(old *house, q *check.Request, run *report.Run, before *action.Study) {
	then := *q
	then.Policy = old.policy
	r := check.Run(&then)
	under := report.OfCheck(r, then.Policy)
	if before != nil {
		under.AddChange(report.Compare(before, r.Study, old.file))
	}
	terms := j.terms
	terms.File, terms.FileName, terms.Baseline, terms.Model = old.file, old.path, old.baseline, old.model
	terms.Judge(under)
	now := *run
	now.Findings = slices.Clone(run.Findings)
	j.terms.Judge(&now)
	var gone []string
	for _, l := range old.policy.Lines() {
		if !slices.Contains(q.Policy.Lines(), l) {
			gone = append(gone, l)
		}
	}
	run.AddLoosened(under, &now, gone)
}
