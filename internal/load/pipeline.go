package load

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/importer/diffusers"
	"github.com/modelverifier/verifier/internal/importer/safetensors"
)

// indexFile is what diffusers writes into the folder of a pipeline.
const indexFile = "model_index.json"

// maxIndex is more than any model_index.json has, maxParts more than any pipeline.
const maxIndex, maxParts = 1 << 20, 64

// Index is the model_index.json of a pipeline.
type Index struct {
	Class string // StableDiffusionPipeline
	Parts []Entry
}

// Entry is one part of it.
type Entry struct{ Name, Library, Class string }

// Weightless reports whether a part has no weights: it cuts texts or prepares images, or says how steps follow each other.
func (e Entry) Weightless() bool {
	return slices.ContainsFunc([]string{"Scheduler", "Tokenizer", "TokenizerFast", "ImageProcessor", "FeatureExtractor", "Processor"},
		func(end string) bool { return strings.HasSuffix(e.Class, end) })
}

// IsPipeline reports whether a reference is a folder that holds a pipeline.
func IsPipeline(ref string) bool {
	info, err := os.Stat(filepath.Join(ref, indexFile))
	return err == nil && info.Mode().IsRegular()
}

// OpenIndex reads the parts of a pipeline, in the order of their names. A part that is null is left out.
func OpenIndex(folder string) (*Index, error) {
	name := filepath.Join(folder, indexFile)
	data, err := fence.Read(name, maxIndex)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, action.Errorf(graph.CodeSyntax, name, "%v", err)
	}
	out := &Index{}
	for key, raw := range members {
		if key == diffusers.ClassKey {
			if json.Unmarshal(raw, &out.Class) != nil {
				return nil, action.Errorf(graph.CodeType, name, "%s must be the name of the pipeline's class", diffusers.ClassKey)
			}
		}
		var pair []*string
		if strings.HasPrefix(key, "_") || json.Unmarshal(raw, &pair) != nil || len(pair) != 2 || pair[0] == nil || pair[1] == nil {
			continue // a setting, or a part that the pipeline does not have
		}
		if !fs.ValidPath(key) || strings.ContainsAny(key, `/\`) || key == "." {
			return nil, action.Errorf(action.CodeFile, name, "%q is no name of a part's folder", key)
		}
		out.Parts = append(out.Parts, Entry{key, *pair[0], *pair[1]})
	}
	if len(out.Parts) == 0 || len(out.Parts) > maxParts {
		return nil, action.Errorf(action.CodeFile, name, "names %d parts but must name 1 to %d", len(out.Parts), maxParts)
	}
	slices.SortFunc(out.Parts, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// PartFolder is where a part lies. It is a folder of the pipeline's own: a link is not followed.
func PartFolder(folder string, e Entry) (string, error) {
	name := filepath.Join(folder, e.Name)
	switch info, err := os.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return "", action.Errorf(action.CodeNotFound, name, "is not there")
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", action.Errorf(action.CodeFile, name, "is no folder")
	}
	return name, nil
}

// readPart imports the config of a part of a pipeline, and compares what it implies with the weights beside it.
func readPart(data []byte, stored *safetensors.Model, storedErr error) (*Model, error) {
	part, err := diffusers.Import(data)
	switch {
	case err != nil:
		return nil, counted(err, stored)
	case storedErr != nil:
		return nil, storedErr
	}
	m := &Model{Type: part.Class, Graph: part.Graph, Params: part.Params, Tensors: part.Tensors, Notes: part.Notes}
	if stored != nil {
		r := importer.CompareCheckpoint(part.Tensors, stored.Tensors, nil)
		m.Weights = &r
	}
	return m, nil
}
