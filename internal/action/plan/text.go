package plan

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/quantity"
)

// The columns of the text.
const (
	textWidth  = 80
	labelWidth = 12
)

// page is text that grows line by line: a label, and what is said about it, broken at the right margin.
type page struct{ strings.Builder }

// Text writes a record for a terminal.
func Text(r *Record) string {
	p := &page{}
	p.title(r)
	p.row("structure", "%s, %s, %s", r.Model.Fingerprint, count(r.Model.Layers, "layer"), shapes(r))
	p.row("parameters", "%s", r.counted(quantity.Grouped(r.Model.Params)+" ("+quantity.Short(r.Model.Params)+")"))
	p.compute(r)
	if i := r.Model.Implementation; i != nil {
		p.row("modules", "%s", i.words())
	}
	p.memory(r)
	if a := r.Cost.Asked; a != nil {
		p.row("fits", "%s", a.words())
	}
	switch {
	case r.Cost.Asked != nil && r.crashes(): // it fits on no card, as was said
	case r.fits() == notKnown:
		p.row("fits", notKnown)
	default:
		p.row("fits", "%s; T4 %s, A100_40 %s, H100_80 %s", r.Cost.FitsGPU, yes(r.Cost.GPUFits.T4), yes(r.Cost.GPUFits.A10040), yes(r.Cost.GPUFits.H10080))
	}
	p.row("time", "%s", r.Cost.time())
	p.row("cost", "%s", r.Cost.price())
	if r.Cost.RefusedRunUSD != nil {
		price := dollars(*r.Cost.RefusedRunUSD)
		if len(r.Cost.Withheld) > 0 {
			price += " at the least"
		}
		p.row("refused", "the run that this plan refuses is priced at %s", price)
	}
	if r.Cost.EstCostUSD == nil {
		p.row("no price", "%s", r.unpriced())
	} else if len(r.Cost.Withheld) > 0 {
		p.row("lacks", "time, memory and price lack %s", r.lacks())
	}
	for i := range r.Fixes {
		p.row("to fit", "%s", r.Fixes[i].words())
	}
	p.row("inference", "%s", r.Inference.words())
	p.images(r.Inference)
	if r.SeqLen != nil {
		p.row("length", "%s", r.SeqLen.sentence())
	}
	if r.Source != nil {
		p.row("source", "%s", r.Source.words())
	}
	if r.Policy.Applied {
		p.row("policy", "%s", count(r.Policy.Violations, "violation"))
	}
	p.diff(r.Diff)
	p.findings("blocked", r.Run.Blockers)
	p.findings("warning", r.Run.Warnings)
	if len(r.Run.Withheld) > 0 {
		p.row("withheld", "%s", some(r.Run.Withheld))
	}
	if last := r.last(); last != "" {
		p.row("last run", "%s", last)
	}
	p.row("assumes", "%s", r.Cost.Assumptions)
	return p.String()
}

// title is what is planned, behind what was not followed of it, and the answer to what was asked.
func (p *page) title(r *Record) {
	if part := r.followed(); part != "" {
		p.row("partly", "%s", part)
	}
	p.row("plan", "%s: %s", r.title(), r.verdict())
	if r.Solved != nil {
		p.row("answer", "%s", r.answer())
	}
}

// followed is what the summary begins with where the source was not followed to its end.
func (r *Record) followed() string {
	before, whole := strings.CutSuffix(r.Summary, summary(r))
	if !whole {
		return ""
	}
	return strings.TrimSpace(before)
}

func shapes(r *Record) string {
	return shape(r.Model.InputShape, r.Model.InputShape.String()) + " to " + shape(r.Model.OutputShape, r.Model.OutputShape.String())
}

