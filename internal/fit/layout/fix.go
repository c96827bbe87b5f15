package layout

import (
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/rules"
)

// size is a field of a request that a fix may set, by its name on the wire.
type size string

const (
	sizeTP          size = "tp"
	sizePP          size = "pp"
	sizeDP          size = "dp"
	sizeCP          size = "cp"
	sizeEP          size = "ep"
	sizeVPP         size = "vpp"
	sizeETP         size = "etp"
	sizeZero        size = "zero"
	sizeMicroBatch  size = "micro_batch"
	sizeGlobalBatch size = "global_batch"
	sizeSeqLen      size = "seq_len"
	sizeLastLayers  size = "last_stage_layers"
	sizeRecompute   size = "recompute"         // an index of Recomputes
	sizeSequence    size = "sequence_parallel" // 1 for on
)

// setting gives one field a value.
type setting struct {
	field size
	value int64
}

// change is what is set together.
type change []setting

// proposal is what could be done about a finding, the mildest first. Of several kinds of change that help, all are offered, or the
// first alone.
type proposal struct {
	changes []change
	first   bool
}

// set proposes values of one field.
func set(field size, values ...int64) proposal {
	var p proposal
	for _, v := range values {
		p.changes = append(p.changes, change{{field, v}})
	}
	return p
}

// with is a request with a change made.
func (r Request) with(c change) Request {
	for _, s := range c {
		v := s.value
		switch s.field {
		case sizeTP:
			r.TP = v
		case sizePP:
			r.PP = v
		case sizeDP:
			r.DP = v
		case sizeCP:
			r.CP = v
		case sizeEP:
			r.EP = v
		case sizeVPP:
			r.VPP = v
		case sizeMicroBatch:
			r.MicroBatch = v
		case sizeETP:
			r.ETP = &v
		case sizeZero:
			r.Zero = &v
		case sizeGlobalBatch:
			r.GlobalBatch = &v
		case sizeSeqLen:
			r.SeqLen = &v
		case sizeLastLayers:
			r.LastLayers = &v
		case sizeRecompute:
			r.Recompute = Recomputes[v]
		case sizeSequence:
			on := v == 1
			r.SequenceParallel = &on
		}
	}
	return r
}

// tried is how many values of a proposal are judged.
const tried = 64

// settle judges the layout with every proposal and words those that help: after them the finding is gone, nothing blocks that did not
// block before, and fewer findings block, or as many and fewer are left. So following them ends.
func (m *model) settle(r Request, pending []pending) []Finding {
	out := make([]Finding, len(pending))
	for i := range pending {
		out[i] = pending[i].Finding
		if pending[i].propose == nil {
			continue
		}
		var helps []change
		p := pending[i].propose()
		for _, c := range p.changes[:min(tried, len(p.changes))] {
			if then := m.findings(r.with(c)); better(pending, then, out[i].Rule) {
				helps = append(helps, c)
				if p.first {
					break
				}
			}
		}
		out[i].Fix = words(helps)
	}
	return out
}

// findings are those of another request, which may be of another length.
func (m *model) findings(r Request) []pending {
	if now, then := m.asked, r.SeqLen; then != nil && (now == nil || *now != *then) {
		m = newModel(m.source, then)
	}
	all, _ := m.judge(r)
	return all
}

// better reports whether a change does away with a finding of a rule and makes nothing worse.
func better(before, after []pending, rule string) bool {
	was, is := tally(before), tally(after)
	if is.of[rule] >= was.of[rule] {
		return false
	}
	for _, f := range after {
		if f.Severity == rules.Block && was.blocking[f.Rule] == 0 {
			return false
		}
	}
	return is.blocks < was.blocks || is.blocks == was.blocks && len(after) < len(before)
}

type count struct {
	blocks       int
	of, blocking map[string]int
}

func tally(list []pending) count {
	n := count{of: map[string]int{}, blocking: map[string]int{}}
	for _, f := range list {
		n.of[f.Rule]++
		if f.Severity == rules.Block {
			n.blocks++
			n.blocking[f.Rule]++
		}
	}
	return n
}

// words writes changes for people: values of one field together, and other changes behind them.
func words(changes []change) string {
	var parts []string
	for i := 0; i < len(changes); {
		c, j := changes[i], i+1
		if len(c) > 1 {
			parts = append(parts, "set "+c.words())
			i++
			continue
		}
		values := []string{c[0].shown()}
		for ; j < len(changes) && len(changes[j]) == 1 && changes[j][0].field == c[0].field; j++ {
			values = append(values, changes[j][0].shown())
		}
		if i = j; len(values) > 16 {
			values = append(values[:15], "…", values[len(values)-1])
		}
		switch {
		case c[0].field == sizeSequence:
			parts = append(parts, "turn sequence_parallel on")
		case len(values) == 1:
			parts = append(parts, "set "+string(c[0].field)+" to "+values[0])
		default:
			parts = append(parts, "set "+string(c[0].field)+" to one of "+strings.Join(values, ", "))
		}
	}
	return strings.Join(parts, ", or ")
}

func (c change) words() string {
	all := make([]string, len(c))
	for i, s := range c {
		all[i] = string(s.field) + " to " + s.shown()
	}
	return strings.Join(all, " and ")
}

func (s setting) shown() string {
	if s.field == sizeRecompute {
		return Recomputes[s.value]
	}
	return strconv.FormatInt(s.value, 10)
}

// pending is a finding whose fix was not judged yet.
type pending struct {
	Finding
	propose func() proposal // nil where nothing is certain
}

func chooseTP(c *plan) proposal { return set(sizeTP, c.legal(onTP)...) }
func choosePP(c *plan) proposal { return set(sizePP, c.legal(onPP)...) }

// only proposes one value of a field.
func only(field size, value int64) func(*plan) proposal {
	return func(*plan) proposal { return set(field, value) }
}

// relief are the changes after which every stage may fit, the mildest first.
func (c *plan) relief() proposal {
	full := int64(slices.Index(Recomputes, "full"))
	p := proposal{first: true}
	sharded := c.DP*c.CP > 1
	if c.zero == 0 && sharded && c.framework.name != torchtitan.name {
		p.changes = append(p.changes, change{{sizeZero, 1}})
	}
	if c.Recompute != "full" {
		p.changes = append(p.changes, change{{sizeRecompute, full}})
		if c.zero == 0 && sharded && c.framework.name != torchtitan.name {
			p.changes = append(p.changes, change{{sizeZero, 1}, {sizeRecompute, full}})
		}
	}
	if c.zero < 3 && sharded {
		p.changes = append(p.changes, change{{sizeZero, 3}}, change{{sizeZero, 3}, {sizeRecompute, full}})
	}
	return p
}
