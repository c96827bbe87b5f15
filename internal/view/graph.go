package view

import (
	"slices"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/exporter/scene/place"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
)

var _ = define(call{Name: "graph", Answer: drawGraph})

// drawnGraph is a model as the app draws it, in whole pixels from the upper left corner, and lists it.
type drawnGraph struct {
	Width      int              `json:"width"`
	Height     int              `json:"height"`
	Nodes      []drawnNode      `json:"nodes"` // a group stands before what is in it
	Edges      []drawnEdge      `json:"edges"`
	Components []drawnComponent `json:"components"` // in the order in which they run
	Params     int64            `json:"params"`     // without those of the components in lacks
	FLOPs      int64            `json:"flops"`
	Lacks      []string         `json:"lacks"` // ids of the components whose weights or FLOPs are not known
}

// The kinds of nodes.
const (
	boxKind    = "box"
	groupKind  = "group"  // a frame around other nodes
	foldedKind = "folded" // stands for more than it shows: a frame around the first repeat, a box, or a block that is like another one
)

type drawnNode struct {
	ID     string     `json:"id"`
	Parent string     `json:"parent,omitempty"`
	Kind   string     `json:"kind"`
	X      int        `json:"x"`
	Y      int        `json:"y"`
	W      int        `json:"w"`
	H      int        `json:"h"`
	Title  string     `json:"title"`
	Times  int        `json:"times"`
	Like   string     `json:"like,omitempty"` // the title of the block with the same layers that is drawn in full
	Params *int64     `json:"params"`         // of one
	FLOPs  *int64     `json:"flops"`
	Rows   []drawnRow `json:"rows"`
	Hides  []string   `json:"hides,omitempty"` // ids of the components that it stands for and does not show
	Opened bool       `json:"opened,omitempty"`
}

type drawnRow struct {
	Component string         `json:"component"`
	Name      string         `json:"name"`
	Type      string         `json:"type"`
	Detail    string         `json:"detail"`
	Shape     string         `json:"shape"`
	Params    *int64         `json:"params"`
	FLOPs     *int64         `json:"flops"`
	Severity  rules.Severity `json:"severity,omitempty"` // of the worst finding
}

// drawnEdge leads from node to node. The components are there where the model has just this connection.
type drawnEdge struct {
	From          string   `json:"from"`
	To            string   `json:"to"`
	FromComponent string   `json:"fromComponent,omitempty"`
	ToComponent   string   `json:"toComponent,omitempty"`
	Points        [][2]int `json:"points"`
	Shape         string   `json:"shape"`
}

type drawnComponent struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Type     string         `json:"type"`
	Shape    string         `json:"shape"`
	Params   *int64         `json:"params"`
	FLOPs    *int64         `json:"flops"`
	Findings []int          `json:"findings"` // positions among those of lint
	Severity rules.Severity `json:"severity,omitempty"`
	Node     string         `json:"node,omitempty"` // the node that shows it, or stands for it; notes have none
}

// rowsOfBox is how many components one box has at most: more than a screen has room for.
const rowsOfBox = 24

// mostOpen bounds the list of blocks that are shown in full.
const mostOpen = 2000

func drawGraph(body []byte, limits graph.Limits) (any, error) {
	f := action.Read(body, limits, action.Model)
	g, open := f.Model(), f.Strings("open", mostOpen)
	f.Enum("layout", "down")
	if err := f.Err(); err != nil {
		return nil, err
	}
	study := action.Examine(g)
	s, err := scene.With(study.Walked, scene.Options{
		Open: func(id string) bool { return slices.Contains(open, id) }, MaxBoxes: limits.Components, MaxRows: limits.Components, RowsOfBox: rowsOfBox,
	})
	if err != nil {
		return nil, action.Errorf(action.CodeRange, action.Model, "cannot be drawn: %s", err)
	}
	d := newDrawer(study)
	root := sizes.Layout(s.Root)
	d.out.Width, d.out.Height = root.W, root.H
	d.group(root, "", 0, 0)
	for _, p := range root.Paths() {
		d.edge(&p)
	}
	d.list()
	return d.out, nil
}

// drawer makes the answer from what was found out and placed.
type drawer struct {
	res   *infer.Result
	found [][]int // findings by component
	worst []rules.Severity
	node  []string // by component, the node that shows it
	wired map[[2]string]bool
	out   *drawnGraph
}

