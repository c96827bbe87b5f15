package bench

import (
	"slices"
	"strconv"

	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = defineFamily(Family{
	Name:  "migrate",
	Title: "Migrate a decoder and keep the rest",
	Doc: "One or two parts of a decoder become others: multi-head to grouped-query attention, a dense feed-forward " +
		"network to experts, learned to rotary positions. Everything else stays, under its id.",
	draw: drawMigrate,
})

// migration changes a decoder and says how.
type migration func(r *rng, d *decoder) (sentence string, constraints []Constraint)

func drawMigrate(r *rng) *draft {
	from := drawDecoder(r).(decoder)
	from.kv = from.heads
	to := from
	steps := []migration{fewerKeys, toExperts, toRotary}
	shuffle(r, steps)
	d := &draft{}
	d.prompt = []string{"Migrate this model, " + from.words() + ":"}
	for _, step := range steps[:r.from(1, 2)] {
		if sentence, constraints := step(r, &to); sentence != "" {
			d.prompt = append(d.prompt, "- "+sentence)
			d.constraints = append(d.constraints, constraints...)
		}
	}
	if len(d.constraints) == 0 {
		return nil
	}
	d.start, d.reference = from.build(), to.migrated(from)
	s := begun(d.start, d.reference)
	if ok, _ := s.runs(); !ok {
		return nil
	}
	in, out := interfaceOf(d.start)
	d.prompt = append(d.prompt, "Keep everything else. The migrated model must meet all of this:")
	d.constraints = append([]Constraint{{Kind: "runs"}, in, out}, d.constraints...)
	d.constraints = append(d.constraints, window(r, "params", s.walked.Params), keepSame(d.start, s),
		Constraint{Kind: "edits", Max: int64(s.changed())})
	if to.kv != from.kv {
		if t, _ := s.used(int64(to.tokens)); t != nil {
			d.constraints = append(d.constraints, Constraint{Kind: "cache-bytes", Tokens: int64(to.tokens), Max: t.CacheBytes})
		}
	}
	return d
}

func fewerKeys(r *rng, d *decoder) (string, []Constraint) {
	var divisors []int
	for k := 1; k < d.heads; k++ {
		if d.heads%k == 0 {
			divisors = append(divisors, k)
		}
	}
	d.kv = pick(r, divisors...)
	return quantity.Sprintf("from multi-head to grouped-query attention: the %d query heads stay, and share %d heads "+
			"of keys and values in every layer", d.heads, d.kv),
		[]Constraint{{Kind: "uses", Types: []string{"groupedQueryAttention", "ropeAttention"}, Min: int64(d.layers),
			Max: int64(d.layers)}}
}

func toExperts(r *rng, d *decoder) (string, []Constraint) {
	d.experts, d.topK = pick(r, 4, 6, 8), pick(r, 1, 2)
	d.expertDim = multiple(d.ffn, 100/d.topK, 8)
	dense := d.mixer
	return "from a dense feed-forward network to a mixture of experts in every layer (moeLayer): " +
			strconv.Itoa(d.experts) + " experts, of which each token visits " +
			strconv.Itoa(d.topK) + ", each " + strconv.Itoa(d.expertDim) + " wide inside, in the place and under the id of " +
			"the dense network",
		[]Constraint{{Kind: "uses", Types: []string{"moeLayer"}, Min: int64(d.layers), Max: int64(d.layers)},
			{Kind: "without", Types: []string{dense}}}
}

func toRotary(_ *rng, d *decoder) (string, []Constraint) {
	if d.rotary || d.headDim%2 != 0 {
		return "", nil
	}
	d.rotary = true
	return "from learned positions to rotary ones (ropeAttention in the place and under the id of the attention, " +
			"without learnedPositionalEmbedding)",
		[]Constraint{{Kind: "uses", Types: []string{"ropeAttention"}, Min: int64(d.layers), Max: int64(d.layers)},
			{Kind: "without", Types: []string{"learnedPositionalEmbedding"}}}
}

// migrated builds the result, with the normalisations and the dense networks that the start has.
func (d decoder) migrated(from decoder) *design {
	g := d.build()
	norm, _ := from.norm()
	for i := range g.Components {
		if c := &g.Components[i]; c.Type == "rmsNorm" || c.Type == "layerNorm" {
			c.Type = norm
		}
	}
	return g
}

// keepSame keeps the components of a start that the answer has, as they are, and the inputs of those too.
func keepSame(start *design, s *subject) Constraint {
	c := Constraint{Kind: "keeps"}
	for i := range start.Components {
		id := start.Components[i].ID
		if at, ok := s.index[id]; ok && sameComponent(s.old(id), &s.study.Graph.Components[at]) {
			c.Components = append(c.Components, id)
		}
	}
	slices.Sort(c.Components)
	return c
}
