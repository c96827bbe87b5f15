package bench

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = defineFamily(Family{
	Name:  "edit",
	Title: "Edit a model in place",
	Doc: "A model that runs is to be changed in one to three ways: other classes, another input, other layers, " +
		"more of them. What the changes do not touch stays, under its id.",
	draw: drawEdit,
})

// alteration changes a design in place and says in a sentence how, "" where the design has no place for it.
type alteration func(r *rng, d *design) (sentence string, constraints []Constraint)

func drawEdit(r *rng) *draft {
	start := drawAny(r).build()
	ref := start.copied()
	all := []alteration{otherClasses, otherActivation, otherChannels, otherSide, dropoutBeforeHead, squeezeAndExcite,
		groupNorms, stridedPools, longerText, extraLayer, hiddenBeforeHead}
	shuffle(r, all)
	d := &draft{start: start, reference: ref, prompt: []string{"Change this model in place:"}}
	for _, alter := range all {
		if len(d.prompt) > r.from(1, 3) {
			break
		}
		if sentence, constraints := alter(r, ref); sentence != "" {
			d.prompt = append(d.prompt, "- "+sentence)
			d.constraints = append(d.constraints, constraints...)
		}
	}
	s := begun(start, ref)
	if ok, _ := s.runs(); !ok || s.changed() == 0 {
		return nil
	}
	in, out := interfaceOf(ref)
	d.prompt = append(d.prompt, "Leave everything else as it is. The changed model must meet all of this:")
	d.constraints = append([]Constraint{{Kind: "runs"}, in, out}, d.constraints...)
	d.constraints = append(d.constraints, Constraint{Kind: "params", Min: s.walked.Params, Max: s.walked.Params},
		keepSame(start, s), Constraint{Kind: "edits", Max: int64(s.changed())})
	return d
}

// int is a whole-number parameter of a component, 0 where it has none.
func (d *design) int(id, name string) int {
	if c := d.at(id); c != nil {
		v, _ := c.Param(name)
		return int(v.Int())
	}
	return 0
}

// inserted puts a component between another and everything that reads it.
func (d *design) inserted(id, typ, after string, args ...arg) {
	for i := range d.Connections {
		if d.Connections[i].From == after {
			d.Connections[i].From = id
		}
	}
	d.put(id, typ, []string{after}, args...)
}

// ofType lists the ids of components of a type.
func (d *design) ofType(types ...string) (out []string) {
	for i := range d.Components {
		for _, t := range types {
			if d.Components[i].Type == t {
				out = append(out, d.Components[i].ID)
			}
		}
	}
	return out
}

func otherClasses(r *rng, d *design) (string, []Constraint) {
	n := r.from(3, 250)
	if d.at("head").Type != "linear" || d.int("head", "outFeatures") == n {
		return "", nil
	}
	d.at("head").SetParam("outFeatures", valueOf(n))
	return quantity.Sprintf("it must tell %d classes apart", n), nil
}

func otherActivation(r *rng, d *design) (string, []Constraint) {
	from := d.ofType("relu", "gelu", "silu", "tanh", "leakyRelu")
	to := pick(r, "relu", "gelu", "silu", "mish", "hardSwish")
	if len(from) == 0 || d.at(from[0]).Type == to {
		return "", nil
	}
	old := d.at(from[0]).Type
	n := 0
	for _, id := range from {
		if c := d.at(id); c.Type == old {
			c.Type = to
			n++
		}
	}
	return "every " + old + " becomes " + to + ", under its id", []Constraint{{Kind: "without", Types: []string{old}},
		{Kind: "uses", Types: []string{to}, Min: int64(n)}}
}

// otherChannels changes what the input has along its first axis: channels of an image, columns of a table.
func otherChannels(r *rng, d *design) (string, []Constraint) {
	shape := d.shape()
	first := d.readers("x")
	n := int64(pick(r, 1, 2, 4, 6))
	if len(shape) != 3 || len(first) != 1 || shape[0] == n {
		return "", nil
	}
	c := d.at(first[0])
	switch c.Type {
	case "conv2d", "patchEmbed":
		c.SetParam("inChannels", valueOf(n))
	case "flatten":
		d.at(d.readers(c.ID)[0]).SetParam("inFeatures", valueOf(n*shape[1]*shape[2]))
	default:
		return "", nil
	}
	shape[0] = n
	d.at("x").SetParam("shape", valueOf(shape))
	return quantity.Sprintf("images come with %d channels now", n), nil
}

func otherSide(r *rng, d *design) (string, []Constraint) {
	shape, first := d.shape(), d.readers("x")
	side := int64(4 * r.from(5, 20))
	if len(shape) != 3 || shape[1] == side || len(first) != 1 {
		return "", nil
	}
	switch c := d.at(first[0]); c.Type {
	case "conv2d":
	case "patchEmbed":
		patch := int64(d.int(c.ID, "patchSize"))
		d.at("positions").SetParam("maxLen", valueOf((side/patch)*(side/patch)))
	case "flatten":
		d.at(d.readers(c.ID)[0]).SetParam("inFeatures", valueOf(shape[0]*side*side))
	default:
		return "", nil
	}
	d.at("x").SetParam("shape", valueOf([]int64{shape[0], side, side}))
	return quantity.Sprintf("images are %d by %d now", side, side), nil
}

func (d *design) shape() (out []int64) {
	v, _ := d.at("x").Param("shape")
	for _, n := range v.List() {
		out = append(out, n.Int())
	}
	return out
}

// readers are the ids of what reads a component.
func (d *design) readers(id string) (out []string) {
	for _, c := range d.Connections {
		if c.From == id {
			out = append(out, c.To)
		}
	}
	return out
}

