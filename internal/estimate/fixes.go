package estimate

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Fix is a change of a run, or several, with what they come to.
type Fix struct {
	Change   string // in words
	Training *Training
	GPU      *hardware.GPU // that it is for
	Fits     bool
}

// worthwhile is the share of what must fit on the card, one in so many, that a change must save to be named.
const worthwhile = 50

// helps reports whether a run takes less of the card than another: what is allocated may fall while what is reserved, which is what must
// fit, rises.
func helps(next, now *Training) bool { return next.CardBytes <= now.CardBytes-now.CardBytes/worthwhile }

// change is one step that can be taken, from what is asked for to what would do.
type change struct {
	of    string // what it changes: another change of the same takes its place
	words string
	apply func(Options) Options
}

// Fixes lists changes of a run that does not fit on a card, the cheapest that make it fit first, then those that only help. Each
// is estimated as the run itself was. No card stands for the largest that can be rented. Where no single change does, several
// are taken together, those first that change nothing of what is computed.
func Fixes(res *infer.Result, o Options, gpu *hardware.GPU) []Fix {
	return new(Room).fixes(res, o, gpu, nil, 0)
}

// Fixes is the same for a run that was estimated, in memory that was used before. If the run answers a question, spent is what was followed for that.
func (r *Room) Fixes(res *infer.Result, t *Training, gpu *hardware.GPU, spent int) []Fix {
	return r.fixes(res, t.Options, gpu, t, spent)
}

func (r *Room) fixes(res *infer.Result, o Options, gpu *hardware.GPU, known *Training, spent int) []Fix {
	if gpu != nil {
		o.GPU = gpu.Name
	}
	f := r.newFixer(res, o, known, spent)
	if f.now.Fitting() {
		return nil
	}
	o = f.now.Options
	o.GPU = f.gpu.Name
	for _, c := range f.changes() {
		f.try(c.words, c.apply(o))
	}
	if micro, _ := f.microBatch(o); micro != o {
		f.try(micro.MicroWords(), micro)
	}
	if !slices.ContainsFunc(f.out, func(x Fix) bool { return x.Fits }) {
		f.together(o)
	}
	f.largerCard(o)
	slices.SortStableFunc(f.out, func(a, b Fix) int {
		if a.Fits != b.Fits {
			if a.Fits {
				return -1
			}
			return 1
		}
		if a.Fits {
			return cmp.Or(cmp.Compare(a.Training.CostMicroUSD, b.Training.CostMicroUSD), cmp.Compare(a.Training.CardBytes, b.Training.CardBytes))
		}
		return cmp.Compare(a.Training.CardBytes, b.Training.CardBytes)
	})
	return f.out
}

// Savings lists the changes of a run that take less of the card, also where it fits, those that take the least first.
func (r *Room) Savings(res *infer.Result, o Options) []Fix {
	f := r.newFixer(res, o, nil, 0)
	o = f.now.Options
	for _, c := range f.changes() {
		f.try(c.words, c.apply(o))
	}
	if part, _ := o.micro(); part.Batch > 1 {
		o.MicroBatch = (part.Batch + 1) / 2
		f.try(o.MicroWords(), o)
	}
	slices.SortStableFunc(f.out, func(a, b Fix) int { return cmp.Compare(a.Training.CardBytes, b.Training.CardBytes) })
	return f.out
}

type fixer struct {
	res   *infer.Result
	gpu   *hardware.GPU
	now   *Training
	out   []Fix
	tried map[Options]*Training
	room  *Room
	each  int // operations of the last estimate

	before int // what is spent when the room has followed none
}

// newFixer begins with the run itself, which may have been estimated before.
func (r *Room) newFixer(res *infer.Result, o Options, known *Training, spent int) *fixer {
	f := &fixer{res: res, tried: map[Options]*Training{}, room: r, before: max(0, spent-mostAsked) - r.Followed()}
	if known != nil && known.Options == o {
		f.tried[o], f.each = known, known.followed
		f.before += known.followed
	}
	f.now = f.train(o)
	f.gpu = f.now.PricedOn
	return f
}

// train estimates a run once: alone, as the largest micro-batch that fits and together with others, the same changes come up again.
func (f *fixer) train(o Options) *Training {
	t := f.tried[o]
	if t == nil {
		if f.before+f.room.Followed()+f.each > mostFollowed && f.now != nil {
			return f.now // so that the change is none that helps
		}
		f.room.Forget()
		t = f.room.Train(f.res, o)
		f.each = t.followed
		f.tried[o] = t
	}
	return t
}

