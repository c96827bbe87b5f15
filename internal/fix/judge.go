package fix

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/load"
	"github.com/modelverifier/verifier/internal/patch"
)

// project is a request with what is read of it over and over.
type project struct {
	ctx context.Context
	*Request
	reads int // of sources, so far
}

func open(ctx context.Context, r *Request) (*project, error) {
	if r.Limits == (graph.Limits{}) {
		r.Limits = graph.LocalLimits
	}
	seen := map[string]bool{}
	for _, f := range r.Files {
		if err := patch.CheckPath(f.Path); err != nil {
			return nil, action.Errorf(action.CodeForm, f.Path, "%v", err)
		}
		if seen[f.Path] {
			return nil, action.Errorf(action.CodeForm, f.Path, "was sent twice")
		}
		seen[f.Path] = true
		if !utf8.ValidString(f.Text) {
			return nil, action.Errorf(action.CodeForm, f.Path, "is not UTF-8, so that it cannot be changed; save it as UTF-8 first")
		}
	}
	for _, t := range r.Targets {
		for _, path := range []string{t.Path, t.Command} {
			if path != "" && !seen[path] {
				return nil, action.Errorf(action.CodeNotFound, path, "is none of the files that were sent")
			}
		}
	}
	return &project{ctx: ctx, Request: r}, nil
}

// verdict is what a target was found to be.
type verdict struct {
	err      error            // that it could not be read
	blocks   []action.Finding // that gate, in the order of the check
	params   int64            // -1 where they are not known
	known    int              // components that were found out
	complete bool             // whether it was read and judged to its end
	why      string           // if not, why
	unused   int64            // weights that the forward never uses
	stored   bool             // weights lie beside it and fit: another number of them would not be theirs
	source   *torch.Model     // of a PyTorch source
	graph    *graph.Graph
	walked   *infer.Result
}

// clean reports whether nothing blocks in a model that is known to its end.
func (v *verdict) clean() bool { return v.err == nil && v.complete && len(v.blocks) == 0 }

// judge reads a target among files, and checks it. When the time is over nothing is read any more, whatever else is to be judged.
func (p *project) judge(files []patch.File, t *Target) *verdict {
	if err := p.ctx.Err(); err != nil {
		return &verdict{err: err, params: -1}
	}
	p.reads++
	read := readers[kindOf(t)]
	return read(p, files, t)
}

// readers read the kinds of files.
var readers = map[string]func(*project, []patch.File, *Target) *verdict{"python": (*project).judgeSource}

// kindOf tells targets apart by their names.
func kindOf(t *Target) string {
	switch {
	case strings.HasSuffix(t.Path, ".py"):
		return "python"
	case path.Base(t.Path) == "config.json":
		return "config"
	}
	return "graph"
}

// judgeSource judges a source. One that is read for a single sample, as the inputs say, is read for two, too: what one sample allows by
// chance, such as a reshape without a batch, is no mending.
func (p *project) judgeSource(files []patch.File, t *Target) *verdict {
	v := p.judgeInputs(files, t, t.Inputs)
	if v.err != nil || v.source.Batch != 1 || len(v.blocks) > 0 {
		return v
	}
	two := slices.Clone(t.Inputs)
	for i, in := range two {
		if rest, batched := strings.CutPrefix(in, "1,"); batched {
			two[i] = "2," + rest
		}
	}
	p.reads++
	if w := p.judgeInputs(files, t, two); !w.clean() {
		v.complete, v.why = false, "it is known to run for a single sample alone"
	}
	return v
}

func (p *project) judgeInputs(files []patch.File, t *Target, inputs []string) *verdict {
	texts := make(map[string]string, len(files))
	for _, f := range files {
		texts[f.Path] = f.Text
	}
	root, main := ImportRoot(&fence.Texts{Over: texts, Rest: p.Rest}, t.Path)
	m, err := load.Source(p.ctx, root, main, t.Symbol, load.Options{Inputs: inputs, Args: t.Args, SitePackages: t.SitePackages, Limits: p.Limits})
	if err != nil {
		return &verdict{err: err, params: -1}
	}
	v := p.check(m.Graph, t, files)
	if v.err != nil {
		return v
	}
	v.source, v.params, v.unused = m, m.Params, m.Unused
	if m.Status != torch.Full && v.why == "" {
		v.complete, v.why = false, "the source was followed in part only"
		if len(m.Problems) > 0 {
			v.why = m.Problems[0].String()
		}
	}
	return v
}

// ImportRoot finds the folder that absolute imports of a file start from, which is above its outermost package, and its name from there.
func ImportRoot(fsys fs.FS, file string) (fs.FS, string) {
	dir := path.Dir(file)
	for dir != "." {
		if _, err := fs.Stat(fsys, path.Join(dir, "__init__.py")); err != nil {
			break
		}
		dir = path.Dir(dir)
	}
	if dir == "." {
		return fsys, file
	}
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		return fsys, file
	}
	return sub, strings.TrimPrefix(file, dir+"/")
}

// importDir is the folder of ImportRoot, with a slash behind it where it is not the root.
func (p *project) importDir(t *Target) string {
	texts := map[string]string{}
	for _, f := range p.Files {
		texts[f.Path] = ""
	}
	return ImportDir(&fence.Texts{Over: texts, Rest: p.Rest}, t.Path)
}

// ImportDir is the folder that absolute imports of a Python file start from, with a slash behind it, or "" where that is the root.
func ImportDir(fsys fs.FS, file string) string {
	_, main := ImportRoot(fsys, file)
	return strings.TrimSuffix(file, main)
}

// check judges a graph as the caller does.
func (p *project) check(g *graph.Graph, t *Target, files []patch.File) *verdict {
	q := p.Judge
	if t.Judge != nil {
		q = *t.Judge
	}
	q.Model = g.Clone()
	if t.Command != "" {
		if err := launch(&q, textOf(files, t.Command)); err != nil {
			return &verdict{err: err, params: -1}
		}
	}
	r := check.Run(&q)
	v := &verdict{blocks: edit.Blocking(r.Findings), params: -1, graph: g, walked: r.Study.Walked, complete: true}
	for i := range v.walked.Nodes {
		if v.walked.Nodes[i].State != infer.Unknown {
			v.known++
		}
	}
	v.stored = q.Stored != nil && *q.Stored == ""
	switch {
	case r.Study.Unread() != "":
		v.complete, v.why = false, r.Study.Unread()
	case r.Study.Asked() != "":
		v.complete, v.why = false, r.Study.Asked()
	case len(r.Study.Withheld) > 0:
		v.complete, v.why = false, "the shapes of "+strconv.Itoa(len(r.Study.Withheld))+" components are not known"
	}
	return v
}

// wanted reports whether a finding is to be mended.
func (p *project) wanted(f *action.Finding) bool {
	return len(p.Findings) == 0 || slices.ContainsFunc(p.Findings, func(w Wanted) bool { return w.fits(f) })
}

// id names a finding, so that it is known again after a change.
func id(f *action.Finding) string {
	return f.RuleID + "\x00" + f.Component + "\x00" + f.Stage + "\x00" + f.Title
}
