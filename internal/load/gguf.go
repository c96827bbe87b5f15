package load

import (
	"context"
	"errors"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/importer/gguf"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/quantity"
)

func init() { readers[hub.GGUF] = readGGUF }

// readGGUF imports a GGUF file by way of the config.json that its metadata amounts to. A file that holds other tensors than that
// implies is refused, since then the metadata was not understood.
func readGGUF(_ context.Context, src *hub.Source, opt Options) (*Model, error) {
	file, err := gguf.ReadModel(src.FS(), src.Main)
	if err != nil {
		return nil, err
	}
	total, ok := importer.Sum(file.Tensors)
	if !ok {
		return nil, action.Errorf(action.CodeFile, src.Ref, "the tensors hold more than can be counted")
	}
	config, err := file.Config()
	if err == nil {
		var model *hf.Model
		if model, err = hf.Import(config, hf.Options{SeqLen: opt.SeqLen, Text: opt.Text}); err == nil {
			return compareGGUF(src, file, model, textOnly(config, opt))
		}
	}
	var fault *graph.Error
	if errors.As(err, &fault) {
		out := *fault
		out.Message += "; the file holds " + quantity.Grouped(total.Elements) + " parameters"
		return nil, &out
	}
	return nil, err
}

func compareGGUF(src *hub.Source, file *gguf.Model, model *hf.Model, text func() *graph.Graph) (*Model, error) {
	m := &Model{Type: model.Class, Graph: model.Graph, Params: model.Params, Tensors: model.Tensors, Notes: model.Notes, textOnly: text}
	report, known := file.Compare(model.Tensors)
	if !known {
		return nil, action.Errorf(action.CodeUnsupported, src.Ref, "the names of the tensors of architecture %q are not known", file.Architecture())
	}
	if !report.Agrees() {
		return nil, action.Errorf(action.CodeUnsupported, src.Ref, "the tensors are not those that the metadata of architecture %q implies: %s", file.Architecture(), report)
	}
	m.Weights = &report
	return m, nil
}
