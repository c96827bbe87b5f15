package adversary

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// The limits of a graph over the network.
var mostComponents, mostConnections = graph.ServiceLimits.Components, graph.ServiceLimits.Connections

// mostKeys leaves room below the limit for the parameters that components have anyway.
var mostKeys = graph.ServiceLimits.Params - 6*graph.ServiceLimits.Components

// topology draws connections among so many components, as pairs of positions.
type topology struct {
	name  string
	edges func(n int) [][2]int
}

// topologies are those of hostile graphs.
var topologies = []topology{
	{"chain", func(n int) [][2]int { return each(n-1, func(i int) [2]int { return [2]int{i, i + 1} }) }},
	{"star", func(n int) [][2]int { return each(n-1, func(i int) [2]int { return [2]int{0, i + 1} }) }},
	{"sink", func(n int) [][2]int { return each(n-1, func(i int) [2]int { return [2]int{i, n - 1} }) }},
	{"hourglass", func(n int) [][2]int { // all read the first, the last reads all
		return append(each(n-2, func(i int) [2]int { return [2]int{0, i + 1} }), each(n-2, func(i int) [2]int { return [2]int{i + 1, n - 1} })...)
	}},
	{"comb", func(n int) [][2]int { // a chain, each component of which has a reader of its own
		return each(n-1, func(i int) [2]int { return [2]int{i / 2 * 2, i + 1} })
	}},
	{"residual", func(n int) [][2]int { // each reads the two before it
		return append(each(n-1, func(i int) [2]int { return [2]int{i, i + 1} }), each(n-2, func(i int) [2]int { return [2]int{i, i + 2} })...)
	}},
	{"dense", func(n int) [][2]int { // each reads all before it, as far as connections last
		var out [][2]int
		for j := 1; j < n; j++ {
			for i := range j {
				if len(out) == mostConnections {
					return out
				}
				out = append(out, [2]int{i, j})
			}
		}
		return out
	}},
	{"band", func(n int) [][2]int { // each reads the ten before it
		var out [][2]int
		for j := 1; j < n; j++ {
			for i := max(0, j-10); i < j && len(out) < mostConnections; i++ {
				out = append(out, [2]int{i, j})
			}
		}
		return out
	}},
	{"ladder", func(n int) [][2]int { // layers of a hundred, each of which reads ten of the layer before
		var out [][2]int
		for j := 100; j < n; j++ {
			for k := range 10 {
				if len(out) < mostConnections {
					out = append(out, [2]int{j/100*100 - 100 + (j*7+k*13)%100, j})
				}
			}
		}
		return out
	}},
	{"backwards", func(n int) [][2]int { return each(n-1, func(i int) [2]int { return [2]int{n - 1 - i, n - 2 - i} }) }},
	{"ring", func(n int) [][2]int { return each(n, func(i int) [2]int { return [2]int{i, (i + 1) % n} }) }},
	{"rings", func(n int) [][2]int { return each(n, func(i int) [2]int { return [2]int{i, i/2*2 + (i+1)%2} }) }},
	{"self", func(n int) [][2]int { return each(mostConnections, func(int) [2]int { return [2]int{0, 0} }) }},
	{"twice", func(n int) [][2]int {
		return each(mostConnections, func(i int) [2]int { return [2]int{0, min(1, n-1)} })
	}},
	{"nowhere", func(n int) [][2]int {
		return each(mostConnections, func(i int) [2]int { return [2]int{n + i, n + i + 1} })
	}},
	{"tree", func(n int) [][2]int { return each(n-1, func(i int) [2]int { return [2]int{i / 2, i + 1} }) }},
	{"none", func(int) [][2]int { return nil }},
}

func each(n int, edge func(i int) [2]int) [][2]int {
	var out [][2]int
	for i := range max(n, 0) {
		out = append(out, edge(i))
	}
	return out
}

// example is a component of a type as one of its examples has it, with the shape that arrives.
type example struct {
	shape  string
	typ    string
	params []graph.Param
}

// examples are the components of every type that its own examples show.
var examples = func() (out []example) {
	for _, t := range catalog.Types() {
		for _, e := range t.Examples {
			g, err := graph.Parse("x: " + t.ID + " " + e.Args)
			if err != nil {
				continue
			}
			shape, _, _ := strings.Cut(strings.TrimPrefix(e.In, "int"), " ")
			if shape == "" {
				shape = "[8]"
			}
			out = append(out, example{shape, t.ID, g.Components[0].Params})
		}
	}
	return out
}()

