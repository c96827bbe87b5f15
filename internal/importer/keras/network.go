package keras

import (
	"container/heap"
	"encoding/json"
	"fmt"

	"github.com/modelverifier/verifier/internal/graph"
)

// network is a functional model whose layers are being called.
type network struct {
	*translation
	results map[place]tensor
	first   map[string]string // id of what the first call of a layer gave
	calls   []pending
	waiting map[place][]int // calls, by the first result that is not there yet
	next    turns
}

// pending is a call of a layer that is still to be made.
type pending struct {
	layer *object
	node  int
	use
	there int // of what it reads, in order
	done  bool
}

// turn is when a call is looked at. Layers stand in the order in which they were made, and are gone over again and again until all are
// called: one that waits for a later one has its turn in the next round.
type turn struct{ round, call int }

// turns are those that are to come, a heap.
type turns []turn

func (t turns) Len() int      { return len(t) }
func (t turns) Swap(i, j int) { t[i], t[j] = t[j], t[i] }
func (t turns) Less(i, j int) bool {
	return t[i].round < t[j].round || t[i].round == t[j].round && t[i].call < t[j].call
}
func (t *turns) Push(x any) { *t = append(*t, x.(turn)) }
func (t *turns) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

// functional is a graph of layers, in the order in which they can be called.
func (t *translation) functional(c *modelConfig, given []tensor) ([]tensor, error) {
	n := &network{translation: t, results: map[place]tensor{}, first: map[string]string{}, waiting: map[place][]int{}}
	if err := n.inputs(c, given); err != nil {
		return nil, err
	}
	for i := range c.layers {
		if c.layers[i].Class == inputLayer {
			continue
		}
		for k, u := range t.usesOf(c.layers[i].Inbound) {
			n.next = append(n.next, turn{0, len(n.calls)}) // sorted, and so a heap
			n.calls = append(n.calls, pending{layer: &c.layers[i], node: k, use: u})
		}
	}
	for len(n.next) > 0 && t.over == nil {
		if err := n.take(heap.Pop(&n.next).(turn)); err != nil {
			return nil, err
		}
	}
	if t.over != nil {
		return nil, t.over
	}
	for i := range n.calls {
		if !n.calls[i].done {
			return nil, fmt.Errorf("layer %s reads what no layer gives", graph.Brief(n.calls[i].layer.name))
		}
	}
	var out []tensor
	for _, p := range t.placesOf(c.Outputs, 0) {
		x, ok := n.results[p]
		if !ok {
			return nil, fmt.Errorf("output_layers names %s, which no layer gives", graph.Brief(p.layer))
		}
		out = append(out, x)
	}
	return out, nil
}

// inputs are those of the model itself, or what the model around it gives.
func (n *network) inputs(c *modelConfig, given []tensor) error {
	order := map[string]int{}
	for i, p := range n.placesOf(c.Inputs, 0) {
		if _, twice := order[p.layer]; !twice {
			order[p.layer] = i
		}
	}
	for i := range c.layers {
		l := &c.layers[i]
		if l.name == "" {
			return fmt.Errorf("layer %d has no name", i)
		}
		if l.Class != inputLayer {
			continue
		}
		at, named := order[l.name]
		switch {
		case given == nil:
			n.results[place{layer: l.name}] = n.input(l, c.has)
		case named && at < len(given):
			n.results[place{layer: l.name}] = given[at]
		}
	}
	return nil
}

// take calls a layer if all that the call reads is there.
func (n *network) take(now turn) error {
	p := &n.calls[now.call]
	if from, missing := n.missing(p); missing {
		n.waiting[from] = append(n.waiting[from], now.call)
		return nil
	}
	in := make([]tensor, len(p.from))
	for k, from := range p.from {
		in[k] = n.results[from]
	}
	var built []int64
	if len(p.shapes) > 0 {
		built = p.shapes[0]
	}
	p.done = true
	name := p.layer.name
	out, err := n.use(p.layer, in, p.kwargs, n.first[name], built)
	if err != nil {
		return err
	}
	for k, x := range out {
		at := place{name, p.node, k}
		n.results[at] = x
		if n.first[name] == "" {
			n.first[name] = x.id
		}
		n.wake(at, now)
	}
	return nil
}

