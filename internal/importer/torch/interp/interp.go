package interp

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// The budgets of one import. A large torchvision model takes about a million steps.
const (
	MaxSteps  = 3_000_000
	MaxItems  = 1_000_000 // values put into containers, and every 16 bytes put into strings
	maxDepth  = 180       // calls inside calls; Python's own limit is 1,000 frames, of which we need several for one
	maxNested = 2_000     // native steps inside each other, such as the comparison of a list in a list
	maxBases  = 300       // classes that a class derives from
	maxSaid   = 2_000     // bytes of a message
)

// Fault is a place where the program could not be followed.
type Fault struct {
	File    string
	Line    int
	Message string
	// Condition is set where a branch depends on what is not known, such as chance.
	Condition bool
}

func (f *Fault) Error() string {
	if f.File == "" {
		return f.Message
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message)
}

// Raised is an exception that the program raises.
type Raised struct {
	Exc  *Instance
	File string
	Line int
	// Certain is whether Python raises it, too, and nothing catches it.
	Certain bool
	// At is the innermost line of the user's own files, Text the statement there, and Values those of the names in it.
	At     Place
	Text   string
	Values []string

	written bool // by a raise or assert statement: its class is the program's own choice
}

func (r *Raised) Error() string {
	return fmt.Sprintf("%s:%d: raises %s: %s", r.File, r.Line, r.Exc.Class.Name, r.Message())
}

// Message is what the exception was made with.
func (r *Raised) Message() string {
	if args, ok := r.Exc.Get("args"); ok {
		if t, ok := args.(*Tuple); ok && len(t.Items) > 0 {
			return Str(t.Items[0])
		}
	}
	return ""
}

// Note is something that a reader of the result should know.
type Note struct {
	File    string
	Line    int
	Message string
}

// Interp is one import: the modules that were read and what it has cost so far.
type Interp struct {
	FS        fs.FS
	Natives   map[string]*Module // packages that are known without their source, by their full name
	Package   string             // the top-level package of the file, or empty: what else may be read by its absolute name
	Notes     []Note
	Installed *Beside                // packages that are installed beside the program, nil where none may be read
	Siblings  bool                   // packages beside that one may be read, too
	Above     []fs.FS                // folders above FS in which modules are looked for, too, nearest first
	Within    []string               // the names of the folders from the last of Above to FS
	Assume    func(why string) int64 // the number that a symbolic size stands for, where a program needs one; why says what for
	// Wary is a size of the batch that nothing else in a program has: what a comparison with it or a part of it decides is guessed. Zero for none.
	Wary int64
	// Own gives the source of a module that this program brings along, by its full name.
	Own   func(name string) (source string, ok bool)
	Quiet []string // how the names begin of what may be called without making a part of a model

	ctx      context.Context
	modules  map[string]*Module // by dotted name
	builtins map[string]Value
	frame    *frame
	byFile   map[string]*Module // those that were read, by their path
	steps    int
	began    int // the steps that were counted before the first was taken
	looked   int // the steps at which the time was looked at last
	items    int
	guess    string // what the program was followed on that was not found out, "" where nothing was
	exact    bool   // the native function that is being bound has the arguments of the real one
	sysPath  *List  // sys.path: what the program put there
	doubt    int    // parts of an expression that Python may not come to
	nested   int    // native steps that go on inside each other
	seen     seen
	lost     map[string]*Fault // modules that were looked for: nil, or why they cannot be read
	lostIn   []string          // what sys.path was then
	exposed  map[*Instance]*Unknown
}

// frame is a call that is going on.
type frame struct {
	up       *frame
	file     string
	line     int
	depth    int
	fn       *Func
	self     Value
	handling *Raised
	yielded  *List // of a generator
	trying   int   // try statements that catch a failed import
	guarded  int   // statements that may catch an exception
	stmt     python.Stmt
	env      *env
}

