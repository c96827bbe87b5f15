package interp

import (
	"path"
	"sort"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// sys, os, importlib and the names of modules, as far as model files use them: registries look themselves up in sys.modules, and repositories
// put their folders on sys.path.

// system registers these modules. It is called once the others are there.
func (in *Interp) system() {
	in.sysPath = NewList()
	sys := in.Natives["sys"]
	sys.Attrs["modules"], sys.Attrs["path"] = &moduleTable{in}, in.sysPath
	sys.Attrs["executable"], sys.Attrs["byteorder"] = Symbol{"sys.executable"}, "little"
	for _, n := range []string{"stdout", "stderr", "stdin", "exit", "getsizeof", "setrecursionlimit", "getrecursionlimit", "exc_info", "settrace"} {
		sys.Attrs[n] = in.harmless("sys." + n)
	}
	in.Natives["os.path"] = Native("os.path", in.pathNames())
	os := in.Natives["os"]
	os.Attrs["path"], os.Attrs["sep"], os.Attrs["linesep"], os.Attrs["curdir"] = in.Natives["os.path"], "/", "\n", "."
	os.Attrs["getcwd"] = Fn("getcwd", func(in *Interp, _ *Args) Value {
		in.Guess("the folder that a program is started in is not known")
		return in.top()
	})
	os.Lookup = func(n string) (Value, bool) { return in.harmless("os." + n), !strings.HasPrefix(n, "_") }
	importlib := Native("importlib", map[string]Value{
		"import_module": Fn("import_module", importModule), "reload": Fn("reload", identity),
		"util": symbols("importlib.util", nil), "metadata": symbols("importlib.metadata", nil), "resources": symbols("importlib.resources", nil),
	})
	in.Natives["importlib"] = importlib
	in.Natives["json"], in.Natives["re"] = Native("json", jsonNames()), Native("re", reNames())
	in.builtins["__import__"] = Fn("__import__", importModule)
	in.builtins["dir"] = Fn("dir", dir)
	in.builtins["open"] = Fn("open", openFile)
}

// harmless is a value that cannot be or hold a part of a model.
func (in *Interp) harmless(what string) *Unknown {
	u := in.Unknown("what %s gives is not known", what)
	u.Harmless = true
	return u
}

// moduleTable is sys.modules.
type moduleTable struct{ in *Interp }

// TypeName is for messages.
func (t *moduleTable) TypeName() string { return "dict" }

func (t *moduleTable) find(name string) (*Module, bool) {
	if m := t.in.modules[name]; m != nil {
		return m, true
	}
	m := t.in.Natives[name]
	return m, m != nil
}

// Item is sys.modules[name].
func (t *moduleTable) Item(in *Interp, index Value) Value {
	if u, ok := index.(*Unknown); ok {
		return u
	}
	if m, ok := t.find(in.name(index)); ok {
		return m
	}
	in.Doubt("KeyError", "%s", Repr(index))
	return nil
}

// SetItem is sys.modules[name] = module.
func (t *moduleTable) SetItem(in *Interp, index, v Value) {
	if m, ok := v.(*Module); ok {
		in.spend(1)
		in.modules[in.text(in.name(index))] = m
		return
	}
	in.Fault("a %s is put into sys.modules", TypeName(v))
}

// Attr gives the methods of sys.modules.
func (t *moduleTable) Attr(in *Interp, name string) (Value, bool) {
	switch name {
	case "get":
		return Fn("get", func(in *Interp, a *Args) Value {
			b := a.Bind(in, "get", "key", "default")
			if m, ok := t.find(in.name(b[0])); ok {
				return m
			}
			return Or(b[1], nil)
		}), true
	case "keys", "items", "values", "pop", "update", "setdefault":
		return in.Unknown("which modules are loaded is not known"), true
	}
	return nil, false
}

// Contains is name in sys.modules.
func (t *moduleTable) Contains(in *Interp, v Value) Value {
	if _, ok := t.find(in.name(v)); ok {
		return true
	}
	in.Guess("which modules are loaded is not known")
	return false
}

// importModule is importlib.import_module(name, package).
func importModule(in *Interp, a *Args) Value {
	b := a.Bind(in, "import_module", "name", "package", "locals", "fromlist", "level")
	name, ok := b[0].(string)
	if !ok {
		return in.Unknown("a module is imported whose name is not known")
	}
	if pkg, _ := b[1].(string); len(name)+len(pkg) > maxSaid {
		return in.Unknown("a module is imported whose name has more than %d letters", maxSaid)
	}
	if rest := strings.TrimLeft(name, "."); rest != name {
		pkg, isText := Or(b[1], nil).(string)
		if !isText {
			return in.Unknown("a module is imported relative to a package that is not known")
		}
		parts := strings.Split(pkg, ".")
		up := len(name) - len(rest) - 1
		if up >= len(parts) {
			return in.Unknown("a relative import leads out of the package")
		}
		name = strings.Join(append(parts[:len(parts)-up:len(parts)-up], rest), ".")
	}
	if m := in.find(name); m != nil {
		return m
	}
	in.optional(name)
	return in.Unknown("module %s is not known", name)
}

// here is the module whose code is running.
func (in *Interp) module() *Module {
	for f := in.frame; f != nil; f = f.up {
		if f.fn != nil {
			return f.fn.module
		}
		if f.file != "" {
			return in.byFile[f.file]
		}
	}
	return nil
}

// namesOf is dir() of a module that is known without its source: whether it has a name is known of most.
type namesOf struct{ m *Module }

// Contains is "name in dir(module)".
func (n *namesOf) Contains(in *Interp, v Value) Value {
	name, ok := v.(string)
	if !ok {
		return false
	}
	if _, has := in.moduleAttr(n.m, name); has {
		return true
	}
	if n.m.Lacks != nil && n.m.Lacks(name) {
		return false
	}
	return in.Unknown("whether %s has the name %s is not known", n.m.Name, name)
}

// Iterate gives up: there are more names than are known.
func (n *namesOf) Iterate(in *Interp) []Value {
	in.Fault("a loop goes over a value that is not known: the names of %s are not all known", n.m.Name)
	return nil
}

// dir is dir(x): the names of the scope that is running where nothing is given.
func dir(in *Interp, a *Args) Value {
	var names []string
	add := func(list []string) { names = append(names, list...) }
	if len(a.Pos) == 0 {
		if m := in.module(); m != nil && in.frame.fn == nil {
			add(sortedNames(m.Attrs))
		} else if in.frame.env != nil {
			add(sortedNames(in.frame.env.vars))
		}
		return in.sortedTexts(names)
	}
	switch x := a.Pos[0].(type) {
	case *Module:
		if x.File == "" {
			return &namesOf{x}
		}
		add(sortedNames(x.Attrs))
	case *Instance:
		add(x.names())
		for _, k := range x.Class.mro {
			add(k.order)
		}
	case *Class:
		for _, k := range x.mro {
			add(k.order)
		}
	default:
		return in.Unknown("the names of a %s are not all known", TypeName(x))
	}
	return in.sortedTexts(names)
}

func (in *Interp) sortedTexts(names []string) Value {
	in.spend(int64(len(names)))
	sort.Strings(names)
	out := NewList()
	for i, n := range names {
		if i == 0 || n != names[i-1] {
			out.Items = append(out.Items, n)
		}
	}
	return out
}

// A file of the program has a path below a folder of no name, so that os.path can go up and down from __file__.
const topFolder = "/repository"

func (in *Interp) top() string { return path.Join(append([]string{topFolder}, in.Within...)...) }

// absolute is the path of a file as programs see it.
func (in *Interp) absolutePath(file string) string {
	if strings.HasPrefix(file, "/") || strings.HasPrefix(file, "<") {
		return file
	}
	return path.Join(in.top(), file)
}

// pathNames are the functions of os.path.
func (in *Interp) pathNames() map[string]Value {
	text := func(name string, f func(string) Value) Value {
		return Fn(name, func(in *Interp, a *Args) Value {
			switch x := in.one(a, name).(type) {
			case string:
				in.work(len(x))
				return f(in.text(x)) // no more comes back than was given
			case *Unknown:
				return x
			case Symbol:
				return x
			case *Instance:
				return f(in.str(x))
			}
			return in.harmless("os.path." + name)
		})
	}
	same := func(s string) Value { return s }
	absolute := func(s string) Value { return in.absolutePath(s) }
	out := map[string]Value{
		"dirname": text("dirname", func(s string) Value {
			if !strings.Contains(s, "/") {
				return ""
			}
			return path.Dir(s)
		}),
		"basename": text("basename", func(s string) Value { return s[strings.LastIndexByte(s, '/')+1:] }),
		"abspath":  text("abspath", absolute), "realpath": text("realpath", absolute), "expanduser": text("expanduser", same), "expandvars": text("expandvars", same),
		"normpath": text("normpath", func(s string) Value { return path.Clean(s) }),
		"splitext": text("splitext", func(s string) Value {
			ext := path.Ext(s)
			return NewTuple(strings.TrimSuffix(s, ext), ext)
		}),
		"split": text("split", func(s string) Value {
			at := strings.LastIndexByte(s, '/')
			return NewTuple(strings.TrimRight(s[:at+1], "/"), s[at+1:])
		}),
		"isabs": text("isabs", func(s string) Value { return strings.HasPrefix(s, "/") }),
		"join":  Fn("join", joinPath), "pathsep": ":", "sep": "/",
		"relpath": Fn("relpath", func(in *Interp, a *Args) Value { return in.harmless("os.path.relpath") }),
	}
	for _, n := range []string{"exists", "isfile", "isdir"} {
		out[n] = text(n, func(s string) Value {
			if in.exists(s, n) {
				return true
			}
			return Assumed{false, "whether " + graph.Cut(s, maxSaid) + " is there differs from machine to machine"}
		})
	}
	for _, n := range []string{"getsize", "getmtime", "commonprefix"} {
		out[n] = in.harmless("os.path." + n)
	}
	return out
}

func joinPath(in *Interp, a *Args) Value {
	var b strings.Builder
	for _, v := range a.Pos {
		switch x := v.(type) {
		case string:
		case *Unknown:
			return x
		case *Instance:
			v = in.str(x)
		default:
			return in.harmless("os.path.join")
		}
		part := in.text(Str(v))
		switch {
		case strings.HasPrefix(part, "/"):
			b.Reset()
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "/"):
			b.WriteByte('/')
		}
		b.WriteString(part)
	}
	return b.String()
}
