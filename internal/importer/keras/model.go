package keras

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
)

// modelConfig is what the description of a model says beside its layers.
type modelConfig struct {
	Name    string          `json:"name"`
	Layers  []object        `json:"layers"`
	Inputs  json.RawMessage `json:"input_layers"`
	Outputs json.RawMessage `json:"output_layers"`
	Built   json.RawMessage `json:"build_input_shape"`
}

// model translates a model that is given its inputs by the one around it, or has its own, and returns its results.
func (t *translation) model(m *object, given []tensor) ([]tensor, error) {
	var c modelConfig
	if err := json.Unmarshal(m.Config, &c); err != nil || c.Layers == nil {
		return nil, fmt.Errorf("config of %s must have a list named layers", m.Class)
	}
	if t.layers += len(c.Layers); t.layers > maxLayers {
		return nil, fmt.Errorf("has more than %d layers", maxLayers)
	}
	if t.graph.Name == "" {
		t.graph.Name = c.Name
	}
	if m.Class == sequential {
		return t.chain(&c, given)
	}
	return t.functional(&c, given)
}

// chain is a Sequential model: each layer reads the one before.
func (t *translation) chain(c *modelConfig, given []tensor) ([]tensor, error) {
	x := given
	for i := range c.Layers {
		l := &c.Layers[i]
		if l.Class == "InputLayer" {
			if len(given) == 0 {
				x = []tensor{t.input(l, c.Layers)}
			}
			continue
		}
		if len(x) == 0 { // a layer of Keras 2 may say what arrives, or the model what it was built for
			x = []tensor{t.implied(c, l)}
		}
		out, err := t.use(l, x, nil, "", nil)
		if err != nil {
			return nil, err
		}
		x = out
	}
	return x, nil
}

// implied is the input of a model without an InputLayer.
func (t *translation) implied(c *modelConfig, l *object) tensor {
	made := object{Class: "InputLayer", Name: "input"}
	var own struct {
		Batch json.RawMessage `json:"batch_input_shape"`
	}
	shape := c.Built
	if json.Unmarshal(l.Config, &own) == nil && own.Batch != nil {
		shape = own.Batch
	} else if shape == nil {
		shape = l.Build.InputShape
	}
	if shape == nil {
		shape = json.RawMessage("null")
	}
	made.Config, _ = json.Marshal(map[string]json.RawMessage{"batch_shape": shape}) // raw JSON cannot fail to be written
	return t.input(&made, c.Layers)
}

// network is a functional model whose layers are being called.
type network struct {
	*translation
	results map[place]tensor
	first   map[string]string // id of what the first call of a layer gave
}

// pending is a call of a layer that is still to be made.
type pending struct {
	layer *object
	node  int
	use
}

// functional is a graph of layers, in the order in which they can be called.
func (t *translation) functional(c *modelConfig, given []tensor) ([]tensor, error) {
	n := &network{t, map[place]tensor{}, map[string]string{}}
	if err := n.inputs(c, given); err != nil {
		return nil, err
	}
	var left []pending
	for i := range c.Layers {
		for k, u := range usesOf(c.Layers[i].Inbound) {
			if c.Layers[i].Class != "InputLayer" {
				left = append(left, pending{&c.Layers[i], k, u})
			}
		}
	}
	for len(left) > 0 { // layers stand in the order in which they were made, which is nearly always that of the calls
		rest := left[:0:0]
		for _, p := range left {
			in, ready := n.arrives(&p)
			if !ready {
				rest = append(rest, p)
				continue
			}
			if err := n.called(&p, in); err != nil {
				return nil, err
			}
		}
		if len(rest) == len(left) {
			return nil, fmt.Errorf("layer %s reads what no layer gives", left[0].layer.name())
		}
		left = rest
	}
	var out []tensor
	for _, p := range placesOf(c.Outputs) {
		x, ok := n.results[p]
		if !ok {
			return nil, fmt.Errorf("output_layers names %s, which no layer gives", p.layer)
		}
		out = append(out, x)
	}
	return out, nil
}

// inputs are those of the model itself, or what the model around it gives.
func (n *network) inputs(c *modelConfig, given []tensor) error {
	order := placesOf(c.Inputs)
	for i := range c.Layers {
		l := &c.Layers[i]
		if l.name() == "" {
			return fmt.Errorf("layer %d has no name", i)
		}
		if l.Class != "InputLayer" {
			continue
		}
		at := slices.IndexFunc(order, func(p place) bool { return p.layer == l.name() })
		switch {
		case given == nil:
			n.results[place{layer: l.name()}] = n.input(l, c.Layers)
		case at >= 0 && at < len(given):
			n.results[place{layer: l.name()}] = given[at]
		}
	}
	return nil
}