// New makes an interpreter over a root.
func New(ctx context.Context, fsys fs.FS) *Interp {
	in := &Interp{FS: fsys, Natives: map[string]*Module{}, ctx: ctx, modules: map[string]*Module{}, byFile: map[string]*Module{}}
	in.frame = &frame{}
	in.builtins = builtinNames()
	return in
}

// Fault gives up at the place that is being evaluated.
func (in *Interp) Fault(format string, args ...any) {
	at := in.Spot()
	panic(&Fault{File: at.File, Line: at.Line, Message: said(format, args...)})
}

// Place is a line of a file, or nothing where it is not known.
type Place struct {
	File string
	Line int
}

// Spot is the innermost line that is being evaluated of the user's own files or of an installed package: nobody can look into what this program
// brings along.
func (in *Interp) Spot() Place {
	for f := in.frame; f != nil; f = f.up {
		if f.file != "" && (f.file[0] != '<' || strings.HasPrefix(f.file, Installed)) {
			return Place{f.file, f.line}
		}
	}
	return Place{in.frame.file, in.frame.line}
}

// Place is the innermost line of the user's own files that is being evaluated: what was loaded under a name in angle brackets is ours.
func (in *Interp) Place() Place {
	for f := in.frame; f != nil; f = f.up {
		if f.file != "" && f.file[0] != '<' {
			return Place{f.file, f.line}
		}
	}
	return Place{}
}

// Excerpt is the statement on a line of a file that was read.
func (in *Interp) Excerpt(at Place) string {
	if m := in.byFile[at.File]; m != nil {
		return graph.Cut(python.Excerpt(m.source, at.Line), maxSaid)
	}
	return ""
}

// Note keeps a remark about the place that is being evaluated, once.
func (in *Interp) Note(format string, args ...any) {
	at := in.Spot()
	n := Note{at.File, at.Line, said(format, args...)}
	if !slices.Contains(in.Notes, n) && len(in.Notes) < 200 {
		in.Notes = append(in.Notes, n)
	}
}

// Unknown makes a value of which nothing is known but where it came from.
func (in *Interp) Unknown(format string, args ...any) *Unknown {
	at := in.Spot()
	return &Unknown{Why: said(format, args...), File: at.File, Line: at.Line}
}

// Raise raises a built-in exception.
func (in *Interp) Raise(class, format string, args ...any) {
	c, ok := in.builtins[class].(*Class)
	if !ok {
		c = in.builtins["Exception"].(*Class)
	}
	exc := NewInstance(c)
	exc.Set("args", NewTuple(said(format, args...)))
	panic(in.raised(exc))
}

func (in *Interp) raised(exc *Instance) *Raised {
	at := in.Spot()
	r := &Raised{Exc: exc, File: at.File, Line: at.Line, Certain: in.guess == "" && in.doubt == 0 && !in.waiting()}
	r.At, r.Text, r.Values = in.here()
	return r
}

