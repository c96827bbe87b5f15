package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/importer/diffusers"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/importer/safetensors"
	"github.com/modelverifier/verifier/internal/quantity"
)

// maxConfig is more than any config.json has: those that name 21,000 classes have 1.5 MB.
const maxConfig = 4 << 20

func init() {
	readers[hub.Config] = readConfig
	readers[hub.Safetensors] = readWeights
}

// readConfig imports a config.json, and compares what it implies with the weights beside it.
func readConfig(_ context.Context, src *hub.Source, opt Options) (*Model, error) {
	data, err := text(src, maxConfig)
	if err != nil {
		return nil, err
	}
	stored, storedErr := weights(src)
	if diffusers.ClassOf(data) != "" {
		return readPart(data, stored, storedErr)
	}
	model, err := hf.Import(data, hf.Options{SeqLen: opt.SeqLen, Text: opt.Text})
	if err != nil {
		return nil, counted(err, stored)
	}
	m := &Model{Type: model.Class, Graph: model.Graph, Params: model.Params, Tensors: model.Tensors, Notes: model.Notes, textOnly: textOnly(data, opt)}
	switch {
	case storedErr != nil:
		return nil, storedErr
	case stored == nil:
	case quantised(data):
		m.Notes = append(m.Notes, "the weights are quantised: they are packed, and not compared with what config.json implies")
	default:
		r := importer.CompareCheckpoint(model.Tensors, stored.Tensors, nil)
		m.Weights = &r
	}
	return m, nil
}

// textOnly imports a config again for a call with text alone, unless that was asked for. It gives nil where the call leaves nothing out.
func textOnly(config []byte, opt Options) func() *graph.Graph {
	if opt.Text {
		return nil
	}
	return func() *graph.Graph {
		model, err := hf.Import(config, hf.Options{SeqLen: opt.SeqLen, Text: true})
		if err != nil || !model.LeavesOut {
			return nil
		}
		return model.Graph
	}
}

// weights reads the headers of the weights beside a config, nil where there are none.
func weights(src *hub.Source) (*safetensors.Model, error) {
	if len(src.Weights) == 0 || src.FS() == nil {
		return nil, nil
	}
	if len(src.Weights) == 1 {
		return safetensors.ReadModel(src.FS(), src.Weights[0])
	}
	return safetensors.ReadFiles(src.FS(), src.Weights)
}

// counted adds to a refusal what the headers say: a model that is not modelled still has a number of parameters.
func counted(err error, stored *safetensors.Model) error {
	var fault *graph.Error
	if stored == nil || !errors.As(err, &fault) {
		return err
	}
	total, ok := importer.Sum(stored.Tensors)
	if !ok {
		return err
	}
	out := *fault
	out.Message += fmt.Sprintf("; its weights hold %s parameters in %d tensors", quantity.Grouped(total.Elements), total.Tensors)
	return &out
}

func quantised(config []byte) bool {
	var c struct {
		Quantization json.RawMessage `json:"quantization_config"`
	}
	return json.Unmarshal(hf.Strict(config), &c) == nil && len(c.Quantization) > 0 && string(c.Quantization) != "null"
}

// readWeights refuses weights without a config, and says how many they are.
func readWeights(_ context.Context, src *hub.Source, _ Options) (*Model, error) {
	stored, err := weights(src)
	if err != nil {
		return nil, err
	}
	return nil, counted(action.Errorf(action.CodeUnsupported, src.Ref, "holds weights, but nothing that says how they are used: put the model's config.json beside them"), stored)
}
