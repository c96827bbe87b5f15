package files

import (
	"context"
	"errors"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch"
	"github.com/modelverifier/verifier/internal/infer"
)

// sourceFile is what a source is called for its reader, which has no other file.
const sourceFile = "model.py"

// torch reads a PyTorch source without running it. What the source does not say is asked for.
func (f *given) torch() (*opened, error) {
	inputs, err := parseInputs(f.Input)
	if err != nil {
		return nil, err
	}
	m, err := torch.Import(context.Background(), &oneFile{sourceFile, f.data}, sourceFile, f.Class, torch.Options{Inputs: inputs, Args: f.Args})
	if q := asks(err, f); q != nil {
		return &opened{Kind: "torch", Question: q}, nil
	}
	if err != nil {
		return nil, f.named(err)
	}
	if q := asksInput(m); q != nil && f.Input == "" {
		return &opened{Kind: "torch", Question: q}, nil
	}
	return model("torch", m.Graph, remarks(m))
}

func parseInputs(text string) ([]torch.Input, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	return torch.ParseInputs(text)
}

// named is an error with the name of the file as the person knows it.
func (f *given) named(err error) error {
	var fault *graph.Error
	if !errors.As(err, &fault) {
		return err
	}
	out := *fault
	out.Path = strings.Replace(out.Path, sourceFile, f.Name, 1)
	return &out
}

// asks makes a question of an error that an answer would repair.
func asks(err error, f *given) *question {
	var fault *graph.Error
	if !errors.As(err, &fault) || len(fault.Allowed) == 0 {
		return nil
	}
	switch fault.Code {
	case torch.CodeName:
		if f.Class == "" {
			return &question{Ask: "class", Text: "Which of these is the model?", Options: fault.Allowed}
		}
	case torch.CodeArgs:
		_, class, _ := strings.Cut(fault.Path, ":")
		return &question{Ask: "args", Text: class + " needs arguments that the file does not give.", Options: fault.Allowed}
	}
	return nil
}

// asksInput is the question for the shape of an input, nil where every shape is known.
func asksInput(m *torch.Model) *question {
	for i := range m.Graph.Components {
		c := &m.Graph.Components[i]
		if v, ok := c.Param("asks"); ok && c.Type == infer.InputID && v.Str() != "" {
			return &question{Ask: "input", Text: v.Str()}
		}
	}
	return nil
}

// remarks are what a reader should know of how a source was read, the worst first.
func remarks(m *torch.Model) []string {
	var out []string
	switch {
	case m.Raises:
		out = append(out, "The source raises an exception: nothing behind it was read.")
	case len(m.Withheld) > 0:
		out = append(out, "The source was followed in part only: the weights of "+strings.Join(m.Withheld, ", ")+" are not known, and no count has them.")
	case m.Status == torch.Partly:
		out = append(out, "The source was followed in part only: its weights are all counted, but not where each of them is used.")
	}
	for _, p := range m.Problems {
		out = append(out, p.String())
	}
	if m.InputsFrom != "" {
		var shapes []string
		for _, in := range m.Inputs {
			shapes = append(shapes, in.String())
		}
		out = append(out, "The input is "+strings.Join(shapes, " and ")+", taken from "+m.InputsFrom+".")
	}
	for _, p := range m.Notes {
		out = append(out, p.String())
	}
	return out
}
