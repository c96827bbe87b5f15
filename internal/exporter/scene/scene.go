// Package scene decides what a picture of a model shows: chains of components in one box, blocks with a title, and blocks that are
// equal in structure once, with how often they repeat.
//
// It knows nothing of how a picture is drawn or written; packages svg and mermaid do that from the same scene. It judges nothing.
package scene

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Scene is a picture before it is drawn.
type Scene struct {
	Name   string
	Params int64
	Lacks  bool  // the weights of some components are not known
	Root   *Item // a group without a title
	Boxes  int   // how many boxes it has
	Rows   int   // and rows in them
}

// Item is a box with rows, or a group of items.
type Item struct {
	ID     string // the same after a change that leaves its first component and its kind alone
	Title  string // of a group or a folded block
	Times  int    // how many equal ones in a row it stands for
	Like   string // the title of an earlier block with the same layers of other sizes, which is drawn in full
	Params int64  // the weights of one
	Lacks  bool   // of which some are not known
	Rows   []Row  // of a box
	Items  []*Item
	Edges  []Edge // between the items of a group and its border
	Ins    int    // how many different results enter a group
	Outs   int    // and leave it
	Hidden []int  // the components that it stands for and does not show: those of further repeats, and of what is like another
	Opened bool   // a folded block that was asked to be shown in full
}

// Weights is how many weights one has, in short.
func (it *Item) Weights() string {
	if it.Lacks {
		return "≥ " + quantity.Short(it.Params)
	}
	return quantity.Short(it.Params)
}

// AtLeast stands before the number of weights where some are not known.
func (s *Scene) AtLeast() string {
	if s.Lacks {
		return "at least "
	}
	return ""
}

// IsGroup reports whether the item has others inside.
func (it *Item) IsGroup() bool { return len(it.Items) > 0 }

// Row is one component.
type Row struct {
	Name, Type, Detail string
	Shape              string // of the result, empty where it is not known
	Changes            bool   // the shape is not that of the row before
	Params             int64
	Refused            bool
	Virtual            bool // an input or output
	Node               int  // the position of the component in the graph
}

// Border is the position that stands for the group itself.
const Border = -1

// End is one end of an edge: an item of the group, or its border, and which port where that has several.
type End struct{ Item, Port int }

// Edge is a result on its way.
type Edge struct {
	From, To End
	Shape    string
}

// Options are how much is shown. The zero value is for a picture.
type Options struct {
	Open      func(id string) bool // which folded blocks are shown in full; nil shows none
	MaxBoxes  int                  // what can be drawn
	MaxRows   int
	RowsOfBox int // a chain that is longer is several boxes; 0 is any
}

// The largest scene that is of use to someone who looks at a picture.
const maxBoxes, maxRows = 600, 3000

// Of makes the scene of a walked graph, for a picture.
func Of(res *infer.Result) (*Scene, error) {
	return With(res, Options{MaxBoxes: maxBoxes, MaxRows: maxRows})
}

// With makes the scene of a walked graph.
func With(res *infer.Result, o Options) (*Scene, error) {
	b := newBuilder(res)
	b.options = o
	root := &piece{n: len(b.order), kids: b.fold(b.blocks())}
	b.likes(root.kids)
	b.joinChains(root)
	s := &Scene{Name: Clip(res.Graph.Name, 80), Params: res.Params, Lacks: len(res.ParamsWithheld()) > 0}
	s.Root = b.item(root, s)
	if s.Boxes > o.MaxBoxes || s.Rows > o.MaxRows {
		return nil, fmt.Errorf("a picture of this model would have %d boxes and %d rows after folding what repeats, but at most %d and %d can be drawn", s.Boxes, s.Rows, o.MaxBoxes, o.MaxRows)
	}
	b.connect(root)
	return s, nil
}

// Run is a stretch of a graph that repeats: equal components, wired in the same way.
type Run struct {
	Title string  // of the block, where it has one: that of the first
	Until string  // of the last, where each has one
	Nodes [][]int // the components of each repeat, in an order in which inputs come first
}

// Runs finds what repeats one after the other in a walked graph, as pictures fold it.
func Runs(res *infer.Result) []Run {
	b := newBuilder(res)
	var out []Run
	for _, p := range b.fold(b.blocks()) {
		if p.times < 2 {
			continue
		}
		r := Run{Title: p.title, Until: p.until}
		for t := range p.times {
			first := p.first + t*p.n
			r.Nodes = append(r.Nodes, b.order[first:first+p.n])
		}
		out = append(out, r)
	}
	return out
}

// ShortName leaves out of a label what the title of its block says.
func ShortName(label, title string) string { return shortName(label, &piece{title: title}) }
