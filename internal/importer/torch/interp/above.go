package interp

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// Programs put a few folders on sys.path. What is beyond them is not looked into.
const maxSearched, maxFolder = 64, 1024

// searched are the folders that the program put on sys.path, the last first.
func (in *Interp) searched() []string {
	if in.sysPath == nil {
		return nil
	}
	var out []string
	for _, v := range slices.Backward(in.sysPath.Items[max(0, len(in.sysPath.Items)-maxSearched):]) {
		if s, ok := v.(string); ok && len(s) <= maxFolder {
			out = append(out, s)
		}
	}
	return out
}

// findAbove looks for a module in the folders above the one that imports start from, and in those that the program put on sys.path. Its
// file is named from that folder: ../utils/blocks.py.
func (in *Interp) findAbove(name, path string) *Module {
	if !fs.ValidPath(path) {
		return nil
	}
	places := make([]located, 0, len(in.Above))
	for i, up := range in.Above {
		places = append(places, located{up, path, strings.Repeat("../", i+1)})
	}
	var put []located
	for _, s := range in.searched() {
		put = append(put, in.locate(s+"/"+path)...)
	}
	for _, at := range append(put, places...) {
		in.work(placeSteps*perStep + 3*len(at.name)) // it is looked for as two files and a folder
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
			in.readable(name, err)
			return m
		}
		if info, err := fs.Stat(up, path); err == nil && info.IsDir() {
			return &Module{Name: name, File: prefix + path, Attrs: map[string]Value{}}
		}
	}
	return nil
}
