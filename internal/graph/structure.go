package graph

import (
	"slices"

	"github.com/modelverifier/verifier/internal/arena"
)

// noteType is the type of components that are remarks and no part of the network.
const noteType = "stickyNote"

// Structure is a graph without ids, names and order: what the fingerprint and the difference of two graphs look at.
//
// Nodes are the components, by index, and behind them stand-ins for the ids that are not one component: an id that no
// component has, and an id that several have. Connections go to the stand-in then, so that neither the spelling of an id
// nor the order of the components decides anything.
type Structure struct {
	graph    *Graph
	nodes    int
	standIns []standIn
	in       half // node: the input; the position is the place in the list
	out      half // node: the reader, rising; edge: the place in in.node at which it reads
	ties     []tie
	tied     half // the component whose weights a node uses
	users    half // the components that use a node's weights
	ids      map[string]int32
	label    []uint64 // type and parameters
	up       []uint64 // label and inputs, up to the sources
	full     []uint64 // up and readers, down to the ends: where the node stands in the whole
	scoped   bool     // whether a component says what module it is a part of
	order    []int    // inputs first
	against  []int    // readers first
}

// standIn is an id and the components that have it: none or several.
type standIn struct {
	id     string
	shared []int32
}

// tie says that a component uses the weights of another.
type tie struct{ node, to int32 }

func (s *Structure) isNote(i int32) bool {
	return int(i) < len(s.graph.Components) && s.graph.Components[i].Type == noteType
}

// live is how many nodes are no notes.
func (s *Structure) live() int {
	n := s.nodes
	for i := range s.graph.Components {
		if s.isNote(int32(i)) {
			n--
		}
	}
	return n
}

// StructureOf hashes a graph. args returns the parameters of a component with canonical names and defaults filled in.
func StructureOf(g *Graph, args func(i int) []Param) *Structure {
	s := &Structure{graph: g, label: make([]uint64, len(g.Components))}
	s.index()
	for i := range g.Components {
		if !s.isNote(int32(i)) {
			s.label[i] = s.labelOf(i, args(i))
		}
	}
	s.connect()
	s.nodes = len(g.Components) + len(s.standIns)
	for _, stand := range s.standIns {
		h := mixString(0, "stand-in")
		for _, i := range stand.shared {
			h += mix(1, s.label[i])
		}
		s.label = append(s.label, h)
	}
	s.refine()
	if len(s.ties) > 0 {
		s.refineTies()
	}
	s.refineScopes()
	return s
}

// ignored is the node of an id that only a note has.
const ignored = -1

// index notes which node an id means.
func (s *Structure) index() {
	components := s.graph.Components
	index := make(map[string]int32, len(components))
	s.ids = index
	for i := range components {
		id := components[i].ID
		if components[i].Type == noteType {
			continue
		}
		first, taken := index[id]
		switch {
		case !taken:
			index[id] = int32(i)
		case int(first) < len(components):
			index[id] = s.standFor(id, first, int32(i))
		default:
			shared := &s.standIns[int(first)-len(components)].shared
			*shared = append(*shared, int32(i))
		}
	}
	for i := range components {
		if _, taken := index[components[i].ID]; !taken {
			index[components[i].ID] = ignored
		}
	}
}

func (s *Structure) standFor(id string, shared ...int32) int32 {
	s.standIns = append(s.standIns, standIn{id, shared})
	return int32(len(s.graph.Components) + len(s.standIns) - 1)
}

// nodeOf returns the node of an id. One that nothing has is given a stand-in.
func (s *Structure) nodeOf(id string) int32 {
	i, ok := s.ids[id]
	if !ok {
		i = s.standFor(id)
		s.ids[id] = i
	}
	return i
}

// labelOf adds parameters up, since their order means nothing. A null counts as left out, and of a tie only that there is
// one: the id is noted, and stands for the node.
func (s *Structure) labelOf(i int, args []Param) uint64 {
	h := mixString(2, s.graph.Components[i].Type)
	for _, p := range args {
		switch {
		case p.Value.Kind() == Null:
		case refersTo(p.Name) && p.Value.Kind() == String:
			h += mixString(3, p.Name)
			if to := s.nodeOf(p.Value.Str()); to != ignored {
				s.ties = append(s.ties, tie{int32(i), to})
			}
		default:
			h += mix(mixString(4, p.Name), p.Value.hash())
		}
	}
	return h
}

