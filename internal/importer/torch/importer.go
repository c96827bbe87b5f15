// Package torch reads PyTorch source into a graph without running it, and, when asked, by running it in the user's own Python.
//
// Without running: the file is parsed, the class or factory is followed by an interpreter that knows the language and what torch's
// modules and functions do to shapes, and every call becomes a component. What cannot be followed is reported with its file and line;
// nothing is guessed. The package writes nothing, and reads nothing but Python files below the root.
package torch

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"sort"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// Status says how much of a model was read.
type Status string

// The statuses. Full: every weight is known and the graph follows the forward. Partly: every weight is known, but not where all of
// them are in the graph. A model of which not even that is known is refused with an error.
const (
	Full   Status = "full"
	Partly Status = "partly"
)

// Problem is something that could not be followed.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// Edges counts the connections, and those that were concluded instead of read.
type Edges struct {
	Total             int `json:"total"`
	Inferred          int `json:"inferred"`
	ConstructionOrder int `json:"constructionOrder"`
	UnmodelledMerge   int `json:"unmodelledMerge"`
}

// Model is what was read.
type Model struct {
	Graph    *graph.Graph
	Params   int64    // of the constructed module, used or not; -1 where a part of it is not known
	Unused   int64    // of them, those that the forward never uses
	Withheld []string // the components of parts that are not known: the graph lacks their weights
	Status   Status
	Problems []Problem
	Notes    []Problem
	Edges    Edges
	Lines    []interp.Place // where each component was made, with files as from the folder that imports start at; none of a traced model
	Calls    []interp.Place // the line of the forward that ran each, where there is one; none of a traced model
	Sources  []Source       // that were read, the main one among them
	Main     string         // the name of that one
	Batch    int64          // that the program was read for, where its steps depend on how many samples there are; else 0
	Customs  int            // components of declared shape that stand for what the catalogue does not have

	// Inputs are those that were found in the file, where none were given, and InputsFrom says where.
	Inputs     []Input
	InputsFrom string
	Raises     bool // the constructor or the forward certainly raises: the first of Problems

	fixed   int64 // the batch that the program was read for, 0 where it did not need one
	steps   int   // that the forward took
	results []result
	excerpt func(interp.Place) string

	lost bool // the forward branches on what is not known: it may do otherwise in evaluation
}

// Excerpt is the statement that made a component, "" where it is not known.
func (m *Model) Excerpt(component int) string {
	if m.excerpt == nil || component < 0 || component >= len(m.Lines) || m.Lines[component].Line == 0 {
		return ""
	}
	return m.excerpt(m.Lines[component])
}

// Options say what the source does not.
type Options struct {
	Inputs []Input
	Args   map[string]string // arguments of the constructor, as Python literals or names
	// Evaluate reads the model in evaluation mode. Otherwise it is training, unless that depends on chance.
	Evaluate bool
	Edits    []Edit // of layers, made after the constructor has made them
	// Above are the folders above the one that imports start from, nearest first, in which imports are looked for, too. Within are the names
	// of the folders that lead from the last of them to that one. Siblings is that packages beside that of the file may be imported.
	Above    []fs.FS
	Within   []string
	Siblings bool
	// Installed is a folder of packages that are read where the program's own files have none of the name. PyTorch itself is not read.
	Installed fs.FS

	batch     int64           // read for this batch, whatever the inputs say
	every     bool            // read for one of many batches, so that what all of them raise is certain
	batchAxes []int           // of the results, where they were found out
	read      map[Source]bool // what the import has read so far
	release   string          // read for this release of PyTorch; "" for any
	asked     *bool           // is set where the program asks for the release
}

// The codes of the errors of this package.
const (
	CodeSource  = action.CodeFile     // not Python, or not there
	CodeName    = action.CodeNotFound // no such class or function
	CodeArgs    = graph.CodeMissing   // an argument of the constructor
	CodeInput   = graph.CodeMissing   // the shape of an input
	CodeRefused = action.CodeUnsupported
)

