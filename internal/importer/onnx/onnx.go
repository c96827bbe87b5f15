// Package onnx reads an ONNX file as a graph of the catalogue's components: operators sets 7 to 22, as both of PyTorch's
// exporters write them, with external data and local functions.
//
// The file is read through a small window; weights are stepped over, and of the rest only constants that decide shapes are
// loaded. Axis 0 of every input and output is the batch and is dropped. What a sequence of operators certainly stands for
// (a normalisation, an activation, attention) becomes that component again; an operator without a type becomes a
// customModule with its shape, and a Note says so. The package must not know about surfaces, and never runs a model.
package onnx

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"sort"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Options are what the caller knows beside the file.
type Options struct {
	// Dir is the folder of the file, for external data; only constants that decide shapes are read from it. Without it
	// external data is not looked at. A file system that follows links out of the folder (os.DirFS) is the caller's choice;
	// os.Root.FS is the one that does not.
	Dir fs.FS
	// Sizes gives the sizes of axes that the file only names. The batch needs none.
	Sizes map[string]int64
	// SeqLen is the size of the axis behind the batch of token inputs where the file only names it and Sizes does not tell.
	// With 0 such a file is refused.
	SeqLen int64
	// Limits are those of the graph that is made: its components, connections and the items of lists. The zero value stands for
	// graph.LocalLimits.
	Limits graph.Limits
}

// Model is what a file holds.
type Model struct {
	Graph    *graph.Graph
	Params   int64             // trained parameters; those of the graph are the same
	Tensors  []importer.Tensor // that the file stores
	Notes    []Note
	Producer string // such as "pytorch 2.11.0"
	Opset    int64
}

// Note is something that a reader of the graph should know: an operator that no component type stands for, and its like.
type Note struct {
	Node string // the name of the node, or of its first result
	Op   string
	Text string
}

func (n Note) String() string { return fmt.Sprintf("%s (%s): %s", n.Node, n.Op, n.Text) }

// reading holds what is known of one file.
type reading struct {
	opt   Options
	src   *source
	proto *protoModel
	sizes map[string]int64
	batch int64 // what axis 0 of the inputs is in the file; 1 where it is only named

	inputs, outputs []*value
	nodes           []*node
	declared        map[string]*protoValue
	functions       map[string]*protoFunction
	notes           []Note
	folded          int64 // elements of constants that were computed
	inlined         int
	tracked         int                  // entries of what constants were computed from
	walked          int64                // numbers that were gone over
	loaded          func(*tensor, int64) // told how many elements of a tensor are read, for tests
}

// Import reads a file of the given size.
func Import(ctx context.Context, r io.ReaderAt, size int64, opt Options) (*Model, error) {
	if opt.Limits == (graph.Limits{}) {
		opt.Limits = graph.LocalLimits
	}
	im := &reading{opt: opt, src: &source{ctx: ctx, r: r, size: size}, batch: 1}
	d := &decoder{source: im.src}
	if err := d.readModel(); err != nil {
		return nil, err
	}
	im.proto = &d.model
	return im.model()
}

// Stored lists the tensors that a file of the given size holds, sorted by name, and makes no graph of it.
func Stored(ctx context.Context, r io.ReaderAt, size int64) ([]importer.Tensor, error) {
	im := &reading{src: &source{ctx: ctx, r: r, size: size}}
	d := &decoder{source: im.src}
	if err := d.readModel(); err != nil {
		return nil, err
	}
	im.proto = &d.model
	if im.proto.graph.hasSparseWeights {
		return nil, errSparse
	}
	return im.tensors(), nil
}

// model makes a graph of what was decoded.
func (im *reading) model() (*Model, error) {
	if err := im.checkVersion(); err != nil {
		return nil, err
	}
	if err := im.evaluate(); err != nil {
		return nil, err
	}
	im.fuse()
	g, params, err := im.emit()
	if err != nil {
		return nil, err
	}
	m := &Model{Graph: g, Params: params, Tensors: im.tensors(), Notes: im.notes, Opset: im.proto.opsets[""],
		Producer: strings.TrimSpace(im.proto.producer + " " + im.proto.version)}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

const oldestOpset, newestOpset = 7, 22

var errSparse = &graph.Error{Code: action.CodeUnsupported, Message: "the file holds sparse initializers, which are not read"}

func (im *reading) checkVersion() error {
	v, ok := im.proto.opsets[""]
	switch {
	case !ok:
		return malformed("", "the file names no operator set; versions %d to %d are read", oldestOpset, newestOpset)
	case v < oldestOpset:
		return &graph.Error{Code: action.CodeUnsupported, Message: fmt.Sprintf("the file uses operator set %d; versions %d to %d are read: convert it with onnx.version_converter", v, oldestOpset, newestOpset)}
	case v > newestOpset:
		im.notes = append(im.notes, Note{Op: "model", Text: fmt.Sprintf("operator set %d is younger than %d, as which it was read", v, newestOpset)})
	}
	if im.proto.graph.hasSparseWeights {
		return errSparse
	}
	return nil
}

// tensors lists what the file stores, sorted by name.
func (im *reading) tensors() []importer.Tensor {
	out := make([]importer.Tensor, 0, len(im.proto.graph.initializers))
	for _, t := range im.proto.graph.initializers {
		bits, _ := quantity.Mul(t.size, t.elem.bits())
		out = append(out, importer.Tensor{Name: t.name, DType: t.elem.String(), Shape: append([]int64{}, t.dims...), Bytes: (bits + 7) / 8})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

func (im *reading) note(n *node, format string, args ...any) {
	im.notes = append(im.notes, Note{n.label(), n.op, fmt.Sprintf(format, args...)})
}

// check walks the graph as every other command will. A refusal would be a fault of the importer; it is told rather than
// handed on.
func (m *Model) check() error {
	res := infer.Walk(m.Graph)
	if len(res.Refusals) > 0 {
		r := res.Refusals[0]
		if r.Rule == catalog.SizeOverflow {
			return malformed("node "+m.Graph.Components[r.Node].Label(), "%s", r.Message)
		}
		return fmt.Errorf("onnx: the imported graph is refused: %s: %s", m.Graph.Components[r.Node].Label(), r.Message)
	}
	if res.Params != m.Params {
		return fmt.Errorf("onnx: the file has %d parameters, the imported graph %d", m.Params, res.Params)
	}
	return nil
}
