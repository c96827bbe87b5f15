package fix

import (
	"context"
	"slices"

	"github.com/modelverifier/verifier/internal/action"
	mend "github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/patch"
)

// prove accepts what holds: all edits together or, where they do not hold together, each that holds by itself. Files that no
// model reads cannot be judged: their edits are accepted, and not proved.
func (w *Work) prove(ctx context.Context, edits []patch.Edit) error {
	read := mend.Sources(ctx, w.base)
	var judged []patch.Edit
	for _, e := range edits {
		if read[e.Path] {
			judged = append(judged, e)
			continue
		}
		w.note("Not proved: no model that can be judged was found to read %s.", e.Path)
		w.accept(change{edits: []patch.Edit{e}, titles: titles(w.rest), before: -1, after: -1})
	}
	if len(judged) == 0 {
		return nil
	}
	if ok, _, err := w.try(ctx, judged); ok || err != nil {
		return err
	}
	for i, e := range judged {
		ok, why, err := w.try(ctx, judged[i:i+1])
		if err != nil {
			return err
		}
		if !ok {
			w.note("Dropped, because it was disproved: the change of line %d of %s: %s", w.line(e), e.Path, sentence(why))
		}
	}
	return nil
}

// accept adds a change to the answer.
func (w *Work) accept(c change) { w.changes = append(w.changes, c) }

// try proves edits with everything that was accepted before, and accepts them, or says why not.
func (w *Work) try(ctx context.Context, edits []patch.Edit) (ok bool, why string, err error) {
	all := slices.Clone(edits)
	for _, c := range w.changes {
		all = append(all, c.edits...)
	}
	base := w.base
	if !w.other {
		base.Findings = wanted(w.rest)
	}
	proof, err := mend.Prove(ctx, base, all)
	if err != nil {
		return false, "", err
	}
	c := change{edits: edits, proved: true, before: proof.ParamsBefore, after: proof.ParamsAfter}
	for _, f := range proof.Gone {
		if w.other {
			c.titles = titles(w.rest)
		} else if !slices.Contains(c.titles, f.Title) {
			c.titles = append(c.titles, f.Title)
		}
	}
	if proof.Judged && !proof.Proved && len(edits) == 1 && len(proof.Gone) > 0 {
		// What it does not mend may be mended by another: what it mends must hold by itself.
		base.Findings = named(proof.Gone)
		if proof, err = mend.Prove(ctx, base, all); err != nil {
			return false, "", err
		}
	}
	switch {
	case proof.Judged && !proof.Proved:
		return false, proof.Why, nil
	case !proof.Judged:
		c.proved, c.titles = false, titles(w.rest)
		w.note("Not proved: %s", sentence(proof.Why))
	case len(proof.Gone) == 0: // and nothing else changed for the worse
		c.proved, c.titles = false, titles(w.rest)
		w.note("Not proved: the model among the files does not show the findings that were sent.")
	}
	w.accept(c)
	return true, "", nil
}

// wanted names findings to our own fixer.
func wanted(all []Finding) (out []mend.Wanted) {
	for _, f := range all {
		out = append(out, mend.Wanted{Title: f.Title, Detail: f.Detail, Stage: f.Stage})
	}
	return out
}

// named names findings of a check.
func named(all []action.Finding) (out []mend.Wanted) {
	for _, f := range all {
		out = append(out, mend.Wanted{Title: f.Title, Detail: f.Detail, Stage: f.Stage})
	}
	return out
}

// proveOurs proves our own patches by the findings that they are for: one that is left for somebody else is nothing against them.
func (w *Work) proveOurs(ctx context.Context) error {
	base := w.base
	base.Findings = nil
	var edits []patch.Edit
	proved := true
	for _, p := range w.ours.Patches {
		base.Findings, edits, proved = append(base.Findings, named(p.Findings)...), append(edits, p.Edits...), proved && p.Proved
	}
	if proved {
		return nil
	}
	proof, err := mend.Prove(ctx, base, edits)
	if err != nil {
		return err
	}
	for i := range w.ours.Patches {
		w.ours.Patches[i].Proved = proof.Proved
	}
	return nil
}

func titles(all []Finding) (out []string) {
	for _, f := range all {
		if !slices.Contains(out, f.Title) {
			out = append(out, f.Title)
		}
	}
	return out
}
