package interp

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// find returns a module by its dotted name: a native one, one that was read, or one that lies below the root and belongs to the
// program. nil where there is none.
func (in *Interp) find(name string) *Module {
	if m := in.Natives[name]; m != nil {
		return m
	}
	if m := in.modules[name]; m != nil {
		return m
	}
	if m := in.findOnce(name); m != nil {
		return m
	}
	return in.own(name) // a package that is there is read as it is
}

// placeSteps is what it takes to look for a module in a folder.
const placeSteps = 20

// findOnce is findFile, which does not look again for what is not there or cannot be read.
func (in *Interp) findOnce(name string) *Module {
	in.work(len(name))
	if len(name) > maxFolder {
		return nil
	}
	if at := in.searched(); !slices.Equal(at, in.lostIn) {
		in.lost, in.lostIn = nil, at
	}
	if f, known := in.lost[name]; known {
		if f != nil {
			again := *f
			panic(&again)
		}
		return nil
	}
	in.work(placeSteps * perStep)
	m := in.findFile(name)
	if m == nil {
		in.lose(name, nil)
	}
	return m
}

// lose keeps that a module cannot be found, or why it cannot be read.
func (in *Interp) lose(name string, why *Fault) {
	in.spendText(int64(len(name)), 2)
	if in.lost == nil {
		in.lost = map[string]*Fault{}
	}
	in.lost[name] = why
}

// readable gives up where the file of a module is no Python.
func (in *Interp) readable(name string, err error) {
	var syntax *python.Error
	if errors.As(err, &syntax) {
		f := &Fault{File: syntax.File, Line: syntax.Line, Message: syntax.Message}
		in.lose(name, f)
		panic(f)
	}
}

// findFile returns a module that lies below the root, in a folder above it, or beside.
func (in *Interp) findFile(name string) *Module {
	top, _, _ := strings.Cut(name, ".")
	if in.Natives[top] != nil || in.Package != "" && top != in.Package && !in.Siblings || name == "" {
		return in.findBeside(name)
	}
	path := strings.ReplaceAll(name, ".", "/")
	for _, p := range []string{path + ".py", path + "/__init__.py"} {
		if !fs.ValidPath(p) {
			continue
		}
		if info, err := fs.Stat(in.FS, p); err != nil || info.IsDir() || info.Size() > python.MaxBytes {
			continue
		}
		m, err := in.Load(p)
		if err == nil {
			return m
		}
		in.readable(name, err)
	}
	// A folder without __init__.py is a package all the same.
	if info, err := fs.Stat(in.FS, path); fs.ValidPath(path) && err == nil && info.IsDir() {
		return &Module{Name: name, File: path, Attrs: map[string]Value{}}
	}
	if m := in.findAbove(name, path); m != nil {
		return m
	}
	return in.findBeside(name)
}

// resolve reads the module behind an import, now that the name is used.
func (in *Interp) resolve(l *lazy) Value {
	m := in.find(l.module)
	if m == nil {
		return &Unknown{Why: "module " + l.module + " is not known", File: l.file, Line: l.line, Harmless: holdsNoParts(l.module)}
	}
	if l.name == "" {
		return m
	}
	if !l.busy { // "from . import part" of a package names what the same line binds: then it is the file. Two modules may import each other
		l.busy = true
		v, ok := in.moduleAttr(m, l.name)
		l.busy = false
		if ok {
			return v
		}
	}
	if sub := in.find(l.module + "." + l.name); sub != nil {
		return sub
	}
	return &Unknown{Why: l.module + " has nothing known by the name " + l.name, File: l.file, Line: l.line}
}

// absent reports whether a module is not there and not known to be: a package that somebody may or may not have installed.
func (in *Interp) absent(name string) bool {
	top, _, _ := strings.Cut(name, ".")
	return in.Natives[top] == nil && !standard[top] && in.find(name) == nil
}

// optional raises ImportError for what is absent, if the program is prepared for it.
func (in *Interp) optional(name string) {
	for f := in.frame; f != nil; f = f.up {
		if f.trying > 0 && in.absent(name) {
			in.Note("module %s is taken as not installed", name)
			in.Doubt("ModuleNotFoundError", "No module named '%s'", name)
		}
	}
}

