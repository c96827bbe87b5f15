package layout

import (
	"strconv"
	"strings"

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
	small            []Finding
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
	refuse := func(name, format string, n int64) {
		c.sized = false
		c.small = append(c.small, Finding{Rule: "layout-size", Severity: rules.Block, Title: "A size of the layout is out of range",
			Detail: name + " is " + quantity.Grouped(n) + format, Fix: "set " + name + " to 1 or more", Framework: c.framework.name})
	}
	for _, s := range []struct {
		name string
		n    int64
	}{{"tp", c.TP}, {"pp", c.PP}, {"dp", c.DP}, {"cp", c.CP}, {"ep", c.EP}, {"vpp", c.VPP}, {"etp", given(c.ETP)}, {"micro_batch", c.MicroBatch}, {"global_batch", given(c.GlobalBatch)}, {"seq_len", given(c.SeqLen)}} {
		switch {
		case s.n < 1:
			refuse(s.name, " but must be at least 1", s.n)
		case s.n > largest:
			refuse(s.name, ", and nothing is that large", s.n)
			c.small[len(c.small)-1].Fix = ""
		}
	}
	if !c.sized {
		return
	}
	if c.gpus = times(c.TP, c.PP, c.DP, c.CP); c.gpus > largest || times(c.MicroBatch, c.DP) > largest {
		c.sized = false
		c.small = append(c.small, Finding{Rule: "layout-size", Severity: rules.Block, Title: "A size of the layout is out of range",
			Detail: "the product of tp, pp, dp and cp, or of micro_batch and dp, is larger than anything that can be built", Framework: c.framework.name})
		c.gpus = 0
	}
}

// refusals are the conditions that the layout breaks.
func (c *plan) refusals() []Finding {
	out := []Finding{}
	if !c.sized {
		return append(out, c.small...)
	}
	for i := range c.framework.rules {
		r := &c.framework.rules[i]
		if detail, ok := r.holds(c); !ok {
			f := Finding{Rule: r.id, Severity: rules.Block, Title: r.title, Detail: c.framework.title + " refuses: " + detail, Framework: c.framework.name}
			if r.fix != nil {
				f.Fix = r.fix(c)
			}
			out = append(out, f)
		}
	}
	return out
}

// advise adds what is doubtful and not refused.
func (c *plan) advise(out *Result) {
	if !c.sized {
		return
	}
	for _, r := range c.framework.advice {
		c.say(out, &r)
	}
	c.say(out, &keptLength)
	c.assume(out)
}

// assume warns of what the framework would refuse at the length that is assumed where none was given: a dataset decides it, and nothing
// is refused yet.
func (c *plan) assume(out *Result) {
	if c.SeqLen != nil || c.seqLen == 0 {
		return
	}
	at := *c
	at.length = c.seqLen
	for i := range c.framework.rules {
		r := &c.framework.rules[i]
		_, open := r.holds(c)
		if detail, ok := r.holds(&at); open && !ok {
			f := Finding{Rule: r.id, Severity: rules.Warn, Title: r.title, Detail: "at the " + quantity.Grouped(c.seqLen) + " tokens that are assumed, " + c.framework.title + " refuses: " + detail, Framework: c.framework.name}
			if r.fix != nil {
				f.Fix = r.fix(&at)
			}
			out.Findings = append(out.Findings, f)
		}
	}
}

// say adds a finding where a rule of advice does not hold.
func (c *plan) say(out *Result, r *rule) {
	if detail, ok := r.holds(c); !ok {
		f := Finding{Rule: r.id, Severity: rules.Warn, Title: r.title, Detail: detail}
		if r.fix != nil {
			f.Fix = r.fix(c)
		}
		out.Findings = append(out.Findings, f)
	}
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

// choices writes the legal values of a kind for people.
func (c *plan) choices(name string, kind axis) string {
	values := c.legal(kind)
	if len(values) == 0 {
		return ""
	}
	words := make([]string, 0, len(values))
	for _, v := range values {
		words = append(words, strconv.FormatInt(v, 10))
	}
	if len(words) > 16 {
		words = append(words[:15], "…", words[len(words)-1])
	}
	if len(words) == 1 {
		return "set " + name + " to " + words[0]
	}
	return "set " + name + " to one of " + strings.Join(words, ", ")
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
func (c *plan) idle(bubble *quantity.Decimal) (Finding, bool) {
	if bubble == nil || 2*bubble.Unscaled <= 10_000 {
		return Finding{}, false
	}
	return Finding{Rule: "layout-bubble", Severity: rules.Warn, Title: "The pipeline waits for more than half of a step",
		Detail: "with " + quantity.Grouped(c.PP) + " stages and a number of micro-batches of " + quantity.Grouped(c.microBatches) + ", " + percent(bubble) + " of a step is idle",
		Fix:    "set global_batch to " + quantity.Grouped(times(c.MicroBatch, c.DP, 4, c.PP)) + " or more"}, true
}

func percent(d *quantity.Decimal) string {
	return quantity.Decimal{Unscaled: d.Unscaled, Places: d.Places - 2}.String() + " %"
}