// feeder is what feeds a component first.
func (d *design) feeder(id string) string {
	for _, c := range d.Connections {
		if c.To == id {
			return c.From
		}
	}
	return ""
}

func dropoutBeforeHead(r *rng, d *design) (string, []Constraint) {
	before := d.feeder("head")
	if d.at(before).Type == "dropout" || len(d.readers(before)) != 1 || d.at("dropped") != nil {
		return "", nil
	}
	p := pick(r, 0.1, 0.2, 0.25, 0.4)
	n := len(d.ofType("dropout"))
	d.inserted("dropped", "dropout", before, arg{"p", p})
	return quantity.Sprintf("dropout with p=%v straight before the component head", p), []Constraint{{Kind: "uses",
		Types: []string{"dropout"}, Min: int64(n + 1), Max: int64(n + 1)}}
}

// squeezeAndExcite adds a block that weighs the channels behind every pooling.
func squeezeAndExcite(r *rng, d *design) (string, []Constraint) {
	pools, reduction := d.ofType("maxpool2d", "avgpool2d"), pick(r, 4, 8)
	if len(pools) == 0 {
		return "", nil
	}
	s := measured(d)
	for _, id := range pools {
		d.inserted("se_"+id, "seBlock", id, arg{"channels", s.walked.Nodes[s.index[id]].Out[0]}, arg{"reduction", reduction})
	}
	return quantity.Sprintf("a squeeze-and-excitation block (seBlock) with reduction %d behind every pooling layer",
			reduction),
		[]Constraint{{Kind: "uses", Types: []string{"seBlock"}, Min: int64(len(pools)), Max: int64(len(pools))}}
}

func groupNorms(r *rng, d *design) (string, []Constraint) {
	norms, groups := d.ofType("batchNorm"), pick(r, 2, 4)
	if len(norms) == 0 {
		return "", nil
	}
	for _, id := range norms {
		c, channels := d.at(id), d.int(id, "numFeatures")
		c.Type, c.Params = "groupNorm", []graph.Param{{Name: "numGroups", Value: valueOf(groups)}, {Name: "numChannels",
			Value: valueOf(channels)}}
	}
	return quantity.Sprintf("every batch normalisation becomes a group normalisation with %d groups, under its id",
			groups),
		[]Constraint{{Kind: "without", Types: []string{"batchNorm"}}, {Kind: "uses", Types: []string{"groupNorm"},
			Min: int64(len(norms)), Max: int64(len(norms))}}
}

func stridedPools(_ *rng, d *design) (string, []Constraint) {
	pools := d.ofType("maxpool2d", "avgpool2d")
	if len(pools) == 0 {
		return "", nil
	}
	s, convs := measured(d), len(d.ofType("conv2d"))
	for _, id := range pools {
		c, width := d.at(id), s.walked.Nodes[s.index[id]].Out[0]
		c.Type, c.Params = "conv2d", nil
		for _, a := range []arg{{"inChannels", width}, {"outChannels", width}, {"kernelSize", 2}, {"stride", 2}, {"bias",
			false}} {
			c.SetParam(a.name, valueOf(a.value))
		}
	}
	return "every pooling layer but the global one becomes a conv2d of kernel 2 and stride 2 without bias, as wide " +
			"as its input, under its id",
		[]Constraint{{Kind: "without", Types: []string{"maxpool2d", "avgpool2d"}}, {Kind: "uses", Types: []string{"conv2d"},
			Min: int64(convs + len(pools)), Max: int64(convs + len(pools))}}
}

func longerText(r *rng, d *design) (string, []Constraint) {
	shape := d.shape()
	if len(shape) != 1 || d.at("tokens") == nil {
		return "", nil
	}
	shape[0] *= int64(pick(r, 2, 3, 4))
	d.at("x").SetParam("shape", valueOf(shape))
	if c := d.at("positions"); c != nil {
		c.SetParam("maxLen", valueOf(shape[0]))
	}
	return quantity.Sprintf("a sample has %d tokens now", shape[0]), nil
}

// extraLayer repeats the last block or layer under a new id.
func extraLayer(_ *rng, d *design) (string, []Constraint) {
	blocks := d.ofType("transformerBlock")
	if len(blocks) == 0 {
		return "", nil
	}
	last := d.at(blocks[len(blocks)-1])
	c := *last
	d.inserted("extra", "transformerBlock", c.ID)
	d.at("extra").Params = append([]graph.Param(nil), c.Params...)
	n := int64(len(blocks) + 1)
	return "one more transformerBlock behind the last, with the same parameters", []Constraint{{Kind: "uses",
		Types: []string{"transformerBlock"}, Min: n, Max: n}}
}

// hiddenBeforeHead puts a linear layer and an activation before the head.
func hiddenBeforeHead(r *rng, d *design) (string, []Constraint) {
	width := 8 * r.from(4, 32)
	before := d.feeder("head")
	if d.at("head").Type != "linear" || len(d.readers(before)) != 1 || d.at("hidden") != nil || d.at("dropped") != nil {
		return "", nil
	}
	in, linears := d.int("head", "inFeatures"), len(d.ofType("linear"))
	d.inserted("hidden", "linear", before, arg{"inFeatures", in}, arg{"outFeatures", width})
	d.inserted("bent", "gelu", "hidden")
	d.at("head").SetParam("inFeatures", valueOf(width))
	return quantity.Sprintf("a hidden linear layer of %d features with a bias, and a gelu behind it, straight before "+
			"the component head", width),
		[]Constraint{{Kind: "uses", Types: []string{"linear"}, Min: int64(linears + 1), Max: int64(linears + 1)},
			{Kind: "uses", Types: []string{"gelu"}, Min: 1}}
}
