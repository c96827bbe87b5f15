package tape

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// A model of more steps than these, and so many for each component, is followed with fewer parts of its components: experts can be a thousand in one.
const (
	mostSteps  = 1 << 15
	mostOfEach = 1 << 3
	tooLong    = "too long"
)

// mostParts is how many parts of a component are followed at the most, and where the model is too long then.
var mostParts = [...]int64{catalog.MostParts, 1 << 4, 1}

// fewer is which of mostParts models are followed with, where that is not the first: those of an objective are followed in turn.
type fewer struct {
	known [8]parted
	last  int
}

// parted is a model and its Options.Kind, and how many of mostParts it was too long with.
type parted struct {
	res    *infer.Result
	kind   any
	beyond int
}

// from is which of mostParts a model is tried with first.
func (f *fewer) from(res *infer.Result, kind any) int {
	for k := range f.known {
		if p := &f.known[k]; p.res == res && p.kind == kind {
			return p.beyond
		}
	}
	return 0
}

// note remembers a model in the place of the one that was noted first.
func (f *fewer) note(res *infer.Result, kind any, beyond int) {
	if kind == nil {
		return
	}
	if p := &f.known[f.last]; p.res != res || p.kind != kind {
		f.last = (f.last + 1) % len(f.known)
	}
	f.known[f.last] = parted{res, kind, beyond}
}

// fewerParts reports whether those that are like a component make the tape too long, with the parts that are followed. It is known before they are
// lowered: in a decoder of experts that is most of the work.
func (r *Room) fewerParts(res *infer.Result, i int, o *Options) bool {
	if r.lowering.Parts == 1 || !r.lowering.Parted || o.Rank != nil || o.Quantised != nil {
		return false
	}
	if len(r.group) == 0 {
		r.countAlike(res, o)
	}
	return r.tape.Steps()+int(r.group[i])*len(r.program.Steps) > r.most
}

// countAlike counts the components that are like each that is like none before it.
func (r *Room) countAlike(res *infer.Result, o *Options) {
	r.group, r.first = zeros(r.group, len(res.Nodes)), zeros(r.first, len(res.Nodes))
	for _, i := range res.Wiring.Order {
		n, first := &res.Nodes[i], int32(i)
		if like := n.Like - 1; like >= 0 && alike(n, &res.Nodes[like]) {
			first = r.first[like]
		}
		if r.first[i] = first; n.State == infer.Legal && (o.Idle == nil || !o.Idle(n)) {
			r.group[first]++
		}
	}
}

// GivenUp is how many steps were followed for the last tape before it was begun again with fewer parts.
func (r *Room) GivenUp() int { return r.givenUp }
