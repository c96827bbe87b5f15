package hub

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// resolveFolder finds the model in a folder that exists.
func resolveFolder(d disk, path string, opt Options) (*Source, error) {
	if entry, within, ok := cacheEntry(path); ok && d.root == nil {
		return resolveEntry(path, entry, within, opt)
	}
	s := &Source{Ref: path, Path: d.path(path), disk: d}
	if err := s.inFolder(path); err != nil {
		return nil, err
	}
	return s.orClose(s.choose())
}

// orClose returns the source, or closes it where there is an error.
func (s *Source) orClose(err error) (*Source, error) {
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// choose decides which of the files of a folder is the model: what says most about it comes first.
func (s *Source) choose() error {
	if err := s.listFiles(); err != nil {
		return err
	}
	finders := []func(map[Kind][]string) (bool, error){s.chooseConfig, s.chooseONNX, s.chooseGGUF, s.chooseSafetensors, s.chooseGraph}
	found := s.sortOut()
	for _, find := range finders {
		ok, err := find(found)
		if err != nil {
			return err
		}
		if ok {
			s.noteOthers(found)
			return nil
		}
	}
	return s.nothing(found)
}

// sortOut lists the files of each kind, by name.
func (s *Source) sortOut() map[Kind][]string {
	out := map[Kind][]string{}
	for _, f := range s.Files {
		kind, ok := byEnding[strings.ToLower(filepath.Ext(f.Name))]
		switch f.Name {
		case "config.json":
			kind, ok = Config, true
		case "graph.json", "model.json":
			kind, ok = Graph, true
		}
		if ok {
			out[kind] = append(out[kind], f.Name)
		}
	}
	return out
}

// noteOthers says what else was there.
func (s *Source) noteOthers(found map[Kind][]string) {
	var others []string
	for _, kind := range []Kind{Config, ONNX, GGUF, Safetensors, Graph} {
		if kind != s.Kind && (kind != Safetensors || len(s.Weights) == 0) {
			others = append(others, found[kind]...)
		}
	}
	if len(others) > 0 {
		s.notef("%s was chosen; also there: %s", s.Main, list(others))
	}
	if s.Kind == Config && len(s.Weights) == 0 {
		if p := s.pickles(); len(p) > 0 {
			s.notef("%s: pickles are never read, so nothing is compared with stored weights", list(p))
		}
	}
}

func (s *Source) pickles() []string {
	var out []string
	for _, f := range s.Files {
		if pickles[strings.ToLower(filepath.Ext(f.Name))] && f.Name != "training_args.bin" {
			out = append(out, f.Name)
		}
	}
	return out
}

func (s *Source) chooseConfig(found map[Kind][]string) (bool, error) {
	if len(found[Config]) == 0 {
		return false, nil
	}
	s.Kind, s.Main, s.Config = Config, "config.json", "config.json"
	s.findWeights()
	return true, nil
}

func (s *Source) chooseONNX(found map[Kind][]string) (bool, error) {
	names := found[ONNX]
	if len(names) == 0 { // where transformers.js and optimum put it
		if info, err := fs.Stat(s.fsys, "onnx/model.onnx"); err == nil && info.Mode().IsRegular() {
			names = []string{"onnx/model.onnx"}
		}
	}
	return s.one(ONNX, names, "model.onnx")
}

// chooseGGUF takes the one model in GGUF files. Parts of a split model are one, and a projector for images is not a model of its own.
func (s *Source) chooseGGUF(found map[Kind][]string) (bool, error) {
	var names []string
	for _, n := range found[GGUF] {
		_, number, _, split := importer.Numbered(n, ".gguf")
		if !strings.HasPrefix(n, "mmproj") && (!split || number == 1) {
			names = append(names, n)
		}
	}
	return s.one(GGUF, names, "model.gguf")
}

func (s *Source) chooseSafetensors(found map[Kind][]string) (bool, error) {
	if len(found[Safetensors]) == 0 {
		return false, nil
	}
	if slices.Contains(s.names(), "model_index.json") || slices.Contains(s.names(), "adapter_config.json") {
		return false, nil
	}
	s.findWeights()
	if len(s.Weights) == 0 {
		return false, s.ambiguous(found[Safetensors])
	}
	s.Kind, s.Main = Safetensors, s.Weights[0]
	return true, nil
}

func (s *Source) chooseGraph(found map[Kind][]string) (bool, error) {
	return s.one(Graph, found[Graph], "graph.json")
}

// one takes the only file of a kind, or the one with the usual name.
func (s *Source) one(kind Kind, names []string, usual string) (bool, error) {
	switch {
	case len(names) == 0:
		return false, nil
	case slices.Contains(names, usual):
		s.Main = usual
	case len(names) == 1:
		s.Main = names[0]
	default:
		return false, s.ambiguous(names)
	}
	s.Kind = kind
	if len(names) > 1 {
		s.notef("%s was chosen among %s", s.Main, list(names))
	}
	return true, nil
}

func (s *Source) ambiguous(names []string) *graph.Error {
	return action.Errorf(action.CodeUnsupported, s.Path, "holds %d models, and none of them is the usual one: name one of %s", len(names), list(names))
}

// nothing says why no model was found in a folder.
func (s *Source) nothing(found map[Kind][]string) error {
	const want = "a model's folder holds config.json, or a file .onnx, .gguf, .safetensors or .graph"
	switch p := s.pickles(); {
	case slices.Contains(s.names(), "model_index.json"):
		return action.Errorf(action.CodeUnsupported, s.Path, "is a pipeline of several models; name the folder of one of them: %s", list(s.subfolders()))
	case slices.Contains(s.names(), "adapter_config.json"):
		return action.Errorf(action.CodeUnsupported, s.Path, "holds an adapter, not a model: name the model that it adapts, which adapter_config.json says")
	case len(p) > 0:
		return action.Errorf(action.CodeUnsupported, s.Path, "holds no config.json, and %s %s", list(p), pickleAdvice)
	case len(found[Python]) > 0:
		return action.Errorf(action.CodeUnsupported, s.Path, "holds Python sources: name the class or function that builds the model, %s:name", quantity.Own(filepath.Join(s.Path, found[Python][0])))
	case len(s.Notes) > 0: // all there is leads out of the folder
		return action.Errorf(action.CodeNotFound, s.Path, "holds no model; %s. %s", want, quantity.Own(strings.Join(s.Notes, "; ")))
	case len(s.Files) == 0:
		return action.Errorf(action.CodeNotFound, s.Path, "holds no files; %s", want)
	}
	return action.Errorf(action.CodeNotFound, s.Path, "holds no model; %s. Found: %s", want, list(s.names()))
}

// subfolders lists the folders that hold a model of their own.
func (s *Source) subfolders() []string {
	entries, _ := fs.ReadDir(s.fsys, ".")
	var out []string
	for _, e := range entries {
		if _, err := fs.Stat(s.fsys, e.Name()+"/config.json"); err == nil {
			out = append(out, e.Name())
		}
	}
	return out
}