// Protect runs f, and returns what stopped it: a *Fault, a *Raised, or nil.
func (in *Interp) Protect(f func()) (err error) {
	frame, doubt, nested := in.frame, in.doubt, in.nested
	defer func() {
		in.doubt, in.nested = doubt, nested
		switch r := recover().(type) {
		case nil:
		case *Fault:
			in.frame, err = frame, r
		case *Raised:
			in.frame, err = frame, r
		case runtime.Error:
			// A native function was called with arguments that do not fit it. Python would raise; which exception is not known here.
			at := in.Spot()
			in.frame, err = frame, &Fault{File: at.File, Line: at.Line, Message: "a call whose arguments do not fit is not followed"}
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// Load reads a module by its path below the root.
func (in *Interp) Load(path string) (*Module, error) {
	name := strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(path, ".py"), "/__init__"), "/", ".")
	if m := in.modules[name]; m != nil {
		return m, nil
	}
	src, err := fs.ReadFile(in.FS, path)
	if err != nil {
		return nil, err
	}
	return in.LoadSource(name, path, string(src))
}

// LoadSource reads a module from its text.
func (in *Interp) LoadSource(name, path, src string) (*Module, error) {
	file, err := in.parse(path, src)
	if err != nil {
		return nil, err
	}
	m := &Module{Name: name, File: path, Attrs: map[string]Value{"__name__": name, "__file__": in.absolutePath(path)}}
	m.env = &env{vars: m.Attrs, module: m}
	m.source, m.tree = src, file
	in.modules[name], in.byFile[path] = m, m
	saved := in.frame
	in.frame = &frame{file: path, depth: saved.depth + 1}
	defer func() { in.frame = saved }()
	if in.frame.depth > maxDepth {
		in.Fault("imports are nested more than %d deep", maxDepth)
	}
	for _, s := range file.Body {
		in.topLevel(m, s)
	}
	return m, nil
}

// parse reads a file, which was parsed already where it has two names.
func (in *Interp) parse(path, src string) (*python.File, error) {
	if m := in.byFile[path]; m != nil && m.source == src {
		in.work(len(src))
		return m.tree, nil
	}
	in.work(len(src) / bytesPerItem) // no file is parsed twice: all of them together are no larger than what was sent
	return python.Parse(path, src)
}

// topLevel runs a statement of a module. One that cannot be followed leaves what it would have defined unknown: most of a
// module's statements have nothing to do with the model that is asked for.
func (in *Interp) topLevel(m *Module, s python.Stmt) {
	before := in.guess
	body := []python.Stmt{s}
	if x, ok := typeChecked(m, s); ok {
		body = x.Then
	}
	err := in.Protect(func() { in.exec(m.env, body) })
	if in.guess != before {
		in.setAside(m, s)
		in.guess = before
	}
	if err == nil {
		return
	}
	if changes(s) {
		in.Guess("line %d of %s, which was not followed, may change what the model is", s.Line(), m.File)
	}
	why := &Unknown{Why: err.Error(), File: m.File, Line: s.Line()}
	for _, n := range defines(s) {
		m.Attrs[n] = why
	}
	for _, n := range touched(s) {
		if v, set := m.Attrs[n]; set && changeable(v) {
			m.Attrs[n] = why
		}
	}
}

// defines lists the names that a statement binds.
func defines(s python.Stmt) []string {
	var out []string
	switch s := s.(type) {
	case *python.FuncDef:
		out = append(out, s.Name)
	case *python.ClassDef:
		out = append(out, s.Name)
	case *python.Assign:
		for _, t := range s.Targets {
			out = append(out, targetNames(t)...)
		}
	case *python.AnnAssign:
		out = targetNames(s.Target)
	case *python.AugAssign:
		out = targetNames(s.Target)
	case *python.If:
		out = definesAll(s.Then, s.Else)
	case *python.Try:
		out = definesAll(s.Body, s.Else, s.Finally)
		for _, h := range s.Handlers {
			out = append(out, definesAll(h.Body)...)
		}
	case *python.For:
		out = append(targetNames(s.Target), definesAll(s.Body, s.Else)...)
	case *python.While:
		out = definesAll(s.Body, s.Else)
	case *python.With:
		out = definesAll(s.Body)
	case *python.Import:
		for _, a := range s.Names {
			name, _, _ := strings.Cut(a.Name, ".")
			if a.As != "" {
				name = a.As
			}
			out = append(out, name)
		}
	case *python.ImportFrom:
		for _, a := range s.Names {
			name := a.Name
			if a.As != "" {
				name = a.As
			}
			out = append(out, name)
		}
	}
	return out
}

func definesAll(blocks ...[]python.Stmt) []string {
	var out []string
	for _, b := range blocks {
		for _, s := range b {
			out = append(out, defines(s)...)
		}
	}
	return out
}

func targetNames(e python.Expr) []string {
	switch e := e.(type) {
	case *python.Name:
		return []string{e.ID}
	case *python.Star:
		return targetNames(e.X)
	case *python.Sequence:
		var out []string
		for _, item := range e.Items {
			out = append(out, targetNames(item)...)
		}
		return out
	}
	return nil
}
