package fix

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/patch"
)

// The bounds of a search, in readings of a source, so that it ends and is the same on every machine.
const (
	maxReads  = 500 // for one finding
	maxFollow = 8   // findings of one target, one behind the other
)

// trial is a candidate that was tried.
type trial struct {
	candidate
	files []patch.File
	after *verdict
	score int // its cost, less what speaks for it
}

// mend mends the findings of a target, one after the other: what is behind a fault is known only once it is mended.
func (p *project) mend(t *Target, out *Result) error {
	given := map[string]bool{}
	before := p.judge(out.Files, t)
	if before.err != nil && kindOf(t) == "config" {
		before = unreadable(before.err)
	}
	if before.err != nil {
		out.Unread[t.Name()] = before.err.Error()
	}
	for range maxFollow {
		if before.err != nil || p.Max > 0 && len(out.Patches) >= p.Max {
			return nil
		}
		i := slices.IndexFunc(before.blocks, func(f action.Finding) bool { return p.wanted(&f) && !given[id(&f)+f.Detail] })
		if i < 0 {
			return nil
		}
		f := before.blocks[i]
		given[id(&f)+f.Detail] = true
		solved, choice, dropped := p.solve(out.Files, t, before, f)
		out.Dropped = append(out.Dropped, dropped...)
		switch {
		case solved != nil && solved.arg != nil:
			out.Arguments = append(out.Arguments, Argument{f, t.Name(), solved.arg.Name, t.Args[solved.arg.Name], solved.arg.Value, before.params, solved.after.params})
			*t, before = *t.with(solved.arg), solved.after
		case solved != nil:
			pt, err := p.patchOf(out.Files, t, f, before, solved)
			if err != nil {
				return err
			}
			out.Patches, out.Files, before = append(out.Patches, pt), solved.files, solved.after
		case choice != nil:
			out.Choices = append(out.Choices, *choice)
		default:
			out.Left = append(out.Left, Left{f, t.Name(), "no single change of the source is certain to mend it"})
		}
	}
	return nil
}

// solve tries the candidates of a finding. It returns the one to take, or several that are as good.
func (p *project) solve(files []patch.File, t *Target, before *verdict, f action.Finding) (*trial, *Choice, []Dropped) {
	x := p.suspect(files, t, before, f)
	var whole, further []trial
	var dropped []Dropped
	start, best := p.reads, math.MaxInt
	for _, c := range x.candidates() {
		if p.reads-start >= maxReads || p.ctx.Err() != nil || len(whole) > 0 && c.cost-bonus > best+margin {
			break
		}
		changed, err := patch.Apply(files, c.edits)
		if err != nil {
			continue
		}
		after := p.judge(changed, t.with(c.arg))
		tr := trial{c, changed, after, c.cost}
		switch how(before, after, &f) {
		case mended:
			if !c.several {
				tr.score -= x.evidence(&tr, before)
			}
			best = min(best, tr.score)
			whole = append(whole, tr)
		case goesOn:
			tr.score -= x.evidence(&tr, before)
			further = append(further, tr)
		default:
			if c.cost <= costEdit {
				dropped = append(dropped, drop(files, &tr))
			}
		}
	}
	if len(whole) == 0 {
		whole = further
	}
	return choose(files, t, f, whole, dropped)
}

// choose takes the best of what mends a finding, if it is the only one that good.
func choose(files []patch.File, t *Target, f action.Finding, list []trial, dropped []Dropped) (*trial, *Choice, []Dropped) {
	if len(list) == 0 {
		return nil, nil, dropped
	}
	slices.SortStableFunc(list, func(a, b trial) int { return cmp.Compare(a.score, b.score) })
	same, alike := 1, true
	for same < len(list) && list[same].score <= list[0].score+margin-1 {
		alike = alike && alikeModels(&list[0], &list[same])
		same++
	}
	if same == 1 || alike {
		return &list[0], nil, dropped
	}
	c := &Choice{Finding: f, Target: t.Name(), Why: fmt.Sprintf("%d changes mend it, and nothing says which was meant", same)}
	for _, tr := range list[:min(same, 12)] {
		o, err := option(files, &tr)
		if err == nil {
			c.Options = append(c.Options, o)
		}
	}
	return nil, c, dropped
}

