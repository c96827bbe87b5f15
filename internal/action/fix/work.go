package fix

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/edit"
	mend "github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/patch"
)

// Work is a request under way: Begin makes our own changes, Question asks for the rest, Take proves what was answered, and Result
// tells all of it. A server waits for its provider between them without a worker.
type Work struct {
	request *Request
	base    mend.Request // what proofs are made of
	ours    mend.Result
	wanted  []Finding
	rest    []Finding // of those, what ours do not mend
	other   bool      // the files show the fault under other words than the findings: all that blocks there is meant
	changes []change
	notes   []string // of the rationale
	model   string
}

// change is edits that were accepted together.
type change struct {
	edits         []patch.Edit
	titles        []string
	proved        bool
	before, after int64 // weights; -1 where they are not known
}

// Begin finds out what is to be mended and mends what is certain. It takes processor time and waits for nobody.
func Begin(ctx context.Context, r *Request) (*Work, error) {
	w := &Work{request: r, model: Ours, wanted: r.Findings}
	q := &check.Request{Model: r.Model.Clone(), Policy: r.Policy, Examined: r.Examined}
	blocks := edit.Blocking(check.Run(q).Findings)
	if len(w.wanted) == 0 {
		for _, f := range blocks {
			w.wanted = append(w.wanted, Finding{f.Title, f.Detail, f.Stage})
		}
	}
	if len(w.wanted) == 0 {
		w.note("Nothing blocks: there is nothing to mend.")
		return w, nil
	}
	targets, err := w.targets(ctx)
	if err != nil {
		return nil, err
	}
	w.base = mend.Request{Files: r.Files, Targets: targets, Judge: check.Request{Policy: r.Policy}, Limits: graph.ServiceLimits, Max: r.MaxPatches}
	w.base.Findings = w.asTheFilesShowThem(ctx)
	if w.ours, err = mend.Propose(ctx, w.base); err != nil {
		return nil, err
	}
	if err := w.proveOurs(ctx); err != nil {
		return nil, err
	}
	w.takeOurs()
	return w, ctx.Err()
}

// asTheFilesShowThem are the findings to mend in the files. A graph and the source that it was made from may be refused in other words,
// as where PyTorch's constructor raises: then everything that blocks in the source is meant.
func (w *Work) asTheFilesShowThem(ctx context.Context) []mend.Wanted {
	shown := mend.Blocks(ctx, w.base)
	w.other = len(shown) > 0
	for _, f := range w.wanted {
		w.other = w.other && !slices.ContainsFunc(shown, func(g action.Finding) bool { return fits(f, &g) })
	}
	if w.other {
		return nil
	}
	return wanted(w.wanted)
}

// droppedMost is how many of our own attempts that failed are told.
const droppedMost = 3

// takeOurs notes what our own fixer did and did not.
func (w *Work) takeOurs() {
	for _, p := range w.ours.Patches {
		c := change{p.Edits, p.FindingTitles, p.Proved, p.ParamsBefore, p.ParamsAfter}
		if w.other {
			c.titles = titles(w.wanted)
		}
		w.accept(c)
		why, _, _ := strings.Cut(p.Why, "; not proved: ") // which was told of all findings together
		w.note("%s: %s", p.Path, sentence(why))
	}
	for _, c := range w.ours.Choices {
		w.note("%s", choices(c))
	}
	for i, d := range w.ours.Dropped {
		if i == droppedMost {
			break
		}
		w.note("Dropped, because it was disproved: %s of %s: %s", d.Change, d.Path, sentence(d.Why))
	}
	for _, f := range w.wanted {
		if !w.mended(f) {
			w.rest = append(w.rest, f)
		}
	}
}

// mended says whether ours mend a finding.
func (w *Work) mended(f Finding) bool {
	if w.other {
		return len(w.ours.Patches) > 0 && len(w.ours.Left) == 0 && len(w.ours.Choices) == 0
	}
	return slices.ContainsFunc(w.ours.Patches, func(p mend.Patch) bool {
		return slices.ContainsFunc(p.Findings, func(g action.Finding) bool { return fits(f, &g) })
	})
}

