package graph

import "github.com/modelverifier/verifier/internal/arena"

// Wiring is the graph by position: who feeds whom, and the order in which components run.
type Wiring struct {
	// Order is that of execution, notes first: every other component comes after its inputs. Components on or behind a cycle
	// are not in it.
	Order []int
	// Cyclic lists the components that lie on a cycle, in the order of the list.
	Cyclic []int
	// Duplicates lists the components whose id an earlier one has. They are not wired.
	Duplicates []int
	// Dangling lists the connections with an endpoint that no component has.
	Dangling []int

	in, out   half
	unsettled bool // the list decided which end is first
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
func (g *Graph) Wire() *Wiring { return new(WiringRoom).Wire(g) }

// WiringRoom is the memory of wirings, one after the other. The zero value is ready.
type WiringRoom struct {
	ends  arena.Of[int32]
	order arena.Of[int]
}

// Clear takes the wiring back, and leaves nothing of it.
func (r *WiringRoom) Clear() {
	r.ends.Clear()
	r.order.Clear()
}

// Wire resolves the connections of a graph. What it returns is good until the room is cleared.
func (r *WiringRoom) Wire(g *Graph) *Wiring {
	w, n, edges := &Wiring{}, len(g.Components), len(g.Connections)
	at := g.positions(w)
	r.ends.Reserve(2*edges + 2*(2*n+1+2*edges))
	from, to := r.ends.Make(edges), r.ends.Make(edges)
	for e := range g.Connections {
		f, t := at(g.Connections[e].From), at(g.Connections[e].To)
		if f < 0 || t < 0 {
			w.Dangling = append(w.Dangling, e)
			f, t = -1, -1
		}
		from[e], to[e] = f, t
	}
	w.in, w.out = gatherEdges(n, to, from, &r.ends), gatherEdges(n, from, to, &r.ends)
	w.Order = peel(w.in, w.out, r.order.Make(n)[:0])
	w.unsettled = w.execute(g, nil, r)
	if len(w.Order) < n {
		w.Cyclic = onCycles(w.out, w.Order)
	}
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
func gatherEdges(n int, near, far []int32, room *arena.Of[int32]) half {
	room.Reserve(2*n + 1 + 2*len(near))
	h := half{start: room.Make(n + 1)}
	for _, i := range near {
		if i >= 0 {
			h.start[i+1]++
		}
	}
	for i := range n {
		h.start[i+1] += h.start[i]
	}
	wired := int(h.start[n])
	h.edge, h.node = room.Make(wired), room.Make(wired)
	next := room.Make(n)
	copy(next, h.start)
	for e, i := range near {
		if i >= 0 {
			h.edge[next[i]], h.node[next[i]] = int32(e), far[e]
			next[i]++
		}
	}
	return h
}
