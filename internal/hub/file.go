package hub

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/importer/safetensors"
)

// byEnding is the kind of a file by the end of its name. A .json is told by what is in it.
var byEnding = map[string]Kind{
	".graph": Graph, ".safetensors": Safetensors, ".gguf": GGUF, ".onnx": ONNX, ".py": Python, ".keras": Keras,
}

// pickles are the endings of files that run code when they are loaded.
var pickles = map[string]bool{
	".pt": true, ".pth": true, ".bin": true, ".ckpt": true, ".pkl": true, ".pickle": true, ".joblib": true, ".tar": true, ".mar": true,
}

// foreign are models of other frameworks.
var foreign = map[string]string{
	".h5": "Keras", ".pb": "TensorFlow", ".tflite": "TensorFlow Lite", ".msgpack": "Flax", ".npz": "NumPy", ".ot": "Rust",
	".mlmodel": "Core ML", ".mlpackage": "Core ML", ".engine": "TensorRT", ".plan": "TensorRT", ".xml": "OpenVINO",
}

// pickleAdvice is what to do with a pickle.
const pickleAdvice = "is a pickle, which runs code when it is loaded, and is never read. Give the config.json beside it, convert it to safetensors " +
	"(model.save_pretrained does), or name the code that builds the model: file.py:Class"

// resolveFile finds a model that is one file.
func resolveFile(d disk, path string, info fs.FileInfo) (*Source, error) {
	s := &Source{Ref: path, Kind: Graph, Path: d.path(path), disk: d, named: path}
	if !info.Mode().IsRegular() && d.root == nil { // a pipe, as the shell makes of <(…): its bytes can be had once
		s.Main, s.pipe = filepath.Base(path), true
		return s, nil
	}
	head, err := d.peek(path)
	if err != nil {
		return nil, action.Errorf(action.CodeNotFound, path, "cannot be opened: %v", reason(err))
	}
	if s.Kind, err = kindOf(path, head); err != nil {
		return nil, err
	}
	switch s.Kind {
	case Graph:
		s.Main = filepath.Base(path)
		return s, nil
	case Python:
		return s.orClose(s.inPackage(path))
	}
	return s.orClose(s.beside(path))
}

// inPackage opens the folder that a Python file's imports are found in: the one that holds its outermost package.
func (s *Source) inPackage(path string) error {
	target, root, err := s.disk.rootOf(path)
	if err != nil {
		return action.Errorf(action.CodeNotFound, path, "cannot be opened: %v", reason(err))
	}
	dir, mounted := filepath.Dir(target), false
	for range maxPackages {
		if _, err := os.Stat(filepath.Join(dir, "__init__.py")); err != nil {
			break
		}
		mounted = dir == root // its folder is a package, and what lies beside it is not read
		dir = filepath.Dir(dir)
		if mounted {
			break
		}
	}
	rel, err := filepath.Rel(dir, target)
	if err != nil {
		return action.Errorf(action.CodeNotFound, path, "cannot be opened: %v", err)
	}
	s.Main, s.named = slashed(rel), ""
	d, err := s.disk.below(root, dir, mounted)
	if err == nil && root != "" && !mounted {
		err = s.openAbove(root, dir)
	}
	return s.use(d, dir, err)
}

// openAbove opens the folders between the one that imports are found in and the root, since programs are started in any of them.
func (s *Source) openAbove(root, dir string) error {
	s.Siblings = true
	for range maxPackages {
		if rel, ok := fence.Within(root, dir); !ok || rel == "." || rel == "" {
			return nil
		}
		s.Within = append([]string{filepath.Base(dir)}, s.Within...)
		dir = filepath.Dir(dir)
		d, err := s.disk.below(root, dir, false)
		if err != nil {
			return err
		}
		s.closes, s.Above = append(s.closes, d), append(s.Above, d)
	}
	return nil
}

// maxPackages bounds how deep a file may lie in packages.
const maxPackages = 32

// kindOf tells the kind of a file by its name and its first bytes.
func kindOf(path string, head []byte) (Kind, error) {
	ending := strings.ToLower(filepath.Ext(path))
	if strings.HasSuffix(path, ".safetensors.index.json") {
		return Safetensors, nil
	}
	if kind, ok := byEnding[ending]; ok {
		return kind, nil
	}
	switch {
	case pickles[ending]:
		return "", action.Errorf(action.CodeUnsupported, path, "%s", pickleAdvice)
	case foreign[ending] != "":
		return "", action.Errorf(action.CodeUnsupported, path, "is a model of %s, which is not read: export it to ONNX", foreign[ending])
	case bytes.HasPrefix(head, []byte("GGUF")):
		return GGUF, nil
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte{0x80, 2}), bytes.HasPrefix(head, []byte{0x80, 4}):
		return "", action.Errorf(action.CodeUnsupported, path, "%s", pickleAdvice)
	case isKeras(head):
		return Keras, nil
	case isConfig(head, strings.EqualFold(filepath.Base(path), "config.json")):
		return Config, nil
	}
	return Graph, nil
}

