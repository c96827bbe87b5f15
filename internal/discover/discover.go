// Package discover finds the models of a repository by what its files are: graphs, descriptions of transformers, ONNX files, and classes
// of PyTorch sources. It also picks those that a pull request changed.
//
// It must not know what a model means: whether it can be read, and whether it runs, others say. It follows no link and reads no file
// whole that is too large to be a description.
package discover

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/fence"
)

// Kind is what a file is.
type Kind string

// The kinds of models. Of a class the file does not say what it is called with.
const (
	Graph  Kind = "graph"
	Config Kind = "config.json of transformers"
	ONNX   Kind = "ONNX"
	Class  Kind = "PyTorch class"

	Factory Kind = "PyTorch function"
)

// Model is one that was found.
type Model struct {
	Ref    string // path from the root with slashes; of a class or function with its name behind a colon
	Kind   Kind
	Params []Param // of a function, or of the constructor of a class
	Line   int     // of a class or function, from 1
}

// Param is a parameter of a function.
type Param struct {
	Name     string
	Required bool
	Default  string // as Python writes it, where it is a number or a tuple of numbers
}

// Found is what a search found.
type Found struct {
	Models   []Model  // sorted by their paths
	Examples []string // files that may show how a source is called: Python and Markdown
	Cut      bool     // the search gave up because there are too many files
}

// Limits of a search.
const (
	maxFiles = 200_000
	maxBytes = 8 << 20 // of a description; weights are larger, and so are most data files
)

// skipped are folders that hold what others made. So do those whose name begins with a dot.
var skipped = []string{"node_modules", "venv", "env", "site-packages", "__pycache__", "build", "dist", "vendor", "testdata"}

// Walk finds the models below a folder. Of sources they are those that a person would name.
func Walk(root string) (*Found, error) {
	top, err := fence.Folder(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = top.Close() }() // everything was read
	out, read, files := &Found{}, newPrograms(), 0
	err = fs.WalkDir(top, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name == "." {
				return err
			}
			return nil // what cannot be looked into has no models
		}
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains(skipped, d.Name())) {
				return fs.SkipDir
			}
			return nil
		}
		if files++; files > maxFiles {
			out.Cut = true
			return fs.SkipAll
		}
		if d.Type().IsRegular() {
			out.look(top, name, read)
		}
		return nil
	})
	out.Models = append(out.Models, read.models()...)
	slices.SortFunc(out.Models, func(a, b Model) int { return strings.Compare(a.Ref, b.Ref) })
	return out, err
}

// look takes what one file has.
func (f *Found) look(top *fence.Dir, name string, read *programs) {
	if isExample(name) {
		f.Examples = append(f.Examples, name)
	}
	if strings.ToLower(path.Ext(name)) != ".py" {
		f.Models = append(f.Models, in(top, name)...)
		return
	}
	if data, err := fence.ReadPlain(top, name, maxSource); err == nil {
		read.add(name, string(data))
	}
}

// in returns the models of one file that is no source.
func in(top *fence.Dir, file string) []Model {
	switch strings.ToLower(path.Ext(file)) {
	case ".graph":
		return []Model{{Ref: file, Kind: Graph}}
	case ".onnx":
		return []Model{{Ref: file, Kind: ONNX}}
	case ".json":
		if data, err := fence.ReadPlain(top, file, maxBytes); err == nil {
			if kind := kindOf(data); kind != "" {
				return []Model{{Ref: file, Kind: kind}}
			}
		}
	}
	return nil
}

// kindOf tells a JSON document by its members.
func kindOf(data []byte) Kind {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return ""
	}
	begins := func(name string, with byte) bool {
		v := bytes.TrimSpace(members[name])
		return len(v) > 0 && v[0] == with
	}
	switch {
	case begins("components", '[') && members["bomFormat"] == nil: // which lists the parts of a program
		return Graph
	case begins("model_type", '"'):
		return Config
	}
	return ""
}
