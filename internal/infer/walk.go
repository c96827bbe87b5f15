package infer

import (
	"github.com/modelverifier/verifier/internal/arena"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
	"github.com/modelverifier/verifier/internal/quantity"
)

// walker holds the state of one walk.
type walker struct {
	*Room
	index   map[string]int  // components by id, made when the first tie is resolved
	tables  map[table][]int // embeddings by the shapes of their weights, likewise
	res     *Result
	skip    []bool // duplicates: another component has their id, so nothing is known of their wiring
	visited []bool
	orphan  []bool // a connection into it comes from nowhere
	lost    bool   // a connection leads nowhere: some component may lack it
	absent  []bool // constructed and not called; nil where nothing is

	fed     []int32 // what feeds the inputs of the component before fedNode, notes not counted: one may have thousands
	fedNode int
	owners  []int32           // of a component whose result is a view: the one in whose result it lies, from 1; 0 where nobody asked
	guesses map[string]string // what unknown types were probably meant to be
	demands []demand

	attempted int // components and weights that were gone through once more
	steps     int // of components' operations that were followed for what autograd saves
	call      catalog.Call
	recent    []recent // one for each type that was seen: few, so that a search is quicker than a map
}

// Room is the memory of walks, one after the other. The zero value is ready.
type Room struct {
	wiring   graph.WiringRoom
	nodes    arena.Of[Node]
	declared catalog.Declared
	args     arena.Of[graph.Value]
	shapes   arena.Of[catalog.Shape]
	ints     arena.Of[bool] // and other marks
	recents  arena.Of[recent]
	lowering catalog.Lowering
	program  op.Program
}

// Clear takes back what was found out, and leaves nothing of it.
func (r *Room) Clear() {
	r.wiring.Clear()
	r.nodes.Clear()
	r.declared.Clear()
	r.args.Clear()
	r.shapes.Clear()
	r.ints.Clear()
	r.recents.Clear()
	r.lowering = catalog.Lowering{}
	if r.program.Reset(); cap(r.program.Steps) > keptSteps {
		r.program = op.Program{}
	}
}

// keptSteps is how many steps a room has memory for after Clear at the most.
const keptSteps = 1 << 10

// demand remembers, for a refusal, which size the component would have accepted.
type demand struct {
	refusal int
	node    int
	from    int // the component that feeds the input
	axis    int // position in the shape of that input
	size    int64
}

// mostArgs is the room for arguments to begin with. Large models repeat blocks, which need none of their own.
const mostArgs = 128

// mostRecent is the room for types to begin with.
const mostRecent = 8

func (r *Room) walker(g *graph.Graph) *walker {
	n := len(g.Components)
	r.ints.Reserve(3*n + len(g.Connections))
	w := &walker{
		Room: r,
		res:  &Result{Graph: g, Wiring: r.wiring.Wire(g), Nodes: r.nodes.Make(n)},
		skip: r.ints.Make(n), visited: r.ints.Make(n), orphan: r.ints.Make(n),
		recent: r.recents.Make(min(n, mostRecent))[:0],
	}
	args := 0
	for i := range g.Components {
		node := &w.res.Nodes[i]
		node.Component, node.Type = &g.Components[i], catalog.Lookup(g.Components[i].Type)
		if node.Type != nil {
			args += len(node.Type.Params)
		}
	}
	w.findAbsent()
	w.args.Reserve(min(args, mostArgs))
	w.shapes.Reserve(len(g.Connections))
	for _, i := range w.res.Wiring.Duplicates {
		w.skip[i] = true
	}
	if len(w.res.Wiring.Dangling) > 0 {
		w.findLost(g)
	}
	return w
}

// findLost marks the components that a dangling connection was meant for, as far as that can be told.
func (w *walker) findLost(g *graph.Graph) {
	index := make(map[string]int, len(g.Components))
	for i := range g.Components {
		index[g.Components[i].ID] = i
	}
	for _, e := range w.res.Wiring.Dangling {
		if i, ok := index[g.Connections[e].To]; ok {
			w.orphan[i] = true
		} else {
			w.lost = true
		}
	}
}

// visit infers one component whose inputs have been visited.
func (w *walker) visit(i int) {
	w.visited[i] = true
	node := &w.res.Nodes[i]
	if node.Type == nil {
		w.refuse(i, &catalog.Refusal{Rule: UnknownType, Message: w.unknownType(node.Component.Type)})
		return
	}
	if node.Type.ID == noteID {
		node.State = Note
		return
	}
	if w.refuseLacking(i) {
		return
	}
	known := w.gather(i)
	if known && w.copyAlike(i) {
		return
	}
	call := w.bind(i)
	if call == nil {
		return
	}
	if !known {
		if r := call.CheckParams(); r != nil && r.Rule != catalog.MissingInput {
			w.refuse(i, r)
		}
		return
	}
	w.record(i, call.Apply())
}

const noteID = "stickyNote"

// visitBlind checks the parameters of a component whose inputs cannot be known.
func (w *walker) visitBlind(i int) {
	node := &w.res.Nodes[i]
	if node.Type == nil {
		w.visit(i)
		return
	}
	w.gather(i)
	if call := w.bind(i); call != nil {
		r := call.CheckParams()
		if r != nil && r.Rule != catalog.MissingInput && r.Rule != catalog.TooManyInputs { // the cycle may be the input too many
			w.refuse(i, r)
		}
	}
}