// Import reads a class or a factory function of a file. The names of the file system start from the folder that absolute imports do: the one
// above the outermost package of the file. Nothing but what is in it is read.
func Import(ctx context.Context, fsys fs.FS, file, name string, opt Options) (*Model, error) {
	if info, err := fs.Stat(fsys, file); err != nil || info.IsDir() {
		return nil, fail(CodeSource, file, "is not a Python file that can be read")
	}
	pkg, _, packed := strings.Cut(file, "/")
	if !packed {
		pkg = ""
	}
	read := &sources{FS: fsys, read: map[Source]bool{}}
	above := make([]fs.FS, len(opt.Above))
	for i, up := range opt.Above {
		above[i] = &sources{FS: up, read: read.read, prefix: strings.Repeat("../", i+1)}
	}
	opt.Above, opt.read = above, read.read
	m, err := importForReleases(ctx, read, file, pkg, name, opt)
	if err == nil {
		m.Sources, m.Main = read.list(), file
	}
	return m, err
}

func importTwice(ctx context.Context, fsys fs.FS, rel, pkg, name string, opt Options) (*Model, error) {
	first, err := importForBatch(ctx, fsys, rel, pkg, name, opt, !opt.Evaluate)
	if err != nil || first.Status == Full || opt.Evaluate || !first.lost || first.Raises {
		return first, err
	}
	// What a program does in training may depend on chance; in evaluation it does not. A program that raises in training does not run.
	second, err := importForBatch(ctx, fsys, rel, pkg, name, opt, false)
	if err == nil && second.Status == Full {
		second.Notes = append(second.Notes, Problem{rel, 1, "read in evaluation mode: " + first.Problems[0].Message})
		return second, nil
	}
	return first, nil
}

func fail(code, where, format string, args ...any) *graph.Error {
	return &graph.Error{Code: code, Path: where, Message: fmt.Sprintf(format, args...)}
}

func importOnce(ctx context.Context, fsys fs.FS, file, pkg, name string, opt Options, training bool) (out *Model, err error) {
	in := interp.New(ctx, fsys)
	if stopped := in.Protect(func() { out, err = importWith(in, file, pkg, name, opt, training) }); stopped != nil {
		return nil, fail(CodeRefused, file, "%v", stopped) // a budget ended outside of what is followed statement by statement
	}
	return out, err
}

func importWith(in *interp.Interp, file, pkg, name string, opt Options, training bool) (*Model, error) {
	in.Package, in.Siblings, in.Above, in.Within = pkg, opt.Siblings, opt.Above, opt.Within
	in.Installed = installed(opt.Installed, opt.read)
	r := newReader(in, training, opt)
	if opt.every {
		in.Leave(maxEverySteps)
	}
	if opt.every && opt.batch == distinct {
		in.Wary = distinct
	}
	if err := r.loadPrelude(); err != nil {
		return nil, err
	}
	m, err := in.Load(file)
	if err != nil {
		return nil, fail(CodeSource, file, "%s", strings.TrimPrefix(err.Error(), file+":"))
	}
	root, err := r.build(m, name, opt)
	if x := certain(err); x != nil {
		return r.unbuilt(name, x, opt), nil
	}
	if err != nil {
		return nil, err
	}
	from := ""
	if len(opt.Inputs) == 0 {
		if err := r.in.Protect(func() { opt.Inputs, from = r.guess(m, root) }); err != nil {
			opt.Inputs, from = nil, ""
		}
		r.in.Afresh() // what guessing took is not the program's
	}
	out, err := r.read(root, name, opt)
	if err == nil {
		out.excerpt = in.Excerpt
	}
	if err == nil && from != "" {
		out.Inputs, out.InputsFrom = opt.Inputs, from
	}
	if err == nil {
		out.Notes = append(out.Notes, versions(in.Installed)...)
	}
	return out, err
}