func (in *Interp) importNames(e *env, s *python.Import) {
	for _, a := range s.Names {
		in.optional(a.Name)
		top, _, dotted := strings.Cut(a.Name, ".")
		switch {
		case a.As != "":
			in.bindName(e, a.As, &lazy{module: a.Name, line: s.Line(), file: in.frame.file})
		case dotted:
			in.bindName(e, top, &lazy{module: top, line: s.Line(), file: in.frame.file})
		default:
			in.bindName(e, a.Name, &lazy{module: a.Name, line: s.Line(), file: in.frame.file})
		}
	}
}

func (in *Interp) importFrom(e *env, s *python.ImportFrom) {
	base := s.Module
	if s.Level > 0 {
		base = in.relative(e.module, s)
	} else {
		in.optional(base)
	}
	for _, a := range s.Names {
		if a.Name == "*" {
			in.importAll(e, base, s.Line())
			continue
		}
		as := a.As
		if as == "" {
			as = a.Name
		}
		in.bindName(e, as, &lazy{module: base, name: a.Name, line: s.Line(), file: in.frame.file})
	}
}

// relative resolves "from ..x import" against the module that says it.
func (in *Interp) relative(m *Module, s *python.ImportFrom) string {
	parts := strings.Split(m.Name, ".")
	up := s.Level
	if strings.HasSuffix(m.File, "__init__.py") {
		up--
	}
	if up > len(parts) {
		parts = append(append([]string(nil), in.Within...), parts...)
	}
	if up > len(parts) {
		in.Fault("a relative import leads out of the package")
	}
	parts = parts[:len(parts)-up]
	if s.Module != "" {
		parts = append(parts, s.Module)
	}
	return strings.Join(parts, ".")
}

func (in *Interp) importAll(e *env, module string, line int) {
	if e.module.installed() {
		in.deferStar(e.module, module)
		return
	}
	m := in.find(module)
	if m == nil {
		in.Note("module %s is not known: what it would define is not, either", module)
		e.module.open = true
		return
	}
	e.module.open = e.module.open || m.File == "" || m.open // a native module has more names than are known of it
	for _, n := range in.publicNames(m) {
		if !in.leadsBack(m, n, e.module.Name) {
			in.bindName(e, n, &lazy{module: module, name: n, line: line, file: in.frame.file})
		}
	}
}

// publicNames are those that "from module import *" binds: the ones of __all__, whatever they begin with, else all without an underscore.
func (in *Interp) publicNames(m *Module) []string {
	if all, ok := m.Attrs["__all__"]; ok {
		if l, ok := items(all); ok {
			in.work(len(l))
			in.spend(int64(len(l)))
			var names []string
			for _, v := range l {
				names = append(names, Str(v))
			}
			return names
		}
	}
	in.work(len(m.Attrs))
	in.spend(int64(len(m.Attrs)))
	return slices.DeleteFunc(sortedNames(m.Attrs), func(n string) bool { return strings.HasPrefix(n, "_") })
}

// leadsBack reports whether a name of a module was imported from the package that imports it from there. In Python it is the value that
// the package has already: a package runs before the modules in it.
func (in *Interp) leadsBack(m *Module, name, to string) bool {
	for range 20 { // modules that hand a name on
		l, ok := m.Attrs[name].(*lazy)
		if !ok || l.name == "" {
			return false
		}
		if l.module == to && l.name == name {
			return true
		}
		if m, name = in.modules[l.module], l.name; m == nil {
			return false
		}
	}
	return false
}

// evalText is eval() of a name or an expression that the source spells out.
func (in *Interp) evalText(a *Args) Value {
	s, ok := in.one(a, "eval").(string)
	if !ok {
		return in.Unknown("eval() of what is not known")
	}
	in.work(len(s) * perStep * 10) // what it takes to parse it
	file, err := python.Parse(in.frame.file, s+"\n")
	if err != nil || len(file.Body) != 1 {
		return in.Unknown("eval() of %q", clip(s))
	}
	x, ok := file.Body[0].(*python.ExprStmt)
	for f := in.frame; f != nil && ok; f = f.up {
		if f.fn != nil {
			return in.eval(f.fn.env, x.X)
		}
	}
	return in.Unknown("eval() of %q", clip(s))
}

// EvalIn evaluates an expression over the names of a module.
func (in *Interp) EvalIn(m *Module, s string) Value {
	file, err := python.Parse("argument", s+"\n")
	if err != nil || len(file.Body) != 1 {
		in.Fault("%q is no expression", clip(s))
	}
	x, ok := file.Body[0].(*python.ExprStmt)
	if !ok {
		in.Fault("%q is no expression", clip(s))
	}
	return in.eval(m.env, x.X)
}
