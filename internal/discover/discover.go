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
	"regexp"
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
)

// Model is one that was found.
type Model struct {
	Ref  string // path from the root with slashes; of a class with its name behind a colon
	Kind Kind
}

// Limits of a search.
const (
	maxFiles = 200_000
	maxBytes = 8 << 20 // of a description; weights are larger, and so are most data files
)

// skipped are folders that hold what others made. So do those whose name begins with a dot.
var skipped = []string{"node_modules", "venv", "env", "site-packages", "__pycache__", "build", "dist", "vendor", "testdata"}

// Walk finds the models below a folder, sorted by their paths. The second result is whether it gave up because there are too many files.
func Walk(root string) (found []Model, cut bool, err error) {
	top, err := fence.Folder(root)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = top.Close() }() // everything was read
	files := 0
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
			cut = true
			return fs.SkipAll
		}
		if d.Type().IsRegular() {
			found = append(found, in(top, name)...)
		}
		return nil
	})
	slices.SortFunc(found, func(a, b Model) int { return strings.Compare(a.Ref, b.Ref) })
	return found, cut, err
}

var classLine = regexp.MustCompile(`(?m)^class[ \t]+([A-Za-z_][A-Za-z0-9_]*)[ \t]*\([^)\n]*\b(?:nn\.Module|Module|LightningModule|PreTrainedModel)\b`)

// in returns the models of one file.
func in(top *fence.Dir, file string) []Model {
	switch strings.ToLower(path.Ext(file)) {
	case ".graph":
		return []Model{{file, Graph}}
	case ".onnx":
		return []Model{{file, ONNX}}
	case ".json":
		if data, err := fence.ReadPlain(top, file, maxBytes); err == nil {
			if kind := kindOf(data); kind != "" {
				return []Model{{file, kind}}
			}
		}
	case ".py":
		data, err := fence.ReadPlain(top, file, maxBytes)
		if err != nil || !bytes.Contains(data, []byte("torch")) {
			return nil
		}
		var out []Model
		for _, m := range classLine.FindAllSubmatch(data, -1) {
			out = append(out, Model{file + ":" + string(m[1]), Class})
		}
		return out
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
