package tape

// Peaks is the most that was allocated in each phase of a step, and what was when its forward pass ended.
type Peaks struct {
	Kept, Forward, Backward, Step int64
}

// Most is the most of them.
func (p *Peaks) Most() int64 { return max(p.Forward, p.Backward, p.Step) }

// Account is what a step held. Of one that takes several micro-batches it is the last of them, whose gradients are added to those before.
type Account struct {
	Peaks
	Peak Parts // when the most was allocated

	// Held is what the step held of each part: activations when the forward pass ended, gradients when the optimizer began, logits and
	// the optimizer's copies when they were largest. The others do not change.
	Held Parts

	Paged int64 // states of the optimizer in unified memory, which are in no part
}

// note ends a phase, and returns the most that was allocated in it. Who watches has phases of his own.
func (r *run) note(a *Account) int64 {
	if r.watch != nil && r.last {
		return 0
	}
	if r.most > a.Peak.Sum() {
		a.Peak = r.partsAtMost()
	}
	return r.phase()
}

// Binding is the largest part at the peak, in the words of a plan.
func (a *Account) Binding() string {
	name, largest := "", int64(-1)
	for _, part := range [...]struct {
		name  string
		bytes int64
	}{{"weights", a.Peak[Weights]}, {"gradients", a.Peak[Gradients]}, {"optimizer", a.Peak[States] + a.Peak[Copies]},
		{"activations", a.Peak[Activations]}, {"logits", a.Peak[Logits]}} {
		if part.bytes > largest && a.Peak.Sum() > 0 {
			name, largest = part.name, part.bytes
		}
	}
	return name
}
