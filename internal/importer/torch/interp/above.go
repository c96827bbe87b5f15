package interp

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// findAbove looks for a module in the folders above the one that imports start from, and in those that the program put on sys.path. Its file
// is named from that folder: ../utils/blocks.py.
func (in *Interp) findAbove(name, path string) *Module {
	if !fs.ValidPath(path) {
		return nil
	}
	places := make([]located, 0, len(in.Above))
	for i, up := range in.Above {
		places = append(places, located{up, path, strings.Repeat("../", i+1)})
	}
	if in.sysPath != nil {
		for _, v := range in.sysPath.Items {
			if s, ok := v.(string); ok {
				places = append(in.locate(s+"/"+path), places...)
			}
		}
	}
	for _, at := range places {
		up, prefix, path := at.fsys, at.prefix, at.name
		if !fs.ValidPath(path) {
			continue
		}
		for _, p := range []string{path + ".py", path + "/__init__.py"} {
			if info, err := fs.Stat(up, p); err != nil || info.IsDir() || info.Size() > python.MaxBytes {
				continue
			}
			src, err := fs.ReadFile(up, p)
			if err != nil {
				continue
			}
			m, err := in.LoadSource(name, prefix+p, string(src))
			var syntax *python.Error
			if errors.As(err, &syntax) {
				panic(&Fault{File: syntax.File, Line: syntax.Line, Message: syntax.Message})
			}
			return m
		}
		if info, err := fs.Stat(up, path); err == nil && info.IsDir() {
			return &Module{Name: name, File: prefix + path, Attrs: map[string]Value{}}
		}
	}
	return nil
}
