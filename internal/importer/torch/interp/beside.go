package interp

import (
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
var builtIn = []string{"torch", "functorch", "numpy", "einops"}

// Beside is what is known of the installed packages.
type Beside struct {
	FS   fs.FS
	Peek func(name string) string // the text of a file that is looked through for a name; "" where there is none
	Used map[string]bool          // top-level packages that were read

	starred []*Module           // those that import all of others, which waits
	stars   map[string][]string // by file, the modules that its text imports all of
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
		in.readable(name, err)
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
func (in *Interp) deferStar(m *Module, module string) {
	if len(m.stars) == 0 {
		in.Installed.starred = append(in.Installed.starred, m)
	}
	m.stars = append(m.stars, module)
}

// register reads the modules that wait to be imported and define what a table lacks: packages fill their tables of models while they
// are imported. It reports whether there were any. Only a table that code of an installed package looks into is one of those.
func (in *Interp) register(key Value) bool {
	name, ok := key.(string)
	if !ok || in.Installed == nil || len(in.Installed.starred) == 0 || !strings.HasPrefix(in.frame.file, Installed) || !isIdentifier(name) {
		return false
	}
	found := false
	for _, m := range in.Installed.starred {
		if at, ok := in.starIndex(m)[name]; ok && in.modules[m.stars[at]] == nil {
			found = in.find(m.stars[at]) != nil || found
		}
	}
	return found
}

func isIdentifier(s string) bool { return identifier.MatchString(s) }

var identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// textOf is the text of an installed module, and its file.
func (in *Interp) textOf(module string) (file, text string) {
	at := strings.ReplaceAll(module, ".", "/")
	for _, file := range []string{at + "/__init__.py", at + ".py"} {
		if text := in.Installed.Peek(file); text != "" {
			return file, text
		}
	}
	return "", ""
}

var starLine = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+(\.+[\w.]*)[ \t]+import[ \t]+\*`)

// fromStars looks for a name in what a module imports all of, the last first.
func (in *Interp) fromStars(m *Module, name string) (Value, bool) {
	if strings.HasPrefix(name, "_") || m.unstarred[name] {
		return nil, false
	}
	index := in.starIndex(m)
	for i, source := range slices.Backward(m.stars) {
		if at, known := index[name]; known && at != i || !known && !in.mentions(source, name, 0) {
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
	if m.unstarred == nil {
		m.unstarred = map[string]bool{}
	}
	m.unstarred[name] = true
	return nil, false
}

// starIndex tells which of the modules that a module imports all of defines a function or a class, by its name.
func (in *Interp) starIndex(m *Module) map[string]int {
	if m.starred == len(m.stars) {
		return m.starNames
	}
	m.starNames, m.starred = map[string]int{}, len(m.stars)
	for i, source := range m.stars {
		in.eachDefined(source, 0, func(name string) { m.starNames[name] = i })
	}
	return m.starNames
}

// eachDefined gives the names of functions and classes at the top of an installed module's text, and of those that it imports all of.
func (in *Interp) eachDefined(module string, depth int, give func(string)) {
	if depth > 4 {
		return
	}
	file, text := in.textOf(module)
	in.work(len(text) / 256)
	for _, word := range []string{"\ndef ", "\nclass "} {
		for rest := text; ; {
			_, after, ok := strings.Cut(rest, word)
			if !ok {
				break
			}
			if end := strings.IndexAny(after, "(:"); end > 0 && end < 200 {
				give(strings.TrimSpace(after[:end]))
			}
			rest = after
		}
	}
	for _, next := range in.starsOf(file, text) {
		in.eachDefined(next, depth+1, give)
	}
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

// binds reports whether a text may give a name to those who import all of it: it lists the name, or assigns or imports it at its top.
func binds(text, name string) bool {
	if strings.Contains(text, "__all__") {
		return strings.Contains(text, `"`+name+`"`) || strings.Contains(text, "'"+name+"'")
	}
	for _, form := range []string{"\n" + name + " =", "\n" + name + ":", "import " + name, ", " + name, "    " + name + ","} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}

// mentions reports whether the text of an installed module, or of what it imports all of, may bind a name that is no function or class
// of its own.
func (in *Interp) mentions(module, name string, depth int) bool {
	if in.Installed == nil || depth > 4 {
		return false
	}
	file, text := in.textOf(module)
	in.work(len(text) / 64)
	if binds(text, name) {
		return true
	}
	for _, next := range in.starsOf(file, text) {
		if in.mentions(next, name, depth+1) {
			return true
		}
	}
	return false
}

// starsOf are the modules that a text imports all of.
func (in *Interp) starsOf(file, text string) []string {
	if out, known := in.Installed.stars[file]; known {
		return out
	}
	var out []string
	if !strings.Contains(text, "import *") {
		text = ""
	}
	in.work(len(text) / 64)
	for _, found := range starLine.FindAllStringSubmatch(text, -1) {
		dots := len(found[1]) - len(strings.TrimLeft(found[1], "."))
		base := path.Dir(file)
		for range dots - 1 {
			base = path.Dir(base)
		}
		next := strings.ReplaceAll(base, "/", ".") + "." + strings.TrimLeft(found[1], ".")
		out = append(out, strings.Trim(next, "."))
	}
	if in.Installed.stars == nil {
		in.Installed.stars = map[string][]string{}
	}
	in.Installed.stars[file] = out
	return out
}

// waiting reports whether code of an installed package runs of which other modules were not imported yet, though Python would have: what
// it raises may come of that.
func (in *Interp) waiting() bool {
	return in.Installed != nil && len(in.Installed.starred) > 0 && strings.HasPrefix(in.frame.file, Installed)
}