// connect resolves the connections; those of notes count for nothing.
func (s *Structure) connect() {
	list := s.graph.Connections
	from, to := make([]int32, len(list)), make([]int32, len(list))
	for e := range list {
		from[e], to[e] = s.nodeOf(list[e].From), s.nodeOf(list[e].To)
		if from[e] == ignored || to[e] == ignored {
			from[e], to[e] = ignored, ignored
		}
	}
	n := len(s.graph.Components) + len(s.standIns)
	s.in = gatherEdges(n, to, from, new(arena.Of[int32]))
	reader := make([]int32, len(s.in.node))
	for i := range int32(n) {
		for k := s.in.start[i]; k < s.in.start[i+1]; k++ {
			reader[k] = i
		}
	}
	s.out = gatherEdges(n, s.in.node, reader, new(arena.Of[int32]))
}

// refine computes up along the connections and full against them. Nodes on or behind a cycle have no place in either order:
// there, everyone looks at the neighbours' last hashes a few times instead (Weisfeiler and Leman 1968).
func (s *Structure) refine() {
	s.order = peel(s.in, s.out, make([]int, 0, s.nodes))
	if s.against = slices.Clone(s.order); len(s.order) < s.nodes {
		s.against = peel(s.out, s.in, make([]int, 0, s.nodes))
	} else {
		slices.Reverse(s.against)
	}
	s.up = s.pass(s.order, s.label, s.upOf)
	s.full = s.pass(s.against, s.up, s.fullOf)
}

// refineTies adds to full what a node is tied to and what is tied to it. Ties have no direction that an order could follow.
func (s *Structure) refineTies() {
	node, to := make([]int32, len(s.ties)), make([]int32, len(s.ties))
	for k, t := range s.ties {
		node[k], to[k] = t.node, t.to
	}
	s.tied, s.users = gatherEdges(s.nodes, node, to, new(arena.Of[int32])), gatherEdges(s.nodes, to, node, new(arena.Of[int32]))
	full := slices.Clone(s.full)
	for _, t := range s.ties {
		full[t.node] += mix(7, s.full[t.to])
		full[t.to] += mix(8, s.full[t.node])
	}
	s.full = full
}

// rounds is how often nodes that no order reaches look at their neighbours.
const rounds = 4

// pass computes a hash for every node from its own beginning and the neighbours' hashes, in an order in which those come first.
func (s *Structure) pass(order []int, begin []uint64, of func(i int32, hashes []uint64) uint64) []uint64 {
	hashes := make([]uint64, s.nodes)
	for _, i := range order {
		hashes[i] = of(int32(i), hashes)
	}
	if len(order) == s.nodes {
		return hashes
	}
	reached := make([]bool, s.nodes)
	for _, i := range order {
		reached[i] = true
	}
	var rest []int32
	for i := range int32(s.nodes) {
		if !reached[i] {
			rest, hashes[i] = append(rest, i), begin[i]
		}
	}
	next := make([]uint64, len(rest))
	for range rounds {
		for k, i := range rest {
			next[k] = of(i, hashes)
		}
		for k, i := range rest {
			hashes[i] = next[k]
		}
	}
	return hashes
}

func (s *Structure) upOf(i int32, up []uint64) uint64 { return s.feeds(i, s.label[i], up) }

func (s *Structure) placeOf(i int32, place []uint64) uint64 { return s.feeds(i, s.full[i], place) }

// feeds hashes the inputs of a node, in their order.
func (s *Structure) feeds(i int32, begin uint64, hashes []uint64) uint64 {
	h := mix(begin, uint64(len(s.in.nodes(i))))
	for _, j := range s.in.nodes(i) {
		h = mix(h, hashes[j])
	}
	return h
}

func (s *Structure) fullOf(i int32, full []uint64) uint64 { return s.readBy(i, s.up[i], full) }

func (s *Structure) downOf(i int32, down []uint64) uint64 { return s.readBy(i, s.label[i], down) }

// readBy hashes the readers of a node, each with the places at which it reads. Readers are added up: they have no order.
func (s *Structure) readBy(i int32, begin uint64, hashes []uint64) uint64 {
	h := begin
	readers, at := s.out.nodes(i), s.out.edge[s.out.start[i]:]
	for k := 0; k < len(readers); {
		j := readers[k]
		one := mix(5, hashes[j])
		for ; k < len(readers) && readers[k] == j; k++ {
			one = mix(one, uint64(at[k]-s.in.start[j]))
		}
		h += one
	}
	return mix(h, 6)
}
