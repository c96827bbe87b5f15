package graph

// Wiring is the graph by position: who feeds whom, and an order in which every component comes after its inputs.
type Wiring struct {
	// Order is topological: of the components whose inputs have all come, the first in the list is next. A list that is in
	// order already stays as it is. Components on or behind a cycle are not in it.
	Order []int
	// Cyclic lists the components that lie on a cycle, in the order of the list.
	Cyclic []int
	// Duplicates lists the components whose id an earlier one has. They are not wired.
	Duplicates []int
	// Dangling lists the connections with an endpoint that no component has.
	Dangling []int

	in, out half
}

// half holds one direction of the connections as one array with a start for every component.
type half struct {
	start []int32
	edge  []int32 // connection indices
	node  []int32 // the component at the other end
}

func (h *half) count() int            { return len(h.start) - 1 }
func (h *half) nodes(i int32) []int32 { return h.node[h.start[i]:h.start[i+1]] }

// Inputs returns the components that feed component i, in connection order.
func (w *Wiring) Inputs(i int) []int32 { return w.in.node[w.in.start[i]:w.in.start[i+1]] }

// InputEdges returns the connections into component i.
func (w *Wiring) InputEdges(i int) []int32 { return w.in.edge[w.in.start[i]:w.in.start[i+1]] }

// Outputs returns the components that read component i, in connection order.
func (w *Wiring) Outputs(i int) []int32 { return w.out.node[w.out.start[i]:w.out.start[i+1]] }

// Wire resolves the connections.
func (g *Graph) Wire() *Wiring {
	w := &Wiring{}
	at := g.positions(w)
	ends := make([]int32, 2*len(g.Connections))
	from, to := ends[:len(g.Connections)], ends[len(g.Connections):]
	for e := range g.Connections {
		f, t := at(g.Connections[e].From), at(g.Connections[e].To)
		if f < 0 || t < 0 {
			w.Dangling = append(w.Dangling, e)
			f, t = -1, -1
		}
		from[e], to[e] = f, t
	}
	w.in, w.out = gatherEdges(len(g.Components), to, from), gatherEdges(len(g.Components), from, to)
	w.order(len(g.Components))
	return w
}

// fewComponents is how many are searched one by one, which is quicker than a table.
const fewComponents = 16

// positions finds the duplicates, and returns a function that gives the position of the first component with an id, or -1.
func (g *Graph) positions(w *Wiring) func(id string) int32 {
	if len(g.Components) <= fewComponents {
		at := func(id string) int32 {
			for i := range g.Components {
				if g.Components[i].ID == id {
					return int32(i)
				}
			}
			return -1
		}
		for i := range g.Components {
			if at(g.Components[i].ID) < int32(i) {
				w.Duplicates = append(w.Duplicates, i)
			}
		}
		return at
	}
	index := make(map[string]int32, len(g.Components))
	for i := range g.Components {
		id := g.Components[i].ID
		if _, taken := index[id]; taken {
			w.Duplicates = append(w.Duplicates, i)
			continue
		}
		index[id] = int32(i)
	}
	return func(id string) int32 {
		if i, found := index[id]; found {
			return i
		}
		return -1
	}
}

// gatherEdges groups connections by their near end, keeping their order.
func gatherEdges(n int, near, far []int32) half {
	room := make([]int32, 2*n+1+2*len(near))
	take := func(size int) []int32 {
		part := room[:size:size]
		room = room[size:]
		return part
	}
	h := half{start: take(n + 1)}
	for _, i := range near {
		if i >= 0 {
			h.start[i+1]++
		}
	}
	for i := range n {
		h.start[i+1] += h.start[i]
	}
	h.edge, h.node = take(int(h.start[n])), take(int(h.start[n]))
	next := take(n)
	copy(next, h.start)
	for e, i := range near {
		if i >= 0 {
			h.edge[next[i]], h.node[next[i]] = int32(e), far[e]
			next[i]++
		}
	}
	return h
}

// order fills in Order and Cyclic.
func (w *Wiring) order(n int) {
	w.Order = peel(w.in, w.out)
	if len(w.Order) < n {
		w.Cyclic = onCycles(w.out, w.Order)
	}
}