// bind returns the call of a component whose inputs have been gathered, or nil where a parameter is refused.
func (w *walker) bind(i int) *catalog.Call {
	node := &w.res.Nodes[i]
	node.Args = w.args.Make(len(node.Type.Params))
	if err := node.Type.Bind(node.Component.Params, node.Args); err != nil {
		w.refuse(i, err)
		return nil
	}
	w.call.Begin(node.Type, node.Args, &w.declared)
	w.call.In, w.call.InIsInt = node.In, node.inIsInt
	return &w.call
}

// gather collects what arrives at a component, and reports whether all of it is known. Notes have no result and do not count.
func (w *walker) gather(i int) bool {
	node, known := &w.res.Nodes[i], !w.orphan[i]
	if node.Type.Inputs.Max > 0 {
		for _, j := range w.res.Wiring.Inputs(i) {
			from := &w.res.Nodes[j]
			if from.State == Note {
				continue
			}
			w.shapes.Push(from.Out)
			w.ints.Push(from.OutIsInt)
			known = known && from.Out != nil
		}
	}
	node.In, node.inIsInt = w.shapes.Take(), w.ints.Take()
	lacks := w.lost && len(node.In) < node.Type.Inputs.Max // the connection that leads nowhere may have been meant for it
	return known && !lacks
}

// record keeps the result of a call.
func (w *walker) record(i int, r catalog.Result) {
	node := &w.res.Nodes[i]
	node.Out, node.OutIsInt = r.Out, r.OutIsInt
	if r.Err != nil {
		w.refuse(i, r.Err)
		return
	}
	node.State = Legal
	if r.Out == nil {
		node.State = Withheld
	}
	node.Weights, node.Params, node.FLOPs = r.Weights, r.Count, r.FLOPs
	node.LacksWeights, node.LacksFLOPs = r.LacksWeights, r.LacksFLOPs
	w.remember(i)
	if node.Type.ID == InputID && !given(node, "dtype") {
		node.OutIsInt = w.feedsIndex(i)
	}
}

func given(node *Node, param string) bool {
	_, ok := node.Component.Param(param)
	return ok
}

// feedsIndex reports whether something reads the component as token ids or indices: an input that does is one of integers.
func (w *walker) feedsIndex(i int) bool {
	for _, j := range w.res.Wiring.Outputs(i) {
		reader := w.res.Nodes[j].Type
		if reader == nil || len(reader.Indices) == 0 {
			continue
		}
		inputs := w.res.Wiring.Inputs(int(j))
		for _, position := range reader.Indices {
			if position < len(inputs) && int(inputs[position]) == i {
				return true
			}
		}
	}
	return false
}

// refuse keeps a refusal, with its edit if applying that edit makes the component legal. Of a call that is never made nothing is refused.
func (w *walker) refuse(i int, r *catalog.Refusal) {
	node := &w.res.Nodes[i]
	if w.pardons(i, r) {
		node.State = Unknown
		return
	}
	node.State = Refused
	out := Refusal{Node: i, Rule: r.Rule, Message: r.Message}
	if r.Param != "" && w.repairs(i, r.Param, r.Value) {
		out.Edits = []Edit{{Component: node.Component.ID, Param: r.Param, Value: r.Value}}
	}
	w.res.Refusals = append(w.res.Refusals, out)
	if r.Axis == 0 || r.Input >= len(node.In) {
		return
	}
	if axis, ok := r.Axis.In(len(node.In[r.Input])); ok {
		w.demands = append(w.demands, demand{len(w.res.Refusals) - 1, i, w.feeder(i, r.Input), axis, r.Size})
	}
}

// feeder returns the component behind an input, notes not counted.
func (w *walker) feeder(i, input int) int {
	if w.fedNode != i+1 {
		w.fedNode, w.fed = i+1, w.fed[:0]
		for _, j := range w.res.Wiring.Inputs(i) {
			if w.res.Nodes[j].State != Note {
				w.fed = append(w.fed, j)
			}
		}
	}
	if input < len(w.fed) {
		return int(w.fed[input])
	}
	return i
}

// repairs reports whether a component runs once a parameter is changed.
func (w *walker) repairs(i int, param string, v graph.Value) bool {
	node := &w.res.Nodes[i]
	for _, s := range node.In {
		if s == nil {
			return false
		}
	}
	return evaluate(node, param, v, node.In, node.inIsInt).Err == nil
}

// evaluate applies a component with one parameter changed.
func evaluate(node *Node, param string, v graph.Value, in []catalog.Shape, ints []bool) catalog.Result {
	changed := *node.Component
	changed.Params = append([]graph.Param(nil), changed.Params...)
	changed.SetParam(param, v)
	return node.Type.Evaluate(changed.Params, in, ints)
}

// mostGuesses is how many unknown types of a graph are compared with every known one: more of them are not misspelt.
const mostGuesses = 32

func (w *walker) unknownType(spelling string) string {
	if spelling == "" {
		return "has no type"
	}
	near, seen := w.guesses[spelling]
	if !seen && len(w.guesses) < mostGuesses {
		if w.guesses == nil {
			w.guesses = map[string]string{}
		}
		near = catalog.Nearest(spelling)
		w.guesses[spelling] = near
	}
	if near != "" {
		return quantity.Sprintf("%q is not a type; did you mean %s?", graph.Brief(spelling), near)
	}
	return quantity.Sprintf("%q is not a type", graph.Brief(spelling))
}
