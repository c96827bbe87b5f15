package layout

import (
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// plan is one layout of one model, with everything that was left out filled in.
type plan struct {
	*model
	Request
	framework        *framework
	zero             int64
	etp              int64 // tensor-parallel ranks of the experts
	sequenceParallel bool
	length           int64 // tokens of a sample as asked for, 0 where nothing was or the model reads none; the figures are at seqLen
	global           int64
	gpus             int64
	microBatches     int64
	sized            bool // whether every size is at least 1 and their product can be counted
	small            []pending

	again, gathered int64 // bytes of the largest layer that is recomputed, and of the weights that are gathered: set for stages
}

func newPlan(m *model, r Request, f *framework) *plan {
	c := &plan{model: m, Request: r, framework: f}
	c.sequenceParallel = r.TP > 1
	if r.SequenceParallel != nil {
		c.sequenceParallel = *r.SequenceParallel && r.TP > 1
	}
	c.positive()
	if !c.sized {
		return c
	}
	c.zero = c.framework.zero(c)
	if r.Zero != nil {
		c.zero = *r.Zero
	}
	c.etp = c.expertSplit()
	if r.SeqLen != nil && m.seqLen > 0 {
		c.length = *r.SeqLen
	}
	perStep := times(r.MicroBatch, r.DP)
	c.global = perStep
	if r.GlobalBatch != nil {
		c.global = *r.GlobalBatch
	}
	if c.global%perStep == 0 {
		c.microBatches = c.global / perStep
	}
	return c
}

// expertSplit is over how many tensor-parallel ranks an expert is spread. In Megatron-LM it is tp unless given (core/model_parallel_config.py,
// expert_tensor_parallel_size); the experts of the others take the tensor-parallel ranks for themselves where ep is above 1
// (torchtitan's config/configs.py, expert_parallel_degree; DeepSpeed's moe/layer.py, enable_expert_tensor_parallelism).
func (c *plan) expertSplit() int64 {
	switch {
	case c.framework.splitsExperts && c.ETP != nil:
		return *c.ETP
	case c.framework.splitsExperts || c.EP == 1:
		return c.TP
	}
	return 1
}

// expertRanks are the ranks of a stage that groups of experts are made of.
func (c *plan) expertRanks() int64 { return times(c.DP, c.CP, c.TP) }

// largest is where sizes stop to mean anything: there are no such machines.
const largest = 1 << 40

// positive refuses sizes below 1, and those whose product cannot be counted.
func (c *plan) positive() {
	given := func(n *int64) int64 {
		if n == nil {
			return 1
		}
		return *n
	}
	c.sized = true
	refuse := func(detail string, p func() proposal) {
		c.sized = false
		c.small = append(c.small, pending{Finding: Finding{Rule: "layout-size", Severity: rules.Block, Title: "A size of the layout is out of range", Detail: detail, Framework: c.framework.name}, propose: p})
	}
	for _, s := range []struct {
		name size
		n    int64
	}{{sizeTP, c.TP}, {sizePP, c.PP}, {sizeDP, c.DP}, {sizeCP, c.CP}, {sizeEP, c.EP}, {sizeVPP, c.VPP}, {sizeETP, given(c.ETP)}, {sizeMicroBatch, c.MicroBatch}, {sizeGlobalBatch, given(c.GlobalBatch)}, {sizeSeqLen, given(c.SeqLen)}} {
		switch {
		case s.n < 1:
			refuse(string(s.name)+" is "+quantity.Grouped(s.n)+" but must be at least 1", func() proposal { return set(s.name, 1) })
		case s.n > largest:
			refuse(string(s.name)+" is "+quantity.Grouped(s.n)+", and nothing is that large", nil)
		}
	}
	if !c.sized {
		return
	}
	if c.gpus = times(c.TP, c.PP, c.DP, c.CP); c.gpus > largest || times(c.MicroBatch, c.DP) > largest {
		refuse("the product of tp, pp, dp and cp, or of micro_batch and dp, is larger than anything that can be built", nil)
		c.gpus = 0
	}
}

// refusals are the conditions that the layout breaks.
func (c *plan) refusals() []pending {
	if !c.sized {
		return c.small
	}
	var out []pending
	for i := range c.framework.rules {
		r := &c.framework.rules[i]
		if detail, ok := r.holds(c); !ok {
			f := c.finding(r, rules.Block, c.framework.title+" refuses: "+detail)
			f.Framework = c.framework.name
			out = append(out, f)
		}
	}
	return out
}

// finding is what is reported where a rule is broken.
func (c *plan) finding(r *rule, s rules.Severity, detail string) pending {
	f := pending{Finding: Finding{Rule: r.id, Severity: s, Title: r.title, Detail: detail}}
	if r.fix != nil {
		f.propose = func() proposal { return r.fix(c) }
	}
	return f
}

// advise is what is doubtful and not refused.
func (c *plan) advise() []pending {
	var out []pending
	for _, list := range [][]rule{c.framework.advice, {keptLength}} {
		for i := range list {
			if detail, ok := list[i].holds(c); !ok {
				out = append(out, c.finding(&list[i], rules.Warn, detail))
			}
		}
	}
	return append(out, c.assume()...)
}

// assume warns of what the framework would refuse at the length that is assumed where none was given: a dataset decides it, and nothing
// is refused yet.
func (c *plan) assume() []pending {
	if c.SeqLen != nil || c.seqLen == 0 {
		return nil
	}
	var out []pending
	at := *c
	at.length = c.seqLen
	for i := range c.framework.rules {
		r := &c.framework.rules[i]
		_, open := r.holds(c)
		if detail, ok := r.holds(&at); open && !ok {
			f := at.finding(r, rules.Warn, "at the assumed length of "+counted(c.seqLen, "token")+", "+c.framework.title+" refuses: "+detail)
			f.Framework = c.framework.name
			out = append(out, f)
		}
	}
	return out
}

// listed is how many legal values are looked for.
const listed = 4096

// legal lists the sizes of one kind that break none of the conditions on it, everything else as it was asked for.
func (c *plan) legal(kind axis) []int64 {
	out := []int64{}
	end := c.facts.Heads
	if kind == onPP {
		if end = c.layers() + c.framework.spareStages; !c.layered() {
			end = 0 // not known
		}
	}
	others := c.Request.mended()
	for n := int64(1); n <= min(end, listed); n++ {
		r := others
		if kind == onTP {
			r.TP = n
		} else {
			r.PP = n
		}
		try := newPlan(c.model, r, c.framework)
		if !try.sized {
			return out
		}
		if try.passes(kind) {
			out = append(out, n)
		}
	}
	return out
}

// mended is the request with 1, or nothing, in place of sizes below 1, so that the legal values of the others can be listed.
func (r Request) mended() Request {
	for _, n := range []*int64{&r.TP, &r.PP, &r.DP, &r.CP, &r.EP, &r.VPP, &r.MicroBatch} {
		*n = max(1, *n)
	}
	for _, n := range []**int64{&r.ETP, &r.GlobalBatch, &r.SeqLen} {
		if *n != nil && **n < 1 {
			*n = nil
		}
	}
	return r
}

// passes reports whether no condition on one kind of size is broken.
func (c *plan) passes(kind axis) bool {
	for i := range c.framework.rules {
		if r := &c.framework.rules[i]; r.on&kind != 0 {
			if _, ok := r.holds(c); !ok {
				return false
			}
		}
	}
	return true
}

// bubble is the share of a step in which a stage waits: p−1 of m+p−1 turns, with v chunks a rank p−1 of v·m+p−1 (Narayanan et al.
// 2021, section 2.2, as a share of the whole step).
func (c *plan) bubble() *quantity.Decimal {
	if c.microBatches == 0 {
		return nil
	}
	d := quantity.Ratio(c.PP-1, plus(times(c.VPP, c.microBatches), c.PP-1), 4)
	return &d
}

// idle warns of a pipeline that waits more than it works.
func (c *plan) idle(bubble *quantity.Decimal) []pending {
	if bubble == nil || 2*bubble.Unscaled <= 10_000 {
		return nil
	}
	f := Finding{Rule: "layout-bubble", Severity: rules.Warn, Title: "The pipeline waits for more than half of a step",
		Detail: "with " + counted(c.PP, "stage") + " and " + counted(c.microBatches, "micro-batch") + " a step, " + percent(bubble) + " of a step is idle"}
	return []pending{{Finding: f, propose: func() proposal { return set(sizeGlobalBatch, times(c.MicroBatch, c.DP, 4, c.PP)) }}}
}

func percent(d *quantity.Decimal) string {
	return quantity.Decimal{Unscaled: d.Unscaled, Places: d.Places - 2}.String() + " %"
}