// alikeModels reports whether two changes give the same model, as two axes of a transpose in either order do: then the first is as good as the other.
// A word that is spelt alike where it is defined and where it is read is as good either way.
func alikeModels(a, b *trial) bool {
	if a.respells && b.respells && !a.several && !b.several {
		return a.after.params == b.after.params && len(a.after.graph.Components) == len(b.after.graph.Components)
	}
	return !a.several && a.arg == nil && b.arg == nil && bytes.Equal(a.after.graph.AppendJSON(nil), b.after.graph.AppendJSON(nil))
}

// The ways in which a change can end.
type ending int

const (
	wrong  ending = iota
	goesOn        // the finding is gone, and another one is found further on
	mended        // the finding is gone, and none is new
)

// how compares a target before and after a change.
func how(before, after *verdict, f *action.Finding) ending {
	if after.err != nil || slices.ContainsFunc(after.blocks, func(g action.Finding) bool { return id(&g) == id(f) && (g.RuleID != raises || core(&g) == core(f)) }) {
		return wrong
	}
	if i := slices.IndexFunc(before.graph.Components, func(c graph.Component) bool { return c.ID == f.Component }); i >= 0 && f.RuleID != raises {
		if typ := before.graph.Components[i].Type; count(after.graph, typ) < count(before.graph, typ) {
			return wrong // it is mended because it is not built any more
		}
	}
	if before.stored && after.params != before.params {
		return wrong // the weights beside it are those of the file as it is
	}
	if after.clean() {
		return mended
	}
	known := map[string]bool{}
	for i := range before.blocks {
		known[id(&before.blocks[i])+before.blocks[i].Detail] = true
	}
	fresh := slices.ContainsFunc(after.blocks, func(g action.Finding) bool { return !known[id(&g)+g.Detail] })
	switch {
	case len(after.blocks) > 0 && !fresh && len(after.blocks) < len(before.blocks) && after.known >= before.known:
		return mended
	case after.known > before.known && len(after.blocks) > 0 && len(after.blocks) <= len(before.blocks):
		return goesOn
	}
	return wrong
}

// raises is the rule of exceptions, which all have the same component.
const raises = "source-raises"

var placed = regexp.MustCompile(`\S+\.py:\d+: `)

// core is what a finding about an exception says beside its line and the values there.
func core(f *action.Finding) string {
	text, _, _ := strings.Cut(placed.ReplaceAllString(f.Detail, ""), "; ")
	return text
}

// count is how many components of a type a graph has.
func count(g *graph.Graph, typ string) int {
	n := 0
	for i := range g.Components {
		if g.Components[i].Type == typ {
			n++
		}
	}
	return n
}

// option shows a trial to choose from.
func option(files []patch.File, tr *trial) (Option, error) {
	if tr.arg != nil {
		return Option{Why: "--arg " + tr.arg.Name + "=" + tr.arg.Value, ParamsAfter: tr.after.params}, nil
	}
	e := tr.edits[0]
	o := Option{Path: e.Path, Line: lineOf(files, e), Edits: tr.edits, Why: tr.what, ParamsAfter: tr.after.params}
	var err error
	o.Diff, err = patch.Diff(patch.File{Path: e.Path, Text: textOf(files, e.Path)}, patch.File{Path: e.Path, Text: textOf(tr.files, e.Path)})
	return o, err
}

// lineOf is the line that an edit begins on.
func lineOf(files []patch.File, e patch.Edit) int {
	return strings.Count(textOf(files, e.Path)[:e.Start], "\n") + 1
}

// drop says why a change that was likely was not taken.
func drop(files []patch.File, tr *trial) Dropped {
	d := Dropped{Change: tr.what}
	if len(tr.edits) > 0 {
		d.Path, d.Line = tr.edits[0].Path, lineOf(files, tr.edits[0])
	}
	switch {
	case tr.after.err != nil:
		d.Why = tr.after.err.Error()
	case len(tr.after.blocks) > 0:
		d.Why = tr.after.blocks[0].Detail
	default:
		d.Why = tr.after.why
	}
	return d
}

// suspect finds the places that may be at fault, by the kind of the file.
func (p *project) suspect(files []patch.File, t *Target, before *verdict, f action.Finding) suspect {
	if f.Section && f.Stage == action.Deploy && t.Command != "" {
		return newLaunch(files, t, f)
	}
	if kindOf(t) == "python" {
		return p.newFault(files, t, before, f)
	}
	return newDocument(p.ctx, files, t, f)
}