// Types are those that requests are made of.
func Types() []string {
	var out []string
	for _, e := range examples {
		if n := len(out); n == 0 || out[n-1] != e.typ {
			out = append(out, e.typ)
		}
	}
	return out
}

// model draws a graph of about a size.
func (d *draw) model(size int) string {
	n := pick(d, 3, 40, 200, mostComponents, mostComponents, mostComponents)
	t := pick(d, topologies...)
	edges := t.edges(n)
	kinds := d.kinds()
	w := d.weights(size-len(edges)*30, n, len(edges))
	var b strings.Builder
	b.WriteString(`{"components":[`)
	ids := make([]string, n)
	for i := range n {
		ids[i] = quote(strconv.Itoa(i) + w.id)
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(d.component(i, ids[i], kinds, w))
	}
	b.WriteString(`],"connections":[`)
	for i, e := range edges {
		if i > 0 {
			b.WriteByte(',')
		}
		name := func(k int) string {
			if k < n {
				return ids[k]
			}
			return quote(strconv.Itoa(k))
		}
		fmt.Fprintf(&b, `{"from":%s,"to":%s%s}`, name(e[0]), name(e[1]), w.edge)
	}
	return b.String() + "]" + w.graph + "}"
}

// kinds draws the types of a graph: the first is the input.
func (d *draw) kinds() []example {
	out := []example{pick(d, examples...)}
	for d.chance(2) && len(out) < 6 {
		out = append(out, pick(d, examples...))
	}
	if d.chance(2) {
		out = append(out, example{typ: "output"})
	}
	return out
}

// weights are the words that make a graph heavy.
type weights struct {
	id, name, typ, param, key, edge, graph, member string
	keys                                           int
}

// weights gives a size to a few of the places that take text.
func (d *draw) weights(size, n, edges int) weights {
	var w weights
	w.graph = `,"name":` + quote(d.word(d.IntN(20)))
	places := 1 + d.IntN(3)
	for range places {
		room := max(size/places, 0)
		switch share := room / n; d.IntN(9) {
		case 0:
			w.id = d.word(room / (n + 2*edges))
		case 1:
			w.name = d.word(share)
		case 2:
			w.typ = d.word(share)
		case 3:
			w.param = d.value(share)
		case 4:
			w.keys = min(pick(d, 1, 8, 100, 1000), mostKeys/n)
			w.key = d.word(share/w.keys - 8)
		case 5:
			w.edge = "," + quote(pick(d, "inferred", "note")) + ":" + quote(d.word(room/max(edges, 1)))
		case 6:
			w.graph = fmt.Sprintf(`,"name":%s,"config":%s`, quote(d.word(room/2)), d.object(room/2, 1024))
		case 7:
			w.member = "," + quote(pick(d, "scope", "as", "implementation", "x")) + ":" + quote(pick(d, "", "transformers.", "model.layers.0.")+d.word(share-20))
		default:
			w.graph = `,"config":` + configs[d.IntN(len(configs))](room)
		}
	}
	return w
}

// component draws one component.
func (d *draw) component(i int, id string, kinds []example, w weights) string {
	k := kinds[i%len(kinds)]
	var params []string
	typ := k.typ
	if i == 0 {
		typ = "input"
		params = append(params, `"shape":`+pick(d, k.shape, k.shape, k.shape, "[8]", list(min(d.items(), 199_000), func(int) string { return "1" })))
	} else {
		for _, p := range k.params {
			v := p.Value.String()
			if w.param != "" && d.chance(2) {
				v = w.param
			}
			params = append(params, quote(p.Name)+":"+v)
		}
	}
	for x := range w.keys {
		params = append(params, quote(fmt.Sprint("k", x, w.key))+":1")
	}
	out := fmt.Sprintf(`{"id":%s,"type":%s,"params":{%s}`, id, quote(typ+w.typ), strings.Join(params, ","))
	if w.name != "" {
		out += `,"name":` + quote(fmt.Sprint(w.name, i))
	}
	return out + strings.ReplaceAll(w.member, "layers.0", fmt.Sprint("layers.", i%50)) + "}"
}
