package neurarch

import (
	"encoding/json"
	"strconv"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// openType is the type of a component that is not known.
const openType = "customModule"

// translation is a file on its way to a graph of ours: everything that follows from the file alone, and no shape.
type translation struct {
	graph  *graph.Graph
	notes  notes
	keeps  map[string]bool // open components whose result has the shape of their input, by id
	hints  map[string][]int64
	walked int // components, by all readings together
}

func translate(file *graph.Graph) *translation {
	t := &translation{graph: file.Clone(), keeps: map[string]bool{}, hints: map[string][]int64{}}
	t.graph.Extra = nil
	for _, m := range file.Extra {
		if m.Name != "config" { // an importer of ours writes that one, and estimates read it
			t.graph.Extra = append(t.graph.Extra, m)
		}
	}
	for i := range t.graph.Components {
		t.component(&t.graph.Components[i])
	}
	t.graph.Normalize(catalog.Vocabulary)
	for i := range t.graph.Components {
		c := &t.graph.Components[i]
		t.strings(c)
		t.unread(c)
	}
	t.withoutInput()
	t.several()
	t.pooled()
	t.ties()
	return t
}

// component translates the type and the parameters of one component.
func (t *translation) component(c *graph.Component) {
	if shape, ok := shapeOf(member(c, "outputShape")); ok && c.ID != "" {
		t.hints[c.ID] = shape
	}
	e, ok := entries[c.Type]
	t.inputShape(c)
	c.Extra = without(c.Extra, inputsMember, outputsMember, "inputShape", "outputShape", "tensorValue", graph.AsMember, graph.ImplementationMember)
	if ok && e.to != "" && e.to != c.Type {
		t.notes.add(c, "%s is read as %s", c.Type, e.to)
		c.Type = e.to
	}
	c.Type = catalog.Canonical(c.Type)
	if known(c) == nil {
		t.open(c, "the type "+graph.Brief(c.Type)+" is not in the catalogue, so neither its weights nor what it computes are known")
		return
	}
	t.params(c, e)
	t.defaults(c, e)
	t.special(c)
	if c.Type == openType {
		return
	}
	for _, name := range e.needs {
		if _, given := c.Param(name); !given {
			t.keeps[c.ID] = known(c).Has(catalog.KeepsShape)
			t.open(c, "its weights depend on "+name+", which the file does not say")
			return
		}
	}
}

// inputShape gives an input the shape that its component has beside its parameters.
func (t *translation) inputShape(c *graph.Component) {
	if catalog.Canonical(c.Type) != "input" {
		return
	}
	if _, given := c.Param("shape"); given {
		return
	}
	shape, ok := t.hints[c.ID]
	if !ok {
		shape, ok = shapeOf(member(c, "inputShape"))
	}
	if ok {
		t.notes.add(c, "the shape %v of the input stands beside its parameters", shape)
		c.SetParam("shape", graph.IntsValue(shape...))
	}
}

// params gives parameters the catalogue's names, and leaves out those that change nothing.
func (t *translation) params(c *graph.Component, e entry) {
	var kept []graph.Param
	typ := known(c)
	for _, p := range c.Params {
		if why := e.none[p.Name]; why != "" {
			t.notes.add(c, "%s of %s has no effect: %s", p.Name, c.Type, why)
			continue
		}
		if p.Value.Kind() == graph.Null {
			continue
		}
		if name := e.names[p.Name]; name != "" {
			if name != p.Name && typ.Canonical(p.Name) != name {
				t.notes.add(c, "%s of %s is read as %s", p.Name, c.Type, name)
			}
			p.Name = name
		}
		kept = append(kept, graph.Param{Name: typ.Canonical(p.Name), Value: p.Value})
	}
	c.Params = nil
	seen := make(map[string]graph.Value, len(kept))
	for _, p := range kept {
		switch before, given := seen[p.Name]; {
		case !given:
			seen[p.Name] = p.Value
			c.Params = append(c.Params, p)
		case before.Equal(p.Value):
			t.notes.add(c, "%s of %s is given under two names, with one value", p.Name, c.Type)
		default:
			t.open(c, p.Name+" is given under two names, as "+before.Brief()+" and as "+p.Value.Brief())
			return
		}
	}
}

// defaults fills in what the editor takes for granted where that is not what the catalogue does.
func (t *translation) defaults(c *graph.Component, e entry) {
	for _, p := range e.sets {
		if typ := known(c); typ == nil || typ.Param(p.Name) == nil {
			continue
		}
		if _, given := c.Param(p.Name); !given {
			t.notes.add(c, "%s of %s is left out, and %s by default", p.Name, c.Type, p.Value)
			c.SetParam(p.Name, p.Value)
		}
	}
}

// special is what one parameter says about another, or about the type as a whole.
func (t *translation) special(c *graph.Component) {
	switch c.Type {
	case "transformerBlock":
		t.one(c, "numLayers", "it is one layer")
	case "patchEmbed":
		if stride, given := c.Param("stride"); given {
			if patch, _ := c.Param("patchSize"); !stride.Equal(patch) {
				t.open(c, "patches overlap or leave gaps: stride is "+stride.Brief()+", and patchSize "+patch.Brief())
				return
			}
			t.drop(c, "stride", "it is the size of a patch")
		}
	case "depthwiseConv2d":
		t.multiplied(c)
	case "graphConv":
		if v, given := c.Param("useTransform"); given && v.Kind() == graph.Bool && !v.Bool() {
			t.keeps[c.ID] = true
			t.notes.add(c, "graphConv without a transform only averages neighbours, and has no weights")
			*c = graph.Component{ID: c.ID, Type: openType, Name: c.Name, Params: []graph.Param{setInt("numParams", 0)}, Extra: c.Extra}
		}
	case "featureInteraction":
		if v, given := c.Param("method"); given && v.Str() != "dot" {
			t.open(c, "its method is "+v.Brief()+", and only dot products are known")
		} else if given {
			t.drop(c, "method", "dot products are what it computes")
		}
	case "graphSAGE":
		if v, given := c.Param("aggregator"); given && v.Str() != "mean" {
			t.open(c, "its aggregator is "+v.Brief()+", and only the mean is known")
		} else if given {
			t.drop(c, "aggregator", "the mean is what it computes")
		}
	case "linear":
		v, given := c.Param("tied")
		if _, bias := c.Param("bias"); given && v.Bool() && !bias {
			t.notes.add(c, "a tied linear layer adds no bias unless it says so")
			c.SetParam("bias", graph.BoolValue(false))
		}
	}
}

// multiplied leaves out the channels of a depthwise result, which its multiplier says.
func (t *translation) multiplied(c *graph.Component) {
	out, given := c.Param("outChannels")
	in, inGiven := c.Param("inChannels")
	if !given || out.Kind() != graph.Int {
		return
	}
	factor := int64(1)
	if v, ok := c.Param("depthMultiplier"); ok {
		factor = v.Int()
	} else if inGiven && in.Int() > 0 && out.Int()%in.Int() == 0 && out.Int() != in.Int() {
		factor = out.Int() / in.Int()
		t.notes.add(c, "depthMultiplier is left out, and %d by inChannels and outChannels", factor)
		c.SetParam("depthMultiplier", graph.IntValue(factor))
	}
	switch {
	case !inGiven && factor > 0 && out.Int()%factor == 0:
		c.SetParam("inChannels", graph.IntValue(out.Int()/factor))
		t.notes.add(c, "inChannels is left out, and follows from outChannels")
	case !inGiven || factor <= 0 || in.Int()*factor != out.Int():
		t.open(c, "outChannels is "+out.Brief()+", which is no multiple of inChannels "+in.Brief())
		return
	}
	t.drop(c, "outChannels", "inChannels times depthMultiplier decides it")
}

// one drops a count of 1, and leaves a component open that stands for several.
func (t *translation) one(c *graph.Component, name, why string) {
	v, given := c.Param(name)
	if !given {
		return
	}
	if v.Kind() == graph.Int && v.Int() == 1 {
		t.drop(c, name, why)
		return
	}
	t.keeps[c.ID] = known(c).Has(catalog.KeepsShape)
	t.open(c, name+" is "+v.Brief()+": it stands for several layers, whose number is not read")
}

func (t *translation) drop(c *graph.Component, name, why string) {
	t.notes.add(c, "%s of %s has no effect: %s", name, c.Type, why)
	for i := range c.Params {
		if c.Params[i].Name == name {
			c.Params = append(c.Params[:i:i], c.Params[i+1:]...)
			return
		}
	}
}

// open makes a component one of which neither weights nor cost are known. The shape that the file hints at is believed.
func (t *translation) open(c *graph.Component, why string) {
	t.notes.add(c, "stays open: %s", why)
	params := []graph.Param{{Name: "unread", Value: graph.StringValue(why)}}
	if shape, ok := t.hints[c.ID]; ok {
		if len(shape) > 1 && shape[0] == 1 {
			shape = shape[1:]
		}
		params = append(params, graph.Param{Name: "outShape", Value: graph.IntsValue(shape...)})
		t.notes.add(c, "its result has the shape %v that the file hints at", shape)
	}
	*c = graph.Component{ID: c.ID, Type: openType, Name: c.Name, Params: params, Extra: c.Extra}
}

// strings turns numbers that are written as strings into numbers.
func (t *translation) strings(c *graph.Component) {
	typ := known(c)
	for i := range c.Params {
		p := &c.Params[i]
		def := typ.Param(p.Name)
		if def == nil || p.Value.Kind() != graph.String || def.Kind == catalog.String || def.Check(p.Value) {
			continue
		}
		var v graph.Value
		if n, err := strconv.ParseInt(p.Value.Str(), 10, 64); err == nil {
			v = graph.IntValue(n)
		} else if f, err := strconv.ParseFloat(p.Value.Str(), 64); err == nil && def.Kind == catalog.Float {
			v = graph.FloatValue(f)
		} else if b, err := strconv.ParseBool(p.Value.Str()); err == nil && def.Kind == catalog.Bool {
			v = graph.BoolValue(b)
		} else {
			continue
		}
		t.notes.add(c, "%s of %s is a string, and read as the number or truth value that it holds", p.Name, c.Type)
		p.Value = v
	}
}

// weightless are parameters that decide no weight of any type, whatever else they do.
var weightless = map[string]bool{
	"causal": true, "isCausal": true, "dropout": true, "dropoutRate": true, "attentionDropout": true, "attnDropout": true, "dropPath": true,
	"eps": true, "epsilon": true, "momentum": true, "seed": true, "trainable": true, "frozen": true, "notes": true, "description": true, "label": true,
}

// mostUnread is how many parameters of a component are named that are not known.
const mostUnread = 4

// unread deals with the parameters that the catalogue does not have. One of a component with weights may decide how many: the component stays open,
// and the note names it. Others stay, so that the finding of their component names them too.
func (t *translation) unread(c *graph.Component) {
	typ, called, unknown := known(c), c.Type, 0
	defer func() {
		if rest := unknown - mostUnread; rest > 0 {
			t.notes.add(c, "%d more parameters of %s are not known, and not read", rest, called)
		}
	}()
	for i := range c.Params {
		name := c.Params[i].Name
		switch {
		case typ.Param(name) != nil:
		case typ.Weights == nil || weightless[name]:
			if unknown++; unknown <= mostUnread {
				t.notes.add(c, "%s of %s is not known, and not read", name, c.Type)
			}
		case c.Type != openType:
			t.keeps[c.ID] = typ.Has(catalog.KeepsShape)
			t.open(c, "the parameter "+graph.Brief(name)+" of "+c.Type+" is not known, and may change its weights")
			return
		}
	}
}

// shapeOf reads a list of sizes.
func shapeOf(raw string) ([]int64, bool) {
	var shape []int64
	if !isList(raw) || json.Unmarshal([]byte(raw), &shape) != nil {
		return nil, false
	}
	for _, n := range shape {
		if n < 1 {
			return nil, false
		}
	}
	return shape, len(shape) > 0
}

// without leaves members out.
func without(members []graph.Member, names ...string) []graph.Member {
	var out []graph.Member
next:
	for _, m := range members {
		for _, name := range names {
			if m.Name == name {
				continue next
			}
		}
		out = append(out, m)
	}
	return out
}