// fits says whether a finding is one that a caller names.
func fits(f Finding, g *action.Finding) bool {
	return (f.Title == "" || f.Title == g.Title) && (f.Detail == "" || f.Detail == g.Detail) && (f.Stage == "" || f.Stage == g.Stage)
}

// choices tells the changes of which one would do.
func choices(c mend.Choice) string {
	var all []string
	for _, o := range c.Options {
		all = append(all, sentence(o.Why))
	}
	return fmt.Sprintf("%s: several changes would do, and none was chosen: %s", c.Finding.Title, strings.Join(all, " "))
}

// note adds a sentence to the rationale.
func (w *Work) note(format string, args ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// sentence ends a text with a full stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// Rest is how many findings are left for a provider.
func (w *Work) Rest() int { return len(w.rest) }

// room is how many more edits the caller takes.
func (w *Work) room() int {
	n := w.request.MaxPatches
	for _, c := range w.changes {
		n -= len(c.edits)
	}
	return n
}

// Question is what a provider is asked; false where there is nothing to ask, or no room for an answer.
func (w *Work) Question() (system, user string, ask bool, err error) {
	if len(w.rest) == 0 {
		return "", "", false, nil
	}
	if w.room() < 1 {
		w.note("No provider was asked for the rest, because maxPatches is %d.", w.request.MaxPatches)
		return "", "", false, nil
	}
	a := &asked{Most: w.room(), Findings: w.rest, Files: w.request.Files}
	for _, c := range w.ours.Choices {
		a.Notes = append(a.Notes, choices(c))
	}
	for _, l := range w.ours.Left {
		if l.Why != "" {
			a.Notes = append(a.Notes, fmt.Sprintf("%s: %s %s", l.Finding.Title, sentence(l.Finding.Detail), sentence(l.Why)))
		}
	}
	for _, c := range w.changes {
		for _, e := range c.edits {
			a.Notes = append(a.Notes, fmt.Sprintf("Line %d of %s is changed already; leave it as it is.", w.line(e), e.Path))
		}
	}
	if p := w.request.Policy; p != nil {
		a.Policy = p.Lines()
	}
	system, user, err = a.prompts()
	return system, user, err == nil, err
}

// line is where an edit begins.
func (w *Work) line(e patch.Edit) int {
	for _, f := range w.request.Files {
		if f.Path == e.Path {
			return strings.Count(f.Text[:min(e.Start, len(f.Text))], "\n") + 1
		}
	}
	return 0
}

// mostProse is how much of what a provider says around its blocks is passed on.
const mostProse = 2000

// Take reads the blocks of an answer, and proves them. A *patch.BlockError says what is wrong with the answer.
func (w *Work) Take(ctx context.Context, reply Reply) error {
	w.model = reply.Model
	blocks, prose, err := patch.Parse(reply.Text)
	var edits []patch.Edit
	if err == nil {
		edits, err = patch.Locate(w.request.Files, blocks, w.room())
	}
	if e := (*patch.BlockError)(nil); errors.As(err, &e) && reply.Cut {
		err = fmt.Errorf("%w; the answer was cut off at the most tokens that it may have", err)
	}
	if err != nil {
		return err
	}
	if prose != "" {
		w.note("%s", clip(prose, mostProse))
	}
	return w.prove(ctx, w.apart(edits))
}

func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// apart leaves out edits on lines that are ours already.
func (w *Work) apart(edits []patch.Edit) (kept []patch.Edit) {
	for _, e := range edits {
		clash := slices.ContainsFunc(w.changes, func(c change) bool {
			return slices.ContainsFunc(c.edits, func(own patch.Edit) bool { return w.sameLines(own, e) })
		})
		if clash {
			w.note("Left out: a change of line %d of %s, which is changed already.", w.line(e), e.Path)
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// sameLines says whether two edits touch a line together.
func (w *Work) sameLines(a, b patch.Edit) bool {
	if a.Path != b.Path {
		return false
	}
	last := func(e patch.Edit) int { return w.line(patch.Edit{Path: e.Path, Start: max(e.Start, e.End-1)}) }
	return w.line(a) <= last(b) && w.line(b) <= last(a)
}
