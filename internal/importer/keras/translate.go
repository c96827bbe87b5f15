package keras

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// tensor is the result of a component. Its shape is Keras', without the batch and with the channels last; nil where it is not known. Where first holds,
// the component gives it with the channels in front, as PyTorch's layers of pictures take it.
type tensor struct {
	id    string
	shape []int64
	first bool
}

func (x tensor) channels() int64 { return x.shape[len(x.shape)-1] }

type translation struct {
	bounds
	graph *graph.Graph
	opt   Options
	taken map[string]bool
	next  map[string]int // the number that a name is tried with next
	at    map[string]int // components, by their ids
	order []string
	about map[string][]string
}

// note says something about a layer, each sentence once with the layers that it is about.
func (t *translation) note(layer, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if t.about == nil {
		t.about = map[string][]string{}
	}
	if _, said := t.about[text]; !said {
		t.order = append(t.order, text)
	}
	t.about[text] = append(t.about[text], layer)
}

// mostNamed is how many layers a note names before it counts the rest.
const mostNamed = 3

func (t *translation) lines() []string {
	out := make([]string, 0, len(t.order))
	for _, text := range t.order {
		who := t.about[text]
		named := strings.Join(who[:min(mostNamed, len(who))], ", ")
		if rest := len(who) - mostNamed; rest > 0 {
			named += " and " + strconv.Itoa(rest) + " others"
		}
		out = append(out, named+": "+text)
	}
	return out
}

// unique is a name that no component has yet.
func (t *translation) unique(name string) string {
	id := name
	for n := max(t.next[name], 2); t.taken[id]; n++ {
		id = name + "_" + strconv.Itoa(n)
		t.next[name] = n + 1
	}
	t.taken[id] = true
	return id
}

func (t *translation) connect(from, to string) {
	t.graph.Connections = append(t.graph.Connections, graph.Connection{From: from, To: to})
}

// add puts a component behind others.
func (t *translation) add(name, typ string, params []graph.Param, shape []int64, first bool, in ...tensor) tensor {
	id := t.unique(name)
	if t.made(len(t.graph.Components)+1, len(in), shape, params); t.over != nil {
		return tensor{id, shape, first}
	}
	t.at[id] = len(t.graph.Components)
	t.graph.Components = append(t.graph.Components, graph.Component{ID: id, Type: typ, Params: params})
	for _, x := range in {
		t.connect(x.id, id)
	}
	return tensor{id, shape, first}
}

// asFirst is a tensor with the channels in front, asKeras one with them last: an axis is moved where they lie otherwise. Tensors of one axis, and of
// shapes that are not known, lie as they are.
func (t *translation) asFirst(x tensor) tensor {
	if x.first || len(x.shape) < 2 {
		return x
	}
	dims := []int64{0, int64(len(x.shape))}
	for i := 1; i < len(x.shape); i++ {
		dims = append(dims, int64(i))
	}
	return t.add(x.id+"_channels_first", "permute", []graph.Param{ints("dims", dims...)}, x.shape, true, x)
}

func (t *translation) asKeras(x tensor) tensor {
	if !x.first || len(x.shape) < 2 {
		return x
	}
	dims := []int64{0}
	for i := 2; i <= len(x.shape); i++ {
		dims = append(dims, int64(i))
	}
	return t.add(x.id+"_channels_last", "permute", []graph.Param{ints("dims", append(dims, 1)...)}, x.shape, false, x)
}

func ints(name string, n ...int64) graph.Param {
	return graph.Param{Name: name, Value: graph.IntsValue(n...)}
}
func number(name string, n int64) graph.Param {
	return graph.Param{Name: name, Value: graph.IntValue(n)}
}
func truth(name string, b bool) graph.Param {
	return graph.Param{Name: name, Value: graph.BoolValue(b)}
}
func word(name, s string) graph.Param { return graph.Param{Name: name, Value: graph.StringValue(s)} }

// call is one use of a layer.
type call struct {
	*translation
	name   string
	class  string
	config map[string]json.RawMessage
	kwargs map[string]json.RawMessage
	in     []tensor
	built  []int64 // the shape that the description says arrives
	same   string  // id of the component whose weights it uses once more
}

// open is a layer of which neither weights nor cost are known. Its shape is filled in by who reads its result and says what arrives.
func (c *call) open(why string) tensor {
	c.note(c.name, "stays open: %s", why)
	return c.add(c.name, "customModule", []graph.Param{word("unread", c.class+": "+why)}, nil, false, c.in...)
}

// put adds the component of the layer with one input, which keeps its place of the channels.
func (c *call) put(typ string, shape []int64, x tensor, params ...graph.Param) tensor {
	if c.same != "" && typ != "permute" {
		params = append(params, word("sameAs", c.same))
	}
	return c.add(c.name, typ, params, shape, x.first, x)
}

func (c *call) int(name string, otherwise int64) int64 {
	var n int64
	if raw, ok := c.config[name]; !ok || !c.parse(raw, &n) {
		return otherwise
	}
	return n
}

func (c *call) float(name string, otherwise float64) float64 {
	var f float64
	if raw, ok := c.config[name]; !ok || string(raw) == "null" || !c.parse(raw, &f) {
		return otherwise
	}
	return f
}

func (c *call) bool(name string, otherwise bool) bool {
	var b bool
	if raw, ok := c.config[name]; !ok || !c.parse(raw, &b) {
		return otherwise
	}
	return b
}

func (c *call) word(name, otherwise string) string {
	var s string
	if raw, ok := c.config[name]; !ok || !c.parse(raw, &s) || c.bounds.name(s) == "" {
		return otherwise
	}
	return s
}

// dims is a number for each of n axes: a list, or one number for all.
func (c *call) dims(name string, n int, otherwise int64) []int64 {
	var list []int64
	if raw := c.config[name]; c.parse(raw, &list) && len(list) == n {
		return list
	}
	one := c.int(name, otherwise)
	if len(list) == 1 {
		one = list[0]
	}
	return slices.Repeat([]int64{one}, n)
}