// build finds the class or function and calls it.
func (r *reader) build(m *interp.Module, name string, opt Options) (*interp.Instance, error) {
	target, label, err := r.target(m, name)
	if err != nil {
		return nil, err
	}
	if x, made := r.isModule(target); made { // an instance at the level of the file
		if len(opt.Args) > 0 {
			return nil, fail(CodeArgs, m.File+":"+label, "is an instance already, and takes no --arg")
		}
		return x, nil
	}
	args := &interp.Args{}
	for _, k := range sortedKeys(opt.Args) {
		if r.taken[k] && !accepts(target, k) {
			continue
		}
		args.Kw = append(args.Kw, interp.KV{Name: k, Value: r.argument(m, opt.Args[k])})
	}
	if missing := required(target, args); len(missing) > 0 {
		e := fail(CodeArgs, m.File+":"+label, "needs %s, which the source does not give: pass --arg %s=…", strings.Join(missing, ", "), missing[0])
		e.Allowed = missing
		return nil, e
	}
	var made interp.Value
	if err := r.in.Protect(func() { made = r.in.Call(target, args) }); err != nil {
		if x := certain(err); x != nil && x.At.Line > 0 {
			return nil, x
		}
		return nil, fail(CodeRefused, m.File+":"+label, "%v", unfollowed(err))
	}
	if u, ok := made.(*interp.Unknown); ok {
		return nil, fail(CodeRefused, m.File+":"+label, "%s", u.Reason())
	}
	x, ok := r.isModule(made)
	if !ok {
		return nil, fail(CodeName, m.File+":"+label, "gives a %s, not a torch.nn.Module", interp.TypeName(made))
	}
	return x, nil
}

// required lists the arguments that are neither given nor have a default.
func required(target interp.Value, args *interp.Args) []string {
	var names []string
	switch t := interp.Unwrap(target).(type) {
	case *interp.Func:
		names = t.Required(false)
	case *interp.Class:
		init, _ := t.Lookup("__init__")
		if f, ok := init.(*interp.Func); ok {
			names = f.Required(true)
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { _, given := args.Get(n, -1); return given })
}

// accepts reports whether a class or function has a parameter of that name.
func accepts(target interp.Value, name string) bool {
	t := interp.Unwrap(target)
	if c, ok := t.(*interp.Class); ok {
		t, _ = c.Lookup("__init__")
	}
	f, ok := t.(*interp.Func)
	return ok && slices.ContainsFunc(f.Params, func(p python.Param) bool { return p.Name == name })
}

// target finds what is to be imported; without a name, the one module class that no other class of the file uses.
func (r *reader) target(m *interp.Module, name string) (interp.Value, string, error) {
	candidates := r.candidates(m)
	if name == "" {
		roots := r.roots(m, candidates)
		if len(roots) != 1 {
			e := fail(CodeName, m.File, "has %d models: name one of %s", len(roots), strings.Join(candidates, ", "))
			if len(candidates) == 0 {
				e = fail(CodeName, m.File, "defines no torch.nn.Module")
			}
			e.Allowed = candidates
			return nil, "", e
		}
		name = roots[0]
	}
	var v interp.Value
	found := false
	err := r.in.Protect(func() { v, found = r.in.FindAttr(m, name) })
	if err != nil || !found {
		e := fail(CodeName, m.File+":"+name, "is not defined there; the file has %s", strings.Join(candidates, ", "))
		e.Allowed = candidates
		return nil, "", e
	}
	if u, unknown := v.(*interp.Unknown); unknown {
		return nil, "", fail(CodeRefused, m.File+":"+name, "%s", u.Reason())
	}
	return v, name, nil
}

// candidates lists the module classes and the functions of a file.
func (r *reader) candidates(m *interp.Module) []string {
	var out []string
	for _, n := range sortedKeys(m.Attrs) {
		switch v := m.Attrs[n].(type) {
		case *interp.Class:
			if v.Module == m && v.Is(r.moduleClass) {
				out = append(out, n)
			}
		case *interp.Func:
			if !strings.HasPrefix(n, "_") {
				out = append(out, n)
			}
		case *interp.Instance:
			if _, isModule := r.isModule(v); isModule {
				out = append(out, n)
			}
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