// beside opens the folder of a file, and notes what in it belongs to the file. A link that the user named is followed; what the file itself
// refers to must lie in the folder that it is in.
func (s *Source) beside(path string) error {
	s.named = ""
	target, err := path, error(nil)
	if s.disk.root == nil { // within a root its links are followed there
		target, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return action.Errorf(action.CodeNotFound, path, "cannot be opened: %v", reason(err))
	}
	if entry, within, ok := cacheEntry(path); ok && s.disk.root == nil {
		if err := s.inSnapshot(entry, filepath.ToSlash(within)); err != nil {
			return err
		}
	} else {
		if err := s.inFolder(filepath.Dir(target)); err != nil {
			return err
		}
		s.Main = filepath.Base(target)
	}
	if err := s.listFiles(); err != nil {
		return err
	}
	s.companions()
	return nil
}

// companions finds the configuration and the weights that belong to the file.
func (s *Source) companions() {
	if _, ok := s.file("config.json"); ok && s.Kind != ONNX {
		s.Config = "config.json"
	}
	switch s.Kind {
	case Config:
		s.Config = s.Main
		if s.Main == "config.json" {
			s.findWeights()
		}
	case Safetensors:
		s.Weights = []string{s.Main}
		if _, number, of, ok := importer.Numbered(s.Main, ".safetensors"); ok && of > 1 {
			s.notef("%s is file %d of %d: give the folder to read the whole model", s.Main, number, of)
		}
	}
}

// findWeights looks for safetensors beside a configuration.
func (s *Source) findWeights() {
	weights, err := safetensors.Find(s.names())
	if err != nil {
		s.notef("the weights are not read: %v", err)
	}
	s.Weights = weights
}

// peekBytes is how much of a file is looked at to tell a graph from a configuration.
const peekBytes = 1 << 20

func (d disk) peek(path string) ([]byte, error) {
	f, err := d.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, peekBytes))
}

// isKeras reports whether an object begins as Keras describes a model: with the class of the model, perhaps behind its module.
func isKeras(head []byte) bool {
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return false
		}
		value, err := d.Token()
		if name == "class_name" {
			return err == nil && (value == "Sequential" || value == "Functional" || value == "Model")
		}
		if _, nested := value.(json.Delim); err != nil || nested {
			return false
		}
	}
	return false
}

// isConfig reports whether an object has the members of a configuration and not those of a graph or a request. Of one that has neither, its
// name decides.
func isConfig(head []byte, byName bool) bool {
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	found := byName
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return found
		}
		switch name {
		case "components", "model", "candidates":
			return false
		case "model_type", "architectures", "transformers_version":
			found = true
		}
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return found
		}
	}
	return found
}

// file finds a file of the folder.
func (s *Source) file(name string) (File, bool) {
	for _, f := range s.Files {
		if f.Name == name {
			return f, true
		}
	}
	return File{}, false
}

func (s *Source) names() []string {
	out := make([]string, len(s.Files))
	for i, f := range s.Files {
		out[i] = f.Name
	}
	return out
}

// maxFiles bounds what a folder may hold.
const maxFiles = 100_000

// listFiles reads the folder. A link that leads out of it, or nowhere, is left out and noted.
func (s *Source) listFiles() error {
	entries, err := fs.ReadDir(s.fsys, ".")
	if err != nil {
		return action.Errorf(action.CodeNotFound, s.Path, "cannot be listed: %v", reason(err))
	}
	if len(entries) > maxFiles {
		return &graph.Error{Code: action.CodeUnsupported, Path: s.Path, Message: "holds too many files to be a model", Limit: maxFiles}
	}
	var broken []string
	for _, e := range entries {
		info, err := fs.Stat(s.fsys, e.Name())
		if err != nil {
			broken = append(broken, e.Name())
			continue
		}
		if info.Mode().IsRegular() {
			_, headerOnly := info.Sys().(*headerFile)
			s.Files = append(s.Files, File{e.Name(), info.Size(), headerOnly})
		}
	}
	if len(broken) > 0 {
		s.notef("not read, since they lead nowhere or out of the folder: %s", list(broken))
	}
	return nil
}