// missing is the first that a call reads and that is not there yet. Of what is not known it says the shape that the call expects.
func (n *network) missing(p *pending) (from place, missing bool) {
	for ; p.there < len(p.from); p.there++ {
		from := p.from[p.there]
		x, ok := n.results[from]
		if !ok {
			return from, true
		}
		if shape := p.shapes[p.there]; x.shape == nil && shape != nil {
			x.shape = shape
			n.shaped(x)
			n.results[from] = x
		}
	}
	return from, false
}

// wake gives calls their turn that waited for a result: behind its own in this round, before it in the next.
func (n *network) wake(at place, now turn) {
	for _, call := range n.waiting[at] {
		next := turn{now.round, call}
		if call < now.call {
			next.round++
		}
		heap.Push(&n.next, next)
	}
	delete(n.waiting, at)
}

// place is a result of a call of a layer.
type place struct {
	layer        string
	node, result int
}

// use is a call in the description: what it reads, and what shapes that has, where it says so.
type use struct {
	from   []place
	shapes [][]int64
	kwargs map[string]json.RawMessage
}

// placesOf reads ["name",0,0], or a list of such.
func (t *translation) placesOf(raw json.RawMessage, depth int) []place {
	if p, ok := t.placeOf(raw); ok {
		return []place{p}
	}
	if depth > maxLists {
		t.refuse("has lists in lists more than %d deep where a layer names what it reads", maxLists)
	}
	list, ok := t.items(raw)
	if !ok || t.over != nil {
		return nil
	}
	var out []place
	for one := range list {
		if out = append(out, t.placesOf(one, depth+1)...); t.over != nil {
			return nil
		}
	}
	return out
}

func (t *translation) placeOf(raw json.RawMessage) (p place, ok bool) {
	if len(raw) < 2 || raw[0] != '[' || trim(raw[1:])[0] != '"' { // a list of places, or none
		return p, false
	}
	list, ok := t.items(raw)
	if !ok {
		return p, false
	}
	parts := make([]json.RawMessage, 0, 3)
	for part := range list {
		if parts = append(parts, part); len(parts) == 3 {
			break
		}
	}
	if len(parts) < 3 || !t.parse(parts[0], &p.layer) {
		return p, false
	}
	node, ok := number64(parts[1])
	result, also := number64(parts[2])
	p.node, p.result = int(node), int(result)
	return p, ok && also && t.place()
}

// usesOf reads the calls of a layer: those of Keras 3 are objects with arguments, those of Keras 2 lists of places.
func (t *translation) usesOf(raw json.RawMessage) []use {
	nodes, ok := t.items(raw)
	if !ok {
		return nil
	}
	var out []use
	for n := range nodes {
		if len(out) > 0 { // the first is counted as the layer
			t.called(1)
		}
		if t.over != nil {
			return nil
		}
		var named struct {
			Args   json.RawMessage            `json:"args"`
			Kwargs map[string]json.RawMessage `json:"kwargs"`
		}
		if n[0] == '{' && t.parse(n, &named) && named.Args != nil {
			u := use{kwargs: named.Kwargs}
			t.collect(&u, named.Args, 0)
			for _, name := range []string{"query", "value", "key"} { // attention may be given them by name
				t.collect(&u, named.Kwargs[name], 0)
			}
			out = append(out, u)
			continue
		}
		u := use{from: t.placesOf(n, 0)}
		u.shapes = make([][]int64, len(u.from))
		out = append(out, u)
	}
	return out
}

// collect finds the tensors in the arguments of a call.
func (t *translation) collect(u *use, raw json.RawMessage, depth int) {
	if depth > maxLists || len(raw) == 0 || t.over != nil {
		return
	}
	if list, ok := t.items(raw); ok {
		for one := range list {
			t.collect(u, one, depth+1)
		}
		return
	}
	var k struct {
		Class  string `json:"class_name"`
		Config struct {
			Shape   json.RawMessage `json:"shape"`
			History json.RawMessage `json:"keras_history"`
		} `json:"config"`
	}
	const shortest = len(`{"class_name":"__keras_tensor__"}`)
	if raw[0] != '{' || len(raw) < shortest || !t.parse(raw, &k) || k.Class != "__keras_tensor__" {
		return
	}
	if p, ok := t.placeOf(k.Config.History); ok {
		shape, _ := t.shapeOf(k.Config.Shape)
		u.from, u.shapes = append(u.from, p), append(u.shapes, shape)
	}
}
