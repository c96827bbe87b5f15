package fix

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/patch"
)

// Result tells what was accepted: one patch a file, of the texts as they were sent. An error is a fault of ours.
func (w *Work) Result() (*Result, error) {
	out := &Result{Patches: []Patch{}, Rationale: w.rationale(), Model: w.model}
	var edits []patch.Edit
	for _, c := range w.changes {
		edits = append(edits, c.edits...)
	}
	after, err := patch.Apply(w.request.Files, edits)
	if err != nil {
		return out, &DiffError{err}
	}
	for i, f := range w.request.Files {
		diff, err := patch.Diff(f, after[i])
		if err == nil && diff != "" && w.request.CheckDiff != nil {
			err = w.request.CheckDiff(diff)
		}
		if err != nil {
			return out, &DiffError{err}
		}
		if diff != "" {
			out.Patches = append(out.Patches, w.patch(f.Path, diff))
		}
	}
	return out, nil
}

// patch describes the change of one file.
func (w *Work) patch(path, diff string) Patch {
	p := Patch{Path: path, Diff: diff, FindingTitles: []string{}, Proved: true}
	for _, c := range w.changes {
		if !slices.ContainsFunc(c.edits, func(e patch.Edit) bool { return e.Path == path }) {
			continue
		}
		for _, t := range c.titles {
			if !slices.Contains(p.FindingTitles, t) {
				p.FindingTitles = append(p.FindingTitles, t)
			}
		}
		p.Proved = p.Proved && c.proved
		if c.before >= 0 && c.after >= 0 {
			p.ParamsBefore, p.ParamsAfter = &c.before, &c.after
		}
	}
	return p
}

// DiffError is a diff of legal edits that our own validator refused.
type DiffError struct{ err error }

func (e *DiffError) Error() string { return e.err.Error() }
func (e *DiffError) Unwrap() error { return e.err }

// IsBlocks says whether an error is that of blocks which cannot be used.
func IsBlocks(err error) bool {
	e := (*patch.BlockError)(nil)
	return errors.As(err, &e)
}

// Failed is the answer where no provider could be asked, or where its answer could not be used. What ours mended comes with it.
func (w *Work) Failed(err error) Failure {
	f := Failure{Error: err.Error(), Code: CodeProvider, Patches: []Patch{}}
	if e := (*patch.BlockError)(nil); errors.As(err, &e) {
		f.Code, f.Block, f.Path, f.Cause = CodeBlocks, e.Block, e.Path, e.Cause
	}
	if r, err := w.Result(); err == nil {
		f.Patches = r.Patches
	}
	f.Rationale = w.rationale()
	return f
}

// rationale is the notes, and the findings that nothing was accepted for.
func (w *Work) rationale() string {
	all := slices.Clone(w.notes)
	var open []Finding
	for _, f := range w.rest {
		if !slices.ContainsFunc(w.changes, func(c change) bool { return slices.Contains(c.titles, f.Title) }) {
			open = append(open, f)
		}
	}
	if len(open) > 0 {
		all = append(all, left(open)+".")
	}
	return strings.Join(all, "\n")
}

// left names findings that are not mended.
func left(all []Finding) string { return "Not mended: " + strings.Join(titles(all), "; ") }

// ErrNoProvider is the failure where nobody configured one.
var ErrNoProvider = errors.New("provider unavailable: no language-model provider is configured, and a part of the findings needs one")

// Run does all of it; without a provider where p is nil. A *Failure says what came instead of a result.
func Run(ctx context.Context, r *Request, p Provider) (*Result, *Failure, error) {
	w, err := Begin(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	system, user, ask, err := w.Question()
	if err != nil {
		return nil, nil, err
	}
	if ask {
		err := ErrNoProvider
		if p != nil {
			var reply Reply
			if reply, err = p.Ask(ctx, system, user); err == nil {
				err = w.Take(ctx, reply)
			}
		}
		if err != nil {
			f := w.Failed(err)
			return nil, &f, nil
		}
	}
	out, err := w.Result()
	return out, nil, err
}
