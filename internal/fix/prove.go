package fix

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/patch"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Proof is what became of the targets of a request with edits made.
type Proof struct {
	Proved bool // every target was read and judged to its end, the findings are gone and none is new
	// Judged is whether the files could be judged at all. Where they could not, nothing is known for or against the edits.
	Judged                    bool
	Gone, Left, New           []action.Finding
	Why                       string // why it is not proved
	ParamsBefore, ParamsAfter int64  // of all targets; -1 where those of one are not known
}

// Prove makes edits in memory, and reads and judges every target again.
func Prove(ctx context.Context, r Request, edits []patch.Edit) (Proof, error) {
	p, err := open(ctx, &r)
	if err != nil {
		return Proof{}, err
	}
	changed, err := patch.Apply(r.Files, edits)
	if err != nil {
		return Proof{}, err
	}
	out := Proof{Proved: len(r.Targets) > 0, Judged: len(r.Targets) > 0}
	if len(r.Targets) == 0 {
		out.Why = "no model is known among the files, so that none can be judged"
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		p.compare(t, p.judge(r.Files, t), p.judge(changed, t), &out)
	}
	return out, ctx.Err()
}

// compare holds a target after a change against what it was.
func (p *project) compare(t *Target, before, after *verdict, out *Proof) {
	out.ParamsBefore, out.ParamsAfter = total(out.ParamsBefore, before.params), total(out.ParamsAfter, after.params)
	if after.err != nil {
		out.Judged = out.Judged && before.err == nil
		out.not("%s cannot be read with it: %v", t.Name(), after.err)
		return
	}
	was := map[string]bool{}
	for i := range before.blocks {
		f := &before.blocks[i]
		was[id(f)+f.Detail] = true
		if !p.wanted(f) {
			continue
		}
		if slices.ContainsFunc(after.blocks, func(g action.Finding) bool { return id(&g) == id(f) && g.Detail == f.Detail }) {
			out.Left = append(out.Left, *f)
			out.not("%s: still %s", t.Name(), f.Detail)
		} else {
			out.Gone = append(out.Gone, *f)
		}
	}
	for i := range after.blocks {
		if f := &after.blocks[i]; !was[id(f)+f.Detail] {
			out.New = append(out.New, *f)
			out.not("%s: then %s", t.Name(), f.Detail)
		}
	}
	if !after.complete && len(after.blocks) == 0 {
		out.Judged = out.Judged && before.complete
		out.not("%s is not known to its end: %s", t.Name(), after.why)
	}
}

// gone reports whether findings are not there any more.
func (o *Proof) gone(findings []action.Finding) bool {
	return !slices.ContainsFunc(findings, func(f action.Finding) bool {
		return slices.ContainsFunc(o.Left, func(g action.Finding) bool { return id(&g)+g.Detail == id(&f)+f.Detail })
	})
}

func (o *Proof) not(format string, args ...any) {
	o.Proved = false
	if o.Why == "" {
		o.Why = fmt.Sprintf(format, args...)
	}
}

// total adds counts of which one may not be known.
func total(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}

// patchOf makes the patch of a finding. Its edits are those of the text as it is now; together brings them to the text as it was sent.
func (p *project) patchOf(files []patch.File, t *Target, f action.Finding, before *verdict, tr *trial) (Patch, error) {
	e := tr.edits[0]
	out := Patch{Path: e.Path, Edits: tr.edits, FindingTitles: []string{f.Title}, Findings: []action.Finding{f}, Target: t.Name(), Why: tr.what,
		ParamsBefore: before.params, ParamsAfter: tr.after.params}
	out.Line = lineOf(files, e)
	out.Why += "; " + weights(before.params, tr.after.params)
	return out, nil
}

// weights says what a change does to the number of weights.
func weights(before, after int64) string {
	switch {
	case after < 0:
		return "the weights are not known"
	case before < 0:
		return quantity.Grouped(after) + " weights"
	case before == after:
		return "the " + quantity.Grouped(after) + " weights stay as many"
	}
	return quantity.Grouped(before) + " weights become " + quantity.Grouped(after)
}

// together proves all patches with each other, and gives each its diff against the files as they were sent.
func (p *project) together(out *Result) error {
	if len(out.Patches) == 0 {
		return nil
	}
	if err := p.rebase(out); err != nil {
		return err
	}
	for i := range p.Targets {
		t := &p.Targets[i]
		proof := Proof{Proved: true, Judged: true}
		before := p.judge(p.Files, t)
		if before.err != nil && kindOf(t) == "config" {
			before = unreadable(before.err)
		}
		p.compare(t, before, p.judge(out.Files, t), &proof)
		for j := range out.Patches {
			if pt := &out.Patches[j]; pt.Target == t.Name() {
				pt.Proved = proof.Proved || proof.Judged && len(proof.New) == 0 && proof.gone(pt.Findings)
				if !pt.Proved {
					pt.Why += "; not proved: " + proof.Why
				}
			}
		}
	}
	return nil
}
