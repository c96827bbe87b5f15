package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/modelverifier/verifier/internal/action/pipeline"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/load"
	"github.com/modelverifier/verifier/internal/quantity"
)

// pipelineFlags are the flags of plan that a pipeline answers to. Any other is refused, since it would change nothing.
var pipelineFlags = []string{"use-precision", "use-batch", "download", "json", "quiet", "verbose"}

// planPipeline says what the parts of a pipeline take. What cannot be read of one is said, and the others are priced.
func planPipeline(j *judge, folder string) (*answer, error) {
	var unread error
	j.cmd.Flags().Visit(func(f *pflag.Flag) {
		if unread == nil && !slices.Contains(pipelineFlags, f.Name) {
			unread = fmt.Errorf("--%s says nothing of %s, which is a pipeline of several models: name the folder of one of them", f.Name, folder)
		}
	})
	if unread != nil {
		return nil, unread
	}
	index, err := load.OpenIndex(folder)
	if err != nil {
		return nil, err
	}
	q := &pipeline.Request{Class: index.Class}
	q.Precision, _ = j.cmd.Flags().GetString("use-precision")
	q.Batch, _ = j.cmd.Flags().GetInt64("use-batch")
	if problems := q.Validate(); len(problems) > 0 {
		return nil, flagProblem(problems[0])
	}
	for _, e := range index.Parts {
		q.Parts = append(q.Parts, readPart(j, folder, e))
	}
	out := pipeline.New(q)
	return &answer{body: out, text: func(p *page) { pipelineText(p, out) }}, nil
}

// readPart imports one part.
func readPart(j *judge, folder string, e load.Entry) pipeline.Part {
	out := pipeline.Part{Name: e.Name, Library: e.Library, Class: e.Class, Weightless: e.Weightless()}
	if out.Weightless {
		return out
	}
	at, err := load.PartFolder(folder, e)
	if err == nil {
		var m *load.Model
		if m, err = loadModel(j.cmd, at); err == nil {
			out.Graph, out.Notes = m.Graph, m.Notes
			if m.Type != e.Class {
				out.Notes = append(out.Notes, "its own config names the class "+m.Type)
			}
		}
	}
	if err != nil {
		out.Open = err.Error()
		var fault *graph.Error
		if errors.As(err, &fault) {
			out.Open = fault.Message
		}
	}
	return out
}

func pipelineText(p *page, r *pipeline.Result) {
	p.line("pipeline    %s, in %s, %d at once; computed, not measured", clean(firstText(r.Pipeline, "of a class that is not named")), r.Precision, r.Batch)
	for _, part := range r.Parts {
		if part.WeightBytes == nil {
			p.line("part        %s (%s): not priced: %s", clean(part.Name), clean(part.Class), clean(part.Open))
			continue
		}
		p.line("part        %s (%s): %s parameters, weights %s, %s more while it runs on %d at once, %s a call and sample", clean(part.Name), clean(part.Class),
			quantity.Grouped(*part.Params), quantity.Bytes(*part.WeightBytes), quantity.Bytes(*part.ActivationBytes), part.Batch, quantity.FLOPs(*part.FLOPs))
		for _, n := range part.Notes {
			p.line("            %s", clean(n))
		}
	}
	for _, m := range []struct {
		title string
		of    *pipeline.Memory
	}{{"resident", r.Resident}, {"offload ", r.Offload}} {
		if m.of != nil {
			p.line("%s    %s on the card (%s): weights %s, the most while %s runs", m.title, quantity.Bytes(m.of.CardBytes), m.of.FitsGPU, quantity.Bytes(m.of.WeightBytes), m.of.Part)
		}
	}
	if len(r.NotPriced) > 0 {
		p.line("open        %s not priced, so neither is the whole", clean(strings.Join(r.NotPriced, ", ")))
	}
}
