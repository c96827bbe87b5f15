// Package task makes what a trainer is given of a graph: its PyTorch file, and the weights that the trained file must hold.
//
// It knows no job and no machine: the service and the command line that trains on this machine both ask it.
package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/exporter/torch"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/training"
)

// Seed is that of every run, so that the same run gives the same figures on the same machine.
const Seed = 1

// Of makes the task of a graph that runs. The caller has clamped the configuration, and adds how long the run may take.
func Of(g *graph.Graph, dataset string, config training.Config) (training.Task, error) {
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	source, class, err := torch.Module(res)
	if err != nil {
		return training.Task{}, err
	}
	if missing := res.ParamsWithheld(); len(missing) > 0 {
		return training.Task{}, fmt.Errorf("the weights of %s are not known", strings.Join(missing, ", "))
	}
	t := training.Task{Dataset: dataset, Config: config, Model: source, Class: class, Params: res.Params, Seed: Seed, Weights: []training.Weight{}}
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if n.Type != nil && n.Type.ID == infer.InputID && t.InputShape == nil {
			t.InputShape = slices.Clone(n.Out)
		}
		for _, w := range n.Weights {
			for range w.Times {
				t.Weights = append(t.Weights, training.Weight{Name: n.Component.ID + "." + w.Path(), Shape: slices.Clone(w.Shape)})
			}
		}
	}
	return t, nil
}