// mostFollowed is how many operations the estimates of all changes have at the most. A decoder of 32 layers has some 6,000 in each; of a model
// that has tens of thousands a few changes are tried, those first that change nothing of what is computed.
//
// Of a question that took more than mostAsked the rest is taken from them.
const (
	mostFollowed = 21 << 14
	mostAsked    = 3 << 16
)

// try adds a change that helps.
func (f *fixer) try(words string, o Options) {
	t := f.train(o)
	if !helps(t, f.now) {
		return
	}
	f.out = append(f.out, Fix{words, t, t.PricedOn, t.Fitting()})
}

// changes are those that leave the micro-batch as it is, the least intrusive first.
func (f *fixer) changes() []change {
	o := f.now.Options
	var out []change
	add := func(when bool, of, words string, apply func(*Options)) {
		if when {
			out = append(out, change{of, words, func(o Options) Options { apply(&o); return o }})
		}
	}
	add(o.Attention == "eager", "attention", "fused attention (sdpa)", func(o *Options) { o.Attention = "sdpa" })
	add(!o.FusedLoss, "loss", "a fused loss, which makes the logits in pieces", func(o *Options) { o.FusedLoss = true })
	add(o.Optimizer == "adamw", "optimizer", "the fused AdamW", func(o *Options) { o.Optimizer = "adamw-fused" })
	add(!o.Checkpointing, "checkpointing", "checkpointing", func(o *Options) { o.Checkpointing = true })
	switch narrow := f.narrow(); {
	case o.Precision == "fp32" || o.Precision == "tf32":
		add(narrow != "", "precision", precisionText(narrow), func(o *Options) { o.Precision = narrow })
		fallthrough
	case autocasts(o.Precision):
		add(f.gpu.BF16 > 0, "precision", precisionText("bf16"), func(o *Options) { o.Precision = "bf16" })
	}
	adaptive := strings.HasPrefix(o.Optimizer, "adam")
	add(adaptive && o.Optimizer != "adamw-8bit", "optimizer", "AdamW with 8-bit states", func(o *Options) { o.Optimizer = "adamw-8bit" })
	add(adaptive, "optimizer", "Adafactor", func(o *Options) { o.Optimizer = "adafactor" })
	return out
}

// narrow is the kind of autocast that the card is good at.
func (f *fixer) narrow() string {
	switch {
	case f.gpu.BF16 > 0:
		return "amp"
	case f.gpu.FP16 > 0:
		return "fp16"
	}
	return ""
}

// microBatch finds the largest half, quarter and so on of the batch that fits, or a single sample, and says whether that fits. Where the batch has no
// smaller part, it is the run itself.
func (f *fixer) microBatch(o Options) (with Options, fits bool) {
	sizes := o.MicroBatches()[1:]
	if len(sizes) == 0 {
		return o, false
	}
	fitting := func(k int) bool {
		o.MicroBatch = sizes[k]
		return f.train(o).Fitting()
	}
	last := len(sizes) - 1
	if fits = fitting(last); fits { // else none does: a smaller one takes less
		o.MicroBatch = sizes[sort.Search(last, fitting)]
	}
	return o, fits
}

// MicroWords says in which pieces a step takes its batch.
func (o Options) MicroWords() string {
	_, n := o.micro()
	return fmt.Sprintf("micro-batches of %s, %s to a step", quantity.Grouped(o.MicroBatch), quantity.Grouped(n))
}

// together takes changes one after the other, each that helps, until the run fits.
func (f *fixer) together(o Options) {
	var taken []change
	best := f.now
	for _, c := range f.changes() {
		next := f.train(c.apply(o))
		if !helps(next, best) {
			continue
		}
		best, o = next, c.apply(o)
		taken = append(slices.DeleteFunc(taken, func(t change) bool { return t.of == c.of }), c)
		if best.Fitting() {
			break
		}
		if micro, fits := f.microBatch(o); fits {
			o, taken = micro, append(taken, change{words: micro.MicroWords()})
			break
		}
	}
	if len(taken) < 2 {
		return
	}
	var words []string
	for _, c := range taken {
		words = append(words, c.words)
	}
	f.try(strings.Join(words, ", and "), o)
}

// largerCard adds the cheapest card that holds the run as it is.
func (f *fixer) largerCard(o Options) {
	for _, g := range hardware.GPUs() {
		if g.MemoryBytes <= f.gpu.MemoryBytes || g.MemoryBytes < f.now.CardBytes || !g.Managed || rate(g, o.Precision) == 0 {
			continue
		}
		o.GPU = g.Name
		if t := f.train(o); t.Fitting() {
			f.out = append(f.out, Fix{"another card, " + g.Name, t, g, true})
			return
		}
	}
}
