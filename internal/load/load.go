// Package load brings a model from wherever a user has it to the graph that is verified: a graph's file, a Hugging Face folder or
// id, an ONNX or GGUF file, a PyTorch source. It finds the files with package hub and hands them to the importer of their kind.
//
// It must not know what a model means, and it decides no verdict. What cannot be imported is an error that says why, with what
// could be counted all the same.
package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/importer/torch"
)

// Options are what a caller can choose.
type Options struct {
	Hub    hub.Options
	SeqLen int64             // of text inputs that have no length of their own
	Text   bool              // whether a config that also reads pictures or sounds is called with text alone
	Inputs []string          // 1,3,224,224 or 3x224x224:float32, for sources that do not say what they take
	Args   map[string]string // of a class or function in a source file
	Trace  string            // the Python to run a source file with; empty reads it without running it
	// SitePackages is a folder of installed packages that a source may import from, "" for none. They are read, and never run.
	SitePackages string
	Edits        []torch.Edit // of the layers that a source constructs, made after they are
	Limits       graph.Limits
	From         hub.Kind // what the file is, where it is not to be told by what is in it: Neurarch or Graph
}

// ErrNotLayer is an edit of what is no layer that a source constructs.
var ErrNotLayer = torch.ErrNotLayer

// Model is a model that was brought in.
type Model struct {
	Kind     hub.Kind
	ID       string // org/name, where it was found by its id
	Revision string // the commit, where it is known
	Type     string // what its own files call it: LlamaForCausalLM, an ONNX producer
	Graph    *graph.Graph
	Body     []byte // the document in place of a graph, where it is a request

	Params  int64             // trained parameters; -1 for a graph, which only inference can count
	Tensors []importer.Tensor // that its description implies
	Weights *importer.Report  // how the weights beside it differ from those
	Notes   []string
	Edges   Edges

	Imported []torch.Source // that a PyTorch source imports and that were read for it
	MainSum  [32]byte       // of a PyTorch source: the digest of what was read

	textOnly func() *graph.Graph // nil where the model has no such call, or is it

	Partly   string   // why a PyTorch source was not followed to its end, or ""
	Withheld []string // the components of its parts that are not known: the graph lacks their weights

	Inputs     []string // of a PyTorch source: those that were found in its file, where none were given
	InputsFrom string   // and where: path:line

	Read  []string // of a model's folder, the files that the graph and its comparison were read from
	File  string   // the text that a person changes to change the model, as it was given, or ""
	lines func() []Place

	excerpt func(component int) string
}

// TextOnly is the same model for a call with text alone, nil where it reads nothing else.
func (m *Model) TextOnly() *graph.Graph {
	if m.textOnly == nil {
		return nil
	}
	return m.textOnly()
}

// Edges are the connections of an imported graph, and how many of them were concluded and not read.
type Edges struct {
	Total             int `json:"total"`
	Inferred          int `json:"inferred"`
	ConstructionOrder int `json:"constructionOrder"`
	UnmodelledMerge   int `json:"unmodelledMerge"`
}

// readers import the kinds of models. Each kind has a file of its own.
var readers = map[hub.Kind]func(context.Context, *hub.Source, Options) (*Model, error){}

// Importers are the folders under internal/importer that hold what reads a kind of model.
func Importers(kind hub.Kind) []string {
	return map[hub.Kind][]string{hub.Config: {"hf", "diffusers", "safetensors"}, hub.Safetensors: {"safetensors"}, hub.GGUF: {"gguf", "hf"}, hub.ONNX: {"onnx"}, hub.Python: {"torch"}, hub.Neurarch: {"neurarch"}, hub.Keras: {"keras"}}[kind]
}

// Open finds a model and imports it.
func Open(ctx context.Context, ref string, opt Options) (*Model, error) {
	src, err := hub.Resolve(ctx, ref, opt.Hub)
	if err != nil {
		return orBundled(ref, err)
	}
	defer func() { _ = src.Close() }() // everything was read; what closing says changes nothing
	read := readers[src.Kind]
	if read == nil {
		return nil, fmt.Errorf("load: no importer of %s", src.Kind)
	}
	m, err := read(ctx, src, opt)
	if err != nil {
		return nil, err
	}
	m.ID, m.Revision, m.File = src.ID(), src.Revision, textFile(src)
	if m.Kind == "" {
		m.Kind = src.Kind
	}
	m.Notes = append(append([]string(nil), src.Notes...), m.Notes...)
	m.Read = filesRead(src)
	if m.Graph != nil {
		m.Edges = edges(m.Graph)
	}
	return m, nil
}

// filesRead are the files of a folder that a model is read from: the description, and the weights whose headers are compared with it.
func filesRead(src *hub.Source) []string {
	out := append([]string{}, src.Weights...)
	for _, name := range []string{src.Main, src.Config} {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, f := range src.Files { // an index names them
		if len(src.Weights) > 0 && strings.HasSuffix(f.Name, ".safetensors") && !slices.Contains(out, f.Name) {
			out = append(out, f.Name)
		}
	}
	slices.Sort(out)
	return out
}

func edges(g *graph.Graph) Edges {
	e := Edges{Total: len(g.Connections)}
	for i := range g.Connections {
		switch g.Connections[i].Inferred {
		case "":
			continue
		case "constructionOrder":
			e.ConstructionOrder++
		case "unmodelledMerge":
			e.UnmodelledMerge++
		}
		e.Inferred++
	}
	return e
}

// text reads the deciding file, up to the limit.
func text(src *hub.Source, limit int) ([]byte, error) {
	f, err := src.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(data) > limit {
		err = fmt.Errorf("%s has more than %d bytes", src.Ref, limit)
	}
	return data, err
}

func init() { readers[hub.Graph] = readGraph }

// readGraph reads a graph in JSON or in the text notation, or leaves the body of a request to the one who reads those.
func readGraph(_ context.Context, src *hub.Source, opt Options) (*Model, error) {
	data, err := text(src, opt.Limits.Bytes)
	if err != nil {
		return nil, err
	}
	m := &Model{Params: -1, lines: func() []Place { return graphPlaces(textFile(src), data) }}
	if isRequest(data) {
		m.Body = data
		return m, nil
	}
	if m.Graph, err = decode(data, strings.HasSuffix(textFile(src), ".json"), opt.Limits); err == nil {
		m.fromNeurarch(opt.From)
	}
	return m, err
}

// Document reads a graph from a text that is in no file yet, with the lines of its components.
func Document(name string, data []byte, limits graph.Limits) (*graph.Graph, []Place, error) {
	g, err := decode(data, strings.HasSuffix(name, ".json"), limits)
	if err != nil {
		return nil, nil, err
	}
	return g, graphPlaces(name, data), nil
}

// decode reads a graph. JSON is told from the text notation by the name of its file, or else by its first character.
func decode(data []byte, named bool, limits graph.Limits) (*graph.Graph, error) {
	if len(bytes.TrimLeft(data, blanks)) == 0 {
		return nil, errors.New("the file is empty")
	}
	if !named && !isJSON(data) {
		return graph.ParseWithin(string(data), limits)
	}
	return graph.Decode(data, "model", limits)
}

const blanks = " \t\r\n"

func isJSON(data []byte) bool {
	text := bytes.TrimLeft(data, blanks)
	return len(text) > 0 && (text[0] == '{' || text[0] == '[' || text[0] == '"')
}
