package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// design is a graph that is being drawn: a chain of components, with branches where they are asked for.
type design struct {
	set     *Dataset
	rng     *rand.Rand
	choices map[string]string
	lines   []string // components
	edges   []string
	at      string // what the next component reads
	n       int
	dim     []int // of what the last component gives: channels, height, width; or sequence, features; or features
}

func newDesign(set *Dataset, seed uint64, i int, try uint64) *design {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d|%s|%d|%d", seed, set.Name, i, try))
	rng := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:]))) //nolint:gosec // drawn again
	d := &design{set: set, rng: rng, choices: map[string]string{}, at: "x", dim: append([]int{}, set.Shape...)}
	d.lines = append(d.lines, "x: input shape="+list(set.Shape))
	return d
}

func list(sizes []int) string {
	return "[" + strings.Trim(strings.ReplaceAll(fmt.Sprint(sizes), " ", ","), "[]") + "]"
}

// pick draws one of some words and writes down which. A word that stands twice is drawn twice as often.
func (d *design) pick(choice string, words ...string) string {
	w := words[d.rng.IntN(len(words))]
	d.choices[choice] = w
	return w
}

// num draws one of some numbers and writes down which.
func (d *design) num(choice string, numbers ...int) int {
	n := numbers[d.rng.IntN(len(numbers))]
	d.choices[choice] = strconv.Itoa(n)
	return n
}

// share draws one of some shares and writes down which.
func (d *design) share(choice string, shares ...float64) float64 {
	s := shares[d.rng.IntN(len(shares))]
	d.choices[choice] = fmt.Sprint(s)
	return s
}

// put adds a component behind the last one and returns its id.
func (d *design) put(format string, args ...any) string {
	return d.join([]string{d.at}, format, args...)
}

// join adds a component that reads several.
func (d *design) join(from []string, format string, args ...any) string {
	d.n++
	id := fmt.Sprintf("n%d", d.n)
	d.lines = append(d.lines, id+": "+fmt.Sprintf(format, args...))
	d.edges = append(d.edges, strings.Join(from, ", ")+" -> "+id)
	d.at = id
	return id
}

// text writes the graph in the short notation.
func (d *design) text(name string) string {
	return fmt.Sprintf("graph %q\n%s\ny: output\n%s\n%s -> y\n", name, strings.Join(d.lines, "\n"), strings.Join(d.edges, "\n"), d.at)
}

func (d *design) features() int { return d.dim[len(d.dim)-1] }

// style is what is drawn once for all layers of a design.
type style struct {
	act, norm, order string
	drop             float64
}

// drawStyle draws activation, normalisation, their order, and dropout. Good choices are drawn more often than bad ones.
func (d *design) drawStyle() style {
	return style{
		act:   d.pick("act", "relu", "relu", "relu", "gelu", "gelu", "silu", "leakyRelu", "elu", "tanh", "tanh", "sigmoid", "softsign", "none"),
		norm:  d.pick("norm", "batch", "batch", "batch", "layer", "group", "none", "none", "none"),
		order: d.pick("order", "norm-act", "norm-act", "norm-act", "act-norm"),
		drop:  d.share("drop", 0, 0, 0, 0, 0.1, 0.25, 0.5, 0.8),
	}
}

func (d *design) normalise(kind string) {
	c := d.dim[0]
	switch {
	case kind == "none":
	case len(d.dim) == 2 || len(d.dim) == 1 && kind != "batch":
		d.put("layerNorm normalizedShape=%d", d.features())
	case kind == "batch" || kind == "layer" && len(d.dim) == 3 && d.dim[1]*d.dim[2] == 1:
		d.put("batchNorm")
	case kind == "layer":
		d.put("groupNorm numGroups=1 numChannels=%d", c)
	default:
		groups := 4
		for c%groups != 0 || c/groups < 2 {
			groups /= 2
			if groups <= 1 {
				groups = 1
				break
			}
		}
		if groups == 1 && c*d.dim[1]*d.dim[2] == 1 {
			return
		}
		d.put("groupNorm numGroups=%d numChannels=%d", groups, c)
	}
}

func (d *design) activate(kind string) {
	if kind != "none" {
		d.put("%s", kind)
	}
}

// finish puts normalisation, activation and dropout behind a layer with weights.
func (d *design) finish(s style) {
	if s.order == "act-norm" {
		d.activate(s.act)
		d.normalise(s.norm)
	} else {
		d.normalise(s.norm)
		d.activate(s.act)
	}
	if s.drop > 0 {
		d.put("dropout p=%g", s.drop)
	}
}

func (d *design) linear(width int) {
	d.put("linear outFeatures=%d", width)
	d.dim[len(d.dim)-1] = width
}

// flatten brings everything into one axis.
func (d *design) flatten() {
	if len(d.dim) == 1 {
		return
	}
	n := 1
	for _, s := range d.dim {
		n *= s
	}
	d.put("flatten")
	d.dim = []int{n}
}

// classify ends the design. A few give probabilities where the loss wants logits, or have dropout on the logits.
func (d *design) classify() {
	d.linear(d.set.Classes)
	switch d.pick("end", "logits", "logits", "logits", "logits", "logits", "logits", "logits", "logits", "logits", "softmax", "relu", "dropout") {
	case "softmax":
		d.put("softmax dim=-1")
	case "relu":
		d.put("relu")
	case "dropout":
		d.put("dropout p=0.3")
	}
}

// widths draws how the width goes from layer to layer.
func (d *design) widths(layers, base, most int) []int {
	kind := d.pick("schedule", "constant", "constant", "rising", "rising", "falling", "pinched")
	out := make([]int, layers)
	for i := range out {
		switch kind {
		case "rising":
			out[i] = min(most, base<<i)
		case "falling":
			out[i] = max(2, base>>i)
		case "pinched":
			out[i] = base
			if i == layers/2 {
				out[i] = max(1, base/d.num("pinch", 4, 8, 16, 32))
			}
		default:
			out[i] = base
		}
	}
	return out
}
