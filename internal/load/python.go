package load

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer/torch"
)

func init() { readers[hub.Python] = readPython }

// readPython reads a PyTorch source, or runs it where the caller asked for that.
func readPython(ctx context.Context, src *hub.Source, opt Options) (*Model, error) {
	inputs, err := inputShapes(opt.Inputs)
	if err != nil {
		return nil, err
	}
	full, err := filepath.Abs(src.Path)
	if err != nil {
		return nil, err
	}
	options := torch.Options{Inputs: inputs, Args: opt.Args}
	var model *torch.Model
	if opt.Trace != "" {
		model, err = torch.Trace(ctx, opt.Trace, filepath.Dir(full), full, src.Symbol, options, traceLimit)
	} else {
		model, err = torch.Import(ctx, filepath.Dir(full), full, src.Symbol, options)
	}
	if err != nil {
		return nil, err
	}
	m := &Model{Type: src.Symbol, Graph: model.Graph, Params: model.Params, lines: func() []Place { return sourcePlaces(src.Path, full, model) }}
	for _, s := range model.Sources {
		if s.Name == model.Main {
			m.MainSum = s.Sum
		} else {
			m.Imported = append(m.Imported, s)
		}
	}
	if model.Status == torch.Partly {
		m.Notes = append(m.Notes, "not all of the source could be followed: its weights are all counted, but not where each of them is used")
	}
	if model.Unused > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d of the weights are constructed and never used", model.Unused))
	}
	for _, list := range [][]torch.Problem{model.Problems, model.Notes} {
		for _, p := range list {
			m.Notes = append(m.Notes, fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message))
		}
	}
	return m, nil
}

// traceLimit is how long a model may take to be built and called once.
const traceLimit = 5 * time.Minute

// inputShapes reads what --input gives: 3x224x224:float32, several of them separated by commas or given one by one.
func inputShapes(texts []string) ([]torch.Input, error) {
	var out []torch.Input
	for _, text := range texts {
		for one := range strings.SplitSeq(text, ",") {
			in, err := inputShape(strings.TrimSpace(one))
			if err != nil {
				return nil, action.Errorf(action.CodeForm, "--input", "is %q, but %v: write the sizes without the batch and the kind of number, as 3x224x224:float32", one, err)
			}
			out = append(out, in)
		}
	}
	return out, nil
}

func inputShape(text string) (torch.Input, error) {
	sizes, dtype, _ := strings.Cut(text, ":")
	in := torch.Input{DType: dtype}
	if sizes == "" {
		return in, nil // a single number for each sample
	}
	for size := range strings.SplitSeq(sizes, "x") {
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil || n < 1 {
			return in, errors.New(strconv.Quote(size) + " is no size")
		}
		in.Shape = append(in.Shape, n)
	}
	return in, nil
}
