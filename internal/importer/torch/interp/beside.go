package interp

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// Packages that are installed beside the program. They are read like any source, where the program's own files have no module of the
// name. Their files are named with Installed in front: lines in messages that a person would change are never there.

// Installed begins the names of files of installed packages.
const Installed = "<site-packages>/"

// builtIn are packages that are known without their source, whatever version is installed.
var builtIn = []string{"torch", "functorch", "numpy"}

// Beside is what is known of the installed packages.
type Beside struct {
	FS   fs.FS
	Peek func(name string) string // the text of a file that is looked through for a name; "" where there is none
	Used map[string]bool          // top-level packages that were read
}

// findBeside returns a module of an installed package.
func (in *Interp) findBeside(name string) *Module {
	top, _, _ := strings.Cut(name, ".")
	if in.Installed == nil || name == "" || slices.Contains(builtIn, top) || in.Natives[top] != nil || standard[top] {
		return nil
	}
	if m := in.modules[name]; m != nil {
		return m
	}
	at := strings.ReplaceAll(name, ".", "/")
	if !fs.ValidPath(at) {
		return nil
	}
	for _, p := range []string{at + "/__init__.py", at + ".py"} { // as Python does: a package goes before a file
		if info, err := fs.Stat(in.Installed.FS, p); err != nil || info.IsDir() || info.Size() > python.MaxBytes {
			continue
		}
		src, err := fs.ReadFile(in.Installed.FS, p)
		if err != nil {
			continue
		}
		in.Installed.Used[top] = true
		m, err := in.LoadSource(name, Installed+p, string(src))
		var syntax *python.Error
		if errors.As(err, &syntax) {
			panic(&Fault{File: syntax.File, Line: syntax.Line, Message: syntax.Message})
		}
		return m
	}
	if info, err := fs.Stat(in.Installed.FS, at); err == nil && info.IsDir() {
		return &Module{Name: name, File: Installed + at, Attrs: map[string]Value{}}
	}
	return nil
}

// installed reports whether a module is one of an installed package.
func (m *Module) installed() bool { return strings.HasPrefix(m.File, Installed) }

// typeChecked reports whether a statement is the part of a package's __init__.py that says to type checkers what it loads when it is
// asked for: "if TYPE_CHECKING:" and "else: sys.modules[__name__] = …".
func typeChecked(m *Module, s python.Stmt) (*python.If, bool) {
	x, ok := s.(*python.If)
	if !ok || !m.installed() || path.Base(m.File) != "__init__.py" {
		return nil, false
	}
	switch t := x.Test.(type) {
	case *python.Name:
		return x, t.ID == "TYPE_CHECKING"
	case *python.Attr:
		return x, t.Name == "TYPE_CHECKING"
	}
	return nil, false
}

// deferStar keeps "from x import *" of an installed package until a name is asked for that nothing else defines. Such packages import
// hundreds of models this way, of which a program uses one.
func (in *Interp) deferStar(m *Module, module string) { m.stars = append(m.stars, module) }

var starLine = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+(\.+[\w.]*)[ \t]+import[ \t]+\*`)

// fromStars looks for a name in what a module imports all of, the last first.
func (in *Interp) fromStars(m *Module, name string) (Value, bool) {
	if strings.HasPrefix(name, "_") {
		return nil, false
	}
	for _, source := range slices.Backward(m.stars) {
		if !in.mentions(source, name, 0) {
			continue
		}
		from := in.find(source)
		if from == nil || from == m {
			continue
		}
		if v, ok := in.moduleAttr(from, name); ok && in.exports(from, name) {
			m.Attrs[name] = v
			return v, true
		}
	}
	return nil, false
}

// exports reports whether "import *" takes a name of a module.
func (in *Interp) exports(m *Module, name string) bool {
	all, ok := m.Attrs["__all__"]
	if !ok {
		return true
	}
	list, ok := items(all)
	return !ok || slices.Contains(list, Value(name))
}

// mentions reports whether the text of an installed module, or of what it imports all of, has a name in it.
func (in *Interp) mentions(module, name string, depth int) bool {
	if in.Installed == nil || depth > 4 {
		return false
	}
	at := strings.ReplaceAll(module, ".", "/")
	file := at + "/__init__.py"
	text := in.Installed.Peek(file)
	if text == "" {
		file = at + ".py"
		text = in.Installed.Peek(file)
	}
	in.work(len(text) / 64)
	if strings.Contains(text, name) {
		return true
	}
	for _, found := range starLine.FindAllStringSubmatch(text, -1) {
		dots := len(found[1]) - len(strings.TrimLeft(found[1], "."))
		base := path.Dir(file)
		for range dots - 1 {
			base = path.Dir(base)
		}
		next := strings.ReplaceAll(base, "/", ".") + "." + strings.TrimLeft(found[1], ".")
		if in.mentions(strings.Trim(next, "."), name, depth+1) {
			return true
		}
	}
	return false
}
