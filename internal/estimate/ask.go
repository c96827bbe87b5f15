package estimate

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/quantity"
)

// ask prices the run on the card that was asked for, and on as many of them as it takes.
func (t *Training) ask(g *hardware.GPU) {
	if g == nil {
		return
	}
	t.PricedOn, t.Cards = g, 1
	if room := g.MemoryBytes - contextBytes; t.CardBytes > g.MemoryBytes {
		t.Cards = (t.NeedBytes + room - 1) / room
	}
}

// Fitting reports whether the run fits on the card that it is priced on.
func (t *Training) Fitting() bool { return t.Cards == 1 }

// variations says what else a run does, and what of it rests on no measurement.
func (t *Training) variations() string {
	o := t.Options
	var b strings.Builder
	if o.accumulates() {
		_, n := o.micro()
		fmt.Fprintf(&b, ", in %s micro-batches of %s", quantity.Grouped(n), quantity.Grouped(o.MicroBatch))
	}
	if t.dropless {
		b.WriteString(", the config's dropout taken as 0")
	}
	b.WriteString(o.packingText())
	b.WriteString(t.objectiveText())
	if o.Autocast {
		b.WriteString(" under autocast")
	}
	if o.Expandable {
		b.WriteString(", expandable segments")
	}
	if o.FusedLoss {
		b.WriteString(", logits and loss in pieces (not measured)")
	}
	if a := o.Adapt; a != nil && a.LoRA != nil {
		fmt.Fprintf(&b, ", LoRA of rank %s on ", quantity.Grouped(a.LoRA.Rank))
		if len(a.LoRA.Targets) == 0 {
			b.WriteString("every linear layer but the last")
		} else {
			b.WriteString(parts(a.LoRA.Targets))
		}
		b.WriteString(adapterText(&o))
	} else if a != nil && len(a.Frozen) > 0 {
		b.WriteString(", " + parts(a.Frozen) + " frozen")
	}
	if o.Adapt != nil && t.TrainedParams == 0 {
		b.WriteString(", no weight trained, which PyTorch refuses")
	}
	if t.PagedBytes > 0 {
		fmt.Fprintf(&b, ", %s of states in unified memory, which CUDA moves between host and card and no figure counts", quantity.Bytes(t.PagedBytes))
	}
	if rate(t.PricedOn, o.Precision) == 0 {
		fmt.Fprintf(&b, ", bf16 at the rate of fp32 because %s does not have it", t.PricedOn.Name)
	}
	return b.String()
}

// adapterText says what adapters and the weights beside them are like.
func adapterText(o *Options) string {
	text := " in 32 bits"
	if o.adapters().Width == 0 {
		text = " in the type of the weights"
	}
	if o.Adapt.LoRA.Dropout > 0 {
		text += ", dropout in front of them"
	}
	switch o.Base {
	case "":
		return text
	case "nf4":
		return text + ", the other linear layers but the last in 4 bits (bitsandbytes, nf4)"
	case "int8":
		return text + ", the other linear layers but the last in 8 bits (bitsandbytes, LLM.int8), which keep what they read until the backward pass is through"
	}
	return text + ", the other linear layers but the last in 4 bits with quantised scales (bitsandbytes, nf4)"
}

// parts counts patterns; the names are the caller's and stand in the record.
func parts(patterns []string) string {
	if len(patterns) == 1 {
		return "1 named part"
	}
	return quantity.Grouped(int64(len(patterns))) + " named parts"
}
