package interp

import (
	"io/fs"
	"path"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// Programs read their own configurations: files of the repository can be opened for reading, and nothing else can.

// located is a file or folder of the repository.
type located struct {
	fsys   fs.FS
	name   string // within fsys
	prefix string // ../ for each folder above the one that imports start from
}

// maxPath is how long the path of a file can be, in bytes. No system has longer ones.
const maxPath = 4096

// Steps of asking a system for a file, and of reading it, beside those of its text.
const statSteps, openSteps = 10, 50

// locate finds where a path of the program lies: from the folder that imports start from, or in one above it.
func (in *Interp) locate(name string) []located {
	in.work(len(name))
	if len(name) > maxPath {
		return nil
	}
	in.work(statSteps * perStep * (1 + len(in.Within)))
	var out []located
	add := func(from []string) { // a path from the top of the repository
		same := 0
		for same < len(in.Within) && same < len(from) && from[same] == in.Within[same] {
			same++
		}
		up := len(in.Within) - same
		rest := path.Join(from[same:]...)
		if rest == "" {
			rest = "."
		}
		switch {
		case up == 0:
			out = append(out, located{in.FS, rest, ""})
		case up <= len(in.Above):
			out = append(out, located{in.Above[up-1], rest, strings.Repeat("../", up)})
		}
	}
	clean := path.Clean(name)
	if rest, ok := strings.CutPrefix(clean, topFolder); ok && (rest == "" || rest[0] == '/') {
		add(strings.FieldsFunc(rest, func(r rune) bool { return r == '/' }))
		return out
	}
	if path.IsAbs(clean) {
		return nil
	}
	// A program is started in any folder of its repository.
	for n := len(in.Within); n >= 0; n-- {
		full := path.Join(append(append([]string{"/"}, in.Within[:n]...), clean)...)
		add(strings.FieldsFunc(full, func(r rune) bool { return r == '/' }))
	}
	return out
}

// exists is os.path.exists and the like, of a file of the repository.
func (in *Interp) exists(name, kind string) bool {
	for _, l := range in.locate(name) {
		if !fs.ValidPath(l.name) {
			continue
		}
		if info, err := fs.Stat(l.fsys, l.name); err == nil && (kind == "exists" || info.IsDir() == (kind == "isdir")) {
			return true
		}
	}
	return false
}

// readText reads a text file of the repository.
func (in *Interp) readText(name string) (string, bool) {
	for _, l := range in.locate(name) {
		if !fs.ValidPath(l.name) {
			continue
		}
		in.work(openSteps * perStep)
		info, err := fs.Stat(l.fsys, l.name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > python.MaxBytes {
			continue
		}
		if data, err := fs.ReadFile(l.fsys, l.name); err == nil {
			return in.text(string(data)), true
		}
	}
	return "", false
}

var fileClass = NewClass("TextIOWrapper")

func init() {
	share(fileClass)
	content := func(a *Args) string { s, _ := a.Pos[0].(*Instance).Native.(string); return s }
	fileClass.Method("__enter__", func(_ *Interp, a *Args) Value { return a.Pos[0] })
	fileClass.Method("__exit__", func(*Interp, *Args) Value { return nil })
	fileClass.Method("close", func(*Interp, *Args) Value { return nil })
	fileClass.Method("read", func(in *Interp, a *Args) Value { return in.text(content(a)) })
	lines := func(in *Interp, a *Args) Value {
		out := NewList()
		for line := range strings.Lines(content(a)) {
			in.spend(1 + int64(len(line))/16)
			out.Items = append(out.Items, line)
		}
		return out
	}
	fileClass.Method("readlines", lines).Method("__iter__", lines)
}

// openFile is open(): a text file of the repository, for reading.
func openFile(in *Interp, a *Args) Value {
	b := (&Args{Pos: a.Pos[:min(2, len(a.Pos))], Kw: a.Kw}).Bind(in, "open", "file", "mode", "encoding", "newline", "errors", "buffering")
	name := b[0]
	if x, ok := name.(*Instance); ok {
		name = in.str(x)
	}
	s, ok := name.(string)
	mode, isText := Or(b[1], "r").(string)
	if !ok || !isText || strings.ContainsAny(mode, "wax+b") {
		return in.Unknown("open() of what is not read here")
	}
	text, ok := in.readText(s)
	if !ok {
		return in.Unknown("open() reads a file that is not in the repository: %s", clip(s))
	}
	in.Note("%s is read", clip(strings.TrimPrefix(s, topFolder+"/")))
	f := NewInstance(fileClass)
	f.Native = text
	return f
}
