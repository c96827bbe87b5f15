package keras

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// modelConfig is what the description of a model says beside its layers.
type modelConfig struct {
	Name    string          `json:"name"`
	Layers  json.RawMessage `json:"layers"`
	Inputs  json.RawMessage `json:"input_layers"`
	Outputs json.RawMessage `json:"output_layers"`
	Built   json.RawMessage `json:"build_input_shape"`

	layers []object
	has    kinds
}

// kinds are what the layers of a model say about its inputs.
type kinds struct {
	embedding  bool
	dimensions [len(dimensions)]bool // of pictures of so many axes
}

const inputLayer = "InputLayer"

// model translates a model that is given its inputs by the one around it, or has its own, and returns its results.
func (t *translation) model(m *object, given []tensor) ([]tensor, error) {
	if t.nested++; t.nested > maxNested {
		return nil, fmt.Errorf("has models inside each other, more than %d deep", maxNested)
	}
	defer func() { t.nested-- }()
	c := m.model
	if c == nil {
		c = &modelConfig{}
	}
	if m.model == nil && !t.parse(m.Config, c) || !t.readLayers(c) {
		if t.over != nil {
			return nil, t.over
		}
		return nil, fmt.Errorf("config of %s must have a list named layers", graph.Brief(m.Class))
	}
	if t.graph.Name == "" {
		t.graph.Name = c.Name
	}
	if m.Class == sequential {
		return t.chain(c, given)
	}
	return t.functional(c, given)
}

// readLayers reads the layers of a model, and reports whether there is a list of them.
func (t *translation) readLayers(c *modelConfig) bool {
	list, ok := t.items(c.Layers)
	if !ok {
		return false
	}
	c.layers, c.has = nil, kinds{}
	for raw := range list {
		var l object
		t.called(1)
		if !t.readLayer(raw, &l) {
			return false
		}
		c.has.embedding = c.has.embedding || l.Class == "Embedding"
		for n, ending := range dimensions {
			c.has.dimensions[n] = c.has.dimensions[n] || strings.HasSuffix(l.Class, ending)
		}
		c.layers = append(c.layers, l)
	}
	return true
}

// readLayer reads a layer, with the name that Keras writes beside its config or in it.
func (t *translation) readLayer(raw json.RawMessage, l *object) bool {
	if !t.parse(raw, l) {
		return false
	}
	l.Class = t.name(l.Class)
	if l.name = t.name(l.Name); l.name != "" {
		return t.over == nil
	}
	if isModel(l.Class) {
		c := &modelConfig{}
		if t.parse(l.Config, c) {
			l.model, l.name = c, t.name(c.Name)
		}
	} else if t.parse(l.Config, &l.config) {
		l.name = t.name((&call{translation: t, config: l.config}).word("name", ""))
	}
	return t.over == nil
}

// chain is a Sequential model: each layer reads the one before.
func (t *translation) chain(c *modelConfig, given []tensor) ([]tensor, error) {
	x := given
	for i := range c.layers {
		l := &c.layers[i]
		if l.Class == inputLayer {
			if len(given) == 0 {
				x = []tensor{t.input(l, c.has)}
			}
			continue
		}
		if len(x) == 0 { // a layer of Keras 2 may say what arrives, or the model what it was built for
			x = []tensor{t.implied(c, l)}
		}
		out, err := t.use(l, x, nil, "", nil)
		if err != nil || t.over != nil {
			return nil, cmp.Or(err, t.over)
		}
		x = out
	}
	return x, nil
}

// implied is the input of a model without an InputLayer.
func (t *translation) implied(c *modelConfig, l *object) tensor {
	made := object{Class: inputLayer, name: "input"}
	var own struct {
		Batch json.RawMessage `json:"batch_input_shape"`
	}
	shape := c.Built
	if t.parse(l.Config, &own) && own.Batch != nil {
		shape = own.Batch
	} else if shape == nil {
		shape = l.Build.InputShape
	}
	if shape == nil {
		shape = json.RawMessage("null")
	}
	made.Config, _ = json.Marshal(map[string]json.RawMessage{"batch_shape": shape}) // raw JSON cannot fail to be written
	return t.input(&made, c.has)
}

// shaped says of an open layer the shape that another says arrives from it.
func (t *translation) shaped(x tensor) {
	i, ok := t.at[x.id]
	if !ok || t.graph.Components[i].Type != "customModule" || slices.Contains(x.shape, 0) {
		return
	}
	c := &t.graph.Components[i]
	if _, given := c.Param("outShape"); !given {
		c.SetParam("outShape", graph.IntsValue(x.shape...))
	}
}

// use calls a layer, or a model inside of the model.
func (t *translation) use(l *object, in []tensor, kwargs map[string]json.RawMessage, same string, built []int64) ([]tensor, error) {
	if isModel(l.Class) {
		if same != "" {
			c := &call{translation: t, name: l.name, class: l.Class, in: in}
			return []tensor{c.open("a model that is called a second time")}, nil
		}
		return t.model(l, in)
	}
	c := &call{translation: t, name: l.name, class: l.Class, kwargs: kwargs, in: in, same: same, built: built}
	if c.name == "" {
		c.name = l.Class
	}
	if l.config == nil && !t.parse(l.Config, &l.config) { // once for all calls
		return nil, cmp.Or(t.over, fmt.Errorf("layer %s has no config", graph.Brief(c.name)))
	}
	c.config = l.config
	return []tensor{c.translate()}, nil
}