// behind puts a text behind a separator, where there is one.
func behind(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func (p *page) memory(r *Record) {
	m := r.Memory
	if m == nil {
		p.row("memory", notKnown)
		return
	}
	p.row("memory", r.atLeast()+"%s on the card, %s allocated at the peak (%s): weights %s, gradients %s, optimizer %s, activations %s, logits %s", quantity.Bytes(m.CardBytes),
		m.peak(), m.Binding, quantity.Bytes(m.WeightBytes), quantity.Bytes(m.GradientBytes), quantity.Bytes(m.OptimizerBytes),
		quantity.Bytes(m.ActivationBytes), quantity.Bytes(m.LogitBytes))
	if text := eager(r); text != "" {
		p.row("", "%s", text)
	}
	p.sharded(r.Sharded)
}

// eager says what attention that keeps its scores would add, where it matters: from a hundredth of the peak on. Of a part of a model it says
// nothing: the difference of two lower bounds is none.
func eager(r *Record) string {
	if r.Memory == nil || r.atLeast() != "" {
		return ""
	}
	extra := r.Memory.EagerExtraBytes
	if extra == 0 || extra < r.Memory.PeakBytes/100 {
		return ""
	}
	return "eager attention would add " + quantity.Bytes(extra)
}

func (p *page) compute(r *Record) {
	if r.FLOPs == nil {
		p.row("compute", notKnown)
		return
	}
	p.row("compute", "%s (%s FLOPs) forward, one sample; %s multiply-adds", quantity.FLOPs(*r.FLOPs), quantity.Grouped(*r.FLOPs), quantity.Grouped(*r.MACs))
}

func (p *page) diff(d *Diff) {
	if d == nil {
		return
	}
	p.row("changes", "%s", d.sentence())
	if d.empty() {
		return
	}
	memory := "not comparable"
	if d.MemoryDeltaGB != nil {
		memory = moreMemory(*d.MemoryDeltaGB)
	}
	p.row("", "%s downstream of a change, memory %s", count(d.BlastRadius, "component"), memory)
	p.list(d.Lines)
	for _, g := range d.groups() {
		p.row("", "%s: %s", g.word, some(g.names))
	}
}

// group is the names of components that something happened to.
type group struct {
	word  string
	names []string
}

func (d *Diff) groups() []group {
	var out []group
	for _, g := range []group{{"added", d.AddedNames}, {"removed", d.RemovedNames}, {"rewired", d.RewiredNames}} {
		if len(g.names) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// some joins the first names of a list.
func some(names []string) string {
	var parts []string
	for i, n := range names {
		if i == mostLines {
			parts = append(parts, fmt.Sprintf("and %s more", quantity.Grouped(int64(len(names)-i))))
			break
		}
		parts = append(parts, clip(n))
	}
	return strings.Join(parts, ", ")
}

func (p *page) list(lines []string) {
	for i, l := range lines {
		if i == mostLines {
			p.row("", "and %s more", quantity.Grouped(int64(len(lines)-i)))
			return
		}
		p.row("", "%s", l)
	}
}

func (p *page) findings(label string, list []action.Finding) {
	for i, f := range list {
		if i == mostLines {
			p.row("", "and %s more", quantity.Grouped(int64(len(list)-i)))
			return
		}
		p.row(label, "%s", f.Detail)
		if f.Fix != "" {
			p.row("", "fix: %s", f.Fix)
		}
	}
}

// row appends a label and a text, whose further lines stand below its first one.
func (p *page) row(label, format string, args ...any) {
	prefix := fmt.Sprintf("%-*s", labelWidth, label)
	for _, line := range wrap(printable(fmt.Sprintf(format, args...)), textWidth-labelWidth) {
		p.WriteString(strings.TrimRight(prefix+line, " ") + "\n")
		prefix = strings.Repeat(" ", labelWidth)
	}
}

// wrap breaks a text between words, and a word that is longer than a line inside.
func wrap(text string, width int) []string {
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if used > 0 && used+1+n <= width {
			line, used = line+" "+word, used+1+n
			continue
		}
		if used > 0 {
			lines = append(lines, line)
		}
		for n > width {
			cut := prefix(word, width)
			lines, word, n = append(lines, word[:cut]), word[cut:], n-width
		}
		line, used = word, n
	}
	return append(lines, line)
}

// prefix is how many bytes the first so many characters of a text have.
func prefix(s string, characters int) int {
	at := 0
	for ; characters > 0 && at < len(s); characters-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}
