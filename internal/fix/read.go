package fix

import (
	"context"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// Read returns the graph that a target reads to, nil where it cannot be read.
func Read(ctx context.Context, r Request, t Target) *graph.Graph {
	r.Targets = []Target{t}
	p, err := open(ctx, &r)
	if err != nil {
		return nil
	}
	v := p.judge(r.Files, &t)
	if v.err != nil {
		return nil
	}
	return v.graph
}

// Sources are the files that the targets are read from, by the names that they were sent under.
func Sources(ctx context.Context, r Request) map[string]bool {
	out := map[string]bool{}
	p, err := open(ctx, &r)
	if err != nil {
		return out
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		v := p.judge(r.Files, t)
		out[t.Path] = true
		if v.source == nil {
			continue
		}
		dir := p.importDir(t)
		for _, s := range v.source.Sources {
			out[dir+s.Name] = true
		}
	}
	return out
}

// Blocks are what blocks in the targets of a request, whatever is to be mended.
func Blocks(ctx context.Context, r Request) (all []action.Finding) {
	p, err := open(ctx, &r)
	if err != nil {
		return nil
	}
	for i := range r.Targets {
		all = append(all, p.judge(r.Files, &r.Targets[i]).blocks...)
	}
	return all
}