// arrives is what a call reads, and whether all of it is there. Of what is not known it says the shape that the call expects.
func (n *network) arrives(p *pending) ([]tensor, bool) {
	in := make([]tensor, len(p.from))
	for k, from := range p.from {
		x, ok := n.results[from]
		if !ok {
			return nil, false
		}
		if x.shape == nil && p.shapes[k] != nil {
			x.shape = p.shapes[k]
			n.shaped(x)
			n.results[from] = x
		}
		in[k] = x
	}
	return in, true
}

func (n *network) called(p *pending, in []tensor) error {
	var built []int64
	if len(p.shapes) > 0 {
		built = p.shapes[0]
	}
	name := p.layer.name()
	out, err := n.use(p.layer, in, p.kwargs, n.first[name], built)
	if err != nil {
		return err
	}
	for k, x := range out {
		n.results[place{name, p.node, k}] = x
		if n.first[name] == "" {
			n.first[name] = x.id
		}
	}
	return nil
}

// shaped says of an open layer the shape that another says arrives from it.
func (t *translation) shaped(x tensor) {
	for i := range t.graph.Components {
		c := &t.graph.Components[i]
		if c.ID != x.id || c.Type != "customModule" || slices.Contains(x.shape, 0) {
			continue
		}
		if _, given := c.Param("outShape"); !given {
			c.SetParam("outShape", graph.IntsValue(x.shape...))
		}
	}
}

// use calls a layer, or a model inside of the model.
func (t *translation) use(l *object, in []tensor, kwargs map[string]json.RawMessage, same string, built []int64) ([]tensor, error) {
	if isModel(l.Class) {
		if same != "" {
			c := &call{translation: t, name: l.name(), class: l.Class, in: in}
			return []tensor{c.open("a model that is called a second time")}, nil
		}
		return t.model(l, in)
	}
	c := &call{translation: t, name: l.name(), class: l.Class, kwargs: kwargs, in: in, same: same, built: built}
	if c.name == "" {
		c.name = l.Class
	}
	if json.Unmarshal(l.Config, &c.config) != nil {
		return nil, fmt.Errorf("layer %s has no config", c.name)
	}
	return []tensor{c.translate()}, nil
}

// name is that of the layer, which Keras writes beside its config or in it.
func (l *object) name() string {
	if l.Name != "" {
		return l.Name
	}
	var c struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(l.Config, &c) != nil {
		return ""
	}
	return c.Name
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
func placesOf(raw json.RawMessage) []place {
	if p, ok := placeOf(raw); ok {
		return []place{p}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var out []place
	for _, one := range list {
		out = append(out, placesOf(one)...)
	}
	return out
}

func placeOf(raw json.RawMessage) (place, bool) {
	var list []json.RawMessage
	var p place
	if json.Unmarshal(raw, &list) != nil || len(list) < 3 || json.Unmarshal(list[0], &p.layer) != nil {
		return p, false
	}
	ok := json.Unmarshal(list[1], &p.node) == nil && json.Unmarshal(list[2], &p.result) == nil
	return p, ok
}

// usesOf reads the calls of a layer: those of Keras 3 are objects with arguments, those of Keras 2 lists of places.
func usesOf(raw json.RawMessage) []use {
	var nodes []json.RawMessage
	if json.Unmarshal(raw, &nodes) != nil {
		return nil
	}
	var out []use
	for _, n := range nodes {
		var named struct {
			Args   json.RawMessage            `json:"args"`
			Kwargs map[string]json.RawMessage `json:"kwargs"`
		}
		if json.Unmarshal(n, &named) == nil && named.Args != nil {
			u := use{kwargs: named.Kwargs}
			u.collect(named.Args, 0)
			for _, name := range []string{"query", "value", "key"} { // attention may be given them by name
				u.collect(named.Kwargs[name], 0)
			}
			out = append(out, u)
			continue
		}
		u := use{from: placesOf(n)}
		u.shapes = make([][]int64, len(u.from))
		out = append(out, u)
	}
	return out
}

// mostNested bounds how deep tensors lie in the arguments of a call.
const mostNested = 8

// collect finds the tensors in the arguments of a call.
func (u *use) collect(raw json.RawMessage, depth int) {
	var list []json.RawMessage
	if depth > mostNested || len(raw) == 0 {
		return
	}
	if json.Unmarshal(raw, &list) == nil {
		for _, one := range list {
			u.collect(one, depth+1)
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
	if json.Unmarshal(raw, &k) != nil || k.Class != "__keras_tensor__" {
		return
	}
	if p, ok := placeOf(k.Config.History); ok {
		shape, _ := shapeOf(k.Config.Shape)
		u.from, u.shapes = append(u.from, p), append(u.shapes, shape)
	}
}
