package load

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer/torch"
	"github.com/modelverifier/verifier/internal/infer"
)

func init() { readers[hub.Python] = readPython }

// readPython reads a PyTorch source, or runs it where the caller asked for that.
func readPython(ctx context.Context, src *hub.Source, opt Options) (*Model, error) {
	inputs, err := inputShapes(opt.Inputs)
	if err != nil {
		return nil, err
	}
	options := torch.Options{Inputs: inputs, Args: opt.Args, Edits: opt.Edits, Above: src.Above, Within: src.Within, Siblings: src.Siblings}
	packages, done, err := sitePackages(opt.SitePackages)
	if err != nil {
		return nil, err
	}
	defer done()
	options.Installed = packages
	var model *torch.Model
	if opt.Trace != "" {
		model, err = torch.Trace(ctx, opt.Trace, src.Dir, src.Main, src.Symbol, options, traceLimit)
	} else {
		model, err = torch.Import(ctx, src.FS(), src.Main, src.Symbol, options)
	}
	if err != nil {
		return nil, stopped(src, err)
	}
	m := sourceModel(model, src.Symbol)
	m.lines = func() []Place { return sourcePlaces(src, model) }
	if m.Partly != "" && !model.Raises && !refused(model) && len(inputs)+len(model.Inputs) > 0 {
		m.Notes = append(m.Notes, waysOut(m.Partly, src.Ref))
	}
	return m, nil
}

// sourceModel is what was read of a source.
func sourceModel(model *torch.Model, symbol string) *Model {
	m := &Model{Type: symbol, Graph: model.Graph, Params: model.Params, Withheld: model.Withheld, excerpt: model.Excerpt}
	for _, s := range model.Sources {
		if s.Name == model.Main {
			m.MainSum = s.Sum
		} else {
			m.Imported = append(m.Imported, s)
		}
	}
	m.Notes, m.Partly = sourceNotes(model), partly(model)
	for _, in := range model.Inputs {
		m.Inputs = append(m.Inputs, spelled(in))
	}
	m.InputsFrom, _, _ = strings.Cut(model.InputsFrom, ": ")
	return m
}

// spelled writes an input as --input takes it, one number a sample too.
func spelled(in torch.Input) string {
	if len(in.Shape) == 0 {
		return "1," + in.String()
	}
	return in.String()
}

// partly says why a source was not followed to its end; "" where it was.
func partly(model *torch.Model) string {
	if model.Status != torch.Partly || len(model.Problems) == 0 {
		return ""
	}
	return model.Problems[0].String()
}

// refused reports whether what was read does not run. Then the findings say what to change, and no other way of writing it would help.
func refused(model *torch.Model) bool { return len(infer.Walk(model.Graph).Refusals) > 0 }

// sourceNotes are what a reader should know of how a source was read, the worst first.
func sourceNotes(model *torch.Model) []string {
	var notes []string
	switch {
	case model.Raises:
		notes = append(notes, "the source raises an exception: nothing behind it was read")
	case model.Status == torch.Partly && refused(model):
		notes = append(notes, "the source was read up to the line that does not run")
	case len(model.Withheld) > 0:
		notes = append(notes, "the source was followed in part only: the weights of "+strings.Join(model.Withheld, ", ")+" are not known, and no count has them")
	case model.Status == torch.Partly:
		notes = append(notes, "the source was followed in part only: its weights are all counted, but not where each of them is used")
	}
	for _, p := range model.Problems {
		notes = append(notes, p.String())
	}
	if model.InputsFrom != "" {
		var shapes []string
		for _, in := range model.Inputs {
			shapes = append(shapes, in.String())
		}
		notes = append(notes, fmt.Sprintf("no --input is given: %s is taken from %s", strings.Join(shapes, " and "), model.InputsFrom))
	}
	if model.Unused == 1 {
		notes = append(notes, "1 of the weights is constructed and never used")
	} else if model.Unused > 1 {
		notes = append(notes, fmt.Sprintf("%d of the weights are constructed and never used", model.Unused))
	}
	for _, p := range model.Notes {
		notes = append(notes, p.String())
	}
	return notes
}

// traceLimit is how long a model may take to be built and called once.
const traceLimit = 5 * time.Minute