func newDrawer(study *action.Study) *drawer {
	res := study.Walked
	n := len(res.Nodes)
	d := &drawer{res: res, found: make([][]int, n), worst: make([]rules.Severity, n), node: make([]string, n), wired: map[[2]string]bool{},
		out: &drawnGraph{Nodes: []drawnNode{}, Edges: []drawnEdge{}, Params: res.Params, FLOPs: res.FLOPs, Lacks: []string{}}}
	for i, f := range study.Findings {
		if f.Node >= 0 {
			d.found[f.Node] = append(d.found[f.Node], i)
			if d.worst[f.Node] == "" { // the worst comes first
				d.worst[f.Node] = f.Rule.Severity
			}
		}
	}
	for i := range res.Nodes {
		if x := &res.Nodes[i]; x.LacksWeights || x.LacksFLOPs {
			d.out.Lacks = append(d.out.Lacks, x.Component.ID)
		}
	}
	for _, c := range res.Graph.Connections {
		d.wired[[2]string{c.From, c.To}] = true
	}
	return d
}

// group writes down what is in a group, whose upper left corner is at a place. It returns what one of it costs in FLOPs.
func (d *drawer) group(b *place.Box, parent string, x, y int) *int64 {
	sum := new(int64)
	for _, k := range b.Kids {
		at := len(d.out.Nodes)
		d.out.Nodes = append(d.out.Nodes, d.boxOf(k, parent, x, y))
		cost := d.out.Nodes[at].FLOPs
		if k.Item.IsGroup() {
			cost = d.group(k, k.Item.ID, x+k.X, y+k.Y)
			d.out.Nodes[at].FLOPs = cost
		}
		sum = plus(sum, cost)
	}
	return sum
}

// boxOf is a node, without what is in it where it is a frame.
func (d *drawer) boxOf(b *place.Box, parent string, x, y int) drawnNode {
	it := b.Item
	n := drawnNode{ID: it.ID, Parent: parent, Kind: boxKind, X: x + b.X, Y: y + b.Y, W: b.W, H: b.H, Title: it.Title, Times: it.Times, Like: it.Like,
		FLOPs: new(int64), Rows: []drawnRow{}, Opened: it.Opened}
	switch {
	case it.Times > 1 || it.Like != "":
		n.Kind = foldedKind
	case it.IsGroup():
		n.Kind = groupKind
	}
	if !it.Lacks {
		n.Params = &it.Params
	}
	for _, i := range it.Hidden {
		n.Hides = append(n.Hides, d.res.Nodes[i].Component.ID)
		d.node[i] = it.ID
		if it.Like != "" {
			n.FLOPs = plus(n.FLOPs, d.res.Nodes[i].KnownFLOPs())
		}
	}
	for _, r := range it.Rows {
		node := &d.res.Nodes[r.Node]
		n.Rows = append(n.Rows, drawnRow{node.Component.ID, r.Name, r.Type, r.Detail, r.Shape, node.KnownParams(), node.KnownFLOPs(), d.worst[r.Node]})
		n.FLOPs = plus(n.FLOPs, node.KnownFLOPs())
		d.node[r.Node] = it.ID
	}
	return n
}

// plus adds what may not be known.
func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	sum := *a + *b
	return &sum
}

func (d *drawer) edge(p *place.Path) {
	e := drawnEdge{From: p.From.Item.ID, To: p.To.Item.ID, Shape: p.Shape}
	for _, at := range p.Points {
		e.Points = append(e.Points, [2]int{at.X, at.Y})
	}
	if from, to := p.From.Item.Rows, p.To.Item.Rows; len(from) > 0 && len(to) > 0 {
		ids := [2]string{d.res.Nodes[from[len(from)-1].Node].Component.ID, d.res.Nodes[to[0].Node].Component.ID}
		if d.wired[ids] {
			e.FromComponent, e.ToComponent = ids[0], ids[1]
		}
	}
	d.out.Edges = append(d.out.Edges, e)
}

// list writes down every component in the order in which they run; those on a cycle, which have no place in it, come last.
func (d *drawer) list() {
	d.out.Components = []drawnComponent{}
	seen := make([]bool, len(d.res.Nodes))
	add := func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		n := &d.res.Nodes[i]
		c := drawnComponent{ID: n.Component.ID, Name: n.Component.Title(), Type: n.Component.Type, Params: n.KnownParams(), FLOPs: n.KnownFLOPs(),
			Findings: d.found[i], Severity: d.worst[i], Node: d.node[i]}
		if c.Findings == nil {
			c.Findings = []int{}
		}
		if n.Out != nil {
			c.Shape = scene.ShapeText(n.Out)
		}
		d.out.Components = append(d.out.Components, c)
	}
	for _, i := range d.res.Wiring.Order {
		add(i)
	}
	for i := range d.res.Nodes {
		add(i)
	}
}
