package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/bits"
	"math/rand/v2"
	"strconv"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(random{}, "makes 16 random changes that the editor takes, one after the other, and stops where the task passes")

// random walks: it shows what a task is worth that chance can solve.
type random struct{}

// randomSteps is how far it walks, and randomTries how often it draws a change until the editor takes one.
const (
	randomSteps = 16
	randomTries = 8
)

// Name is what results call it.
func (random) Name() string { return "random" }

// Solve returns the first draft that passes, or the last one.
func (random) Solve(ctx context.Context, t *bench.Task, seed uint64, step func(Step)) ([]byte, error) {
	d, err := begin(t)
	if err != nil {
		return nil, err
	}
	r := source(t, seed)
	for range randomSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next, edits, why := drawn(d, r)
		if next == nil {
			break
		}
		d = next
		grade := d.grade()
		step(Step{Edits: edits, Because: "a random change: " + why, Grade: grade, Gradings: 1})
		if grade.Passed {
			break
		}
	}
	return d.answer(), nil
}

// source is a stream of numbers of a task's own, so that a task gives the same answer alone and among others.
func source(t *bench.Task, seed uint64) *dice {
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.ID)) // never fails
	return &dice{rand.NewPCG(seed, h.Sum64())}
}

// dice draws from a source whose numbers Go promises to keep, in a way that is written here: how rand.Rand draws from it may change.
type dice struct{ source *rand.PCG }

// IntN returns a number from 0 to n-1.
func (d *dice) IntN(n int) int {
	high, _ := bits.Mul64(d.source.Uint64(), uint64(n))
	return int(high)
}

// drawn is the draft with one random change that the editor takes; nil where none of several tries was.
func drawn(d *draft, r *dice) (*draft, json.RawMessage, string) {
	for range randomTries {
		ops, why := moves[r.IntN(len(moves))](d.graph, r)
		if ops == nil {
			continue
		}
		edits, err := json.Marshal(ops)
		if err != nil {
			continue
		}
		if next, err := d.with(edits); err == nil {
			return next, edits, why
		}
	}
	return nil, nil, ""
}

// op is a change as a request carries it.
type op struct {
	Op        string         `json:"op"`
	Component string         `json:"component,omitempty"`
	Type      string         `json:"type,omitempty"`
	Params    map[string]any `json:"params,omitempty"`
	From      string         `json:"from,omitempty"`
	To        string         `json:"to,omitempty"`
	Join      bool           `json:"join,omitempty"`
}

// moves are the kinds of changes. A number is changed twice as often as anything else, since most tasks are about numbers.
var moves = []func(g *graph.Graph, r *dice) ([]op, string){changeNumber, changeNumber, removeOne, insertOne, connectTwo, disconnectTwo}

// changeNumber halves or doubles a number of a component, or takes the next one.
func changeNumber(g *graph.Graph, r *dice) ([]op, string) {
	if len(g.Components) == 0 {
		return nil, ""
	}
	c := &g.Components[r.IntN(len(g.Components))]
	var numbers []graph.Param
	for _, p := range c.Params {
		if p.Value.Kind() == graph.Int && p.Value.Int() > 0 {
			numbers = append(numbers, p)
		}
	}
	if len(numbers) == 0 {
		return nil, ""
	}
	p := numbers[r.IntN(len(numbers))]
	n := p.Value.Int()
	to := []int64{max(1, n/2), min(2*n, 1<<40), n + 1, max(1, n-1)}[r.IntN(4)]
	return []op{{Op: "change", Component: c.ID, Params: map[string]any{p.Name: to}}},
		fmt.Sprintf("%s of %s becomes %d", p.Name, c.ID, to)
}

// removeOne takes a component away; what fed it feeds its readers.
func removeOne(g *graph.Graph, r *dice) ([]op, string) {
	if len(g.Components) == 0 {
		return nil, ""
	}
	c := &g.Components[r.IntN(len(g.Components))]
	return []op{{Op: "remove", Component: c.ID, Join: true}}, c.ID + " is taken away"
}

// insertOne puts a component with its default values into a connection, or beside everything where there is none.
func insertOne(g *graph.Graph, r *dice) ([]op, string) {
	types := catalog.Types()
	typ := types[r.IntN(len(types))].ID
	id := fresh(g)
	if len(g.Connections) == 0 {
		return []op{{Op: "add", Component: id, Type: typ}}, "a " + typ + " comes in"
	}
	e := g.Connections[r.IntN(len(g.Connections))]
	return []op{{Op: "remove", From: e.From, To: e.To}, {Op: "add", Component: id, Type: typ, From: e.From, To: e.To}},
		"a " + typ + " comes in between " + e.From + " and " + e.To
}

// fresh is an id that no component has.
func fresh(g *graph.Graph) string {
	taken := map[string]bool{}
	for i := range g.Components {
		taken[g.Components[i].ID], taken[g.Components[i].Name] = true, true
	}
	for n := len(g.Components); ; n++ {
		if id := "new" + strconv.Itoa(n); !taken[id] {
			return id
		}
	}
}

func connectTwo(g *graph.Graph, r *dice) ([]op, string) {
	if len(g.Components) < 2 {
		return nil, ""
	}
	from, to := g.Components[r.IntN(len(g.Components))].ID, g.Components[r.IntN(len(g.Components))].ID
	return []op{{Op: "connect", From: from, To: to}}, from + " feeds " + to
}

func disconnectTwo(g *graph.Graph, r *dice) ([]op, string) {
	if len(g.Connections) == 0 {
		return nil, ""
	}
	e := g.Connections[r.IntN(len(g.Connections))]
	return []op{{Op: "remove", From: e.From, To: e.To}}, e.From + " feeds " + e.To + " no more"
}
