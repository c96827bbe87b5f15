package interp

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Every operation is charged by the size of what it reads and makes, before it makes it: steps are time, items are memory. What is not
// charged is bounded by what was: a hostile file costs its own call, and never the process.

// step counts work, and stops what goes on for too long.
func (in *Interp) step() {
	in.steps++
	if in.steps > MaxSteps {
		in.Fault("gave up after %d steps: a loop that does not end, or one over too much", MaxSteps)
	}
	if in.steps < in.looked || in.steps-in.looked >= lookEvery { // less: the count began afresh
		in.looked = in.steps
		if in.ctx != nil && in.ctx.Err() != nil {
			in.Fault("stopped: %v", in.ctx.Err())
		}
	}
}

// lookEvery is how many steps are taken before the caller's time is looked at again. One operation counts many, so that no step in
// particular is certain to come.
const lookEvery = 1 << 12

// Steps is how many were taken since the program began, where Afresh was not called.
func (in *Interp) Steps() int { return in.steps - in.began }

// Leave leaves a program no more than so many steps.
func (in *Interp) Leave(steps int) { in.steps, in.began = MaxSteps-steps, MaxSteps-steps }

// Afresh gives what is done after a program was followed as much as the program had.
func (in *Interp) Afresh() { in.steps, in.items = 0, 0 }

// perStep is how many items or bytes an operation goes over in the time of one step.
const perStep = 4

// work counts items or bytes that are gone over and not kept.
func (in *Interp) work(n int) {
	in.steps += n / perStep
	in.step()
}

// glance is work, where what is small is in the step that asks for it.
func (in *Interp) glance(n int) {
	if n >= perStep {
		in.work(n)
	}
}

// Work is glance, for native values.
func (in *Interp) Work(n int) { in.glance(n) }

// spend counts items put into containers.
func (in *Interp) spend(n int64) {
	if n < 0 || n > MaxItems || in.items+int(n) > MaxItems {
		in.Fault("gave up at %d items in lists: too many to follow", MaxItems)
	}
	in.items += int(n)
	in.work(int(n))
}

// EntryItems is how many items an entry of a dictionary that is made as a whole counts: it takes twice the time and the memory of a list's.
const EntryItems = 2

// Spend is spend, for native values.
func (in *Interp) Spend(n int64) { in.spend(n) }

// bytesPerItem is how many bytes of a string are charged as one item.
const bytesPerItem = 16

// spendText counts the bytes of a string that is to be made: times copies of so many, or anything beyond counting.
func (in *Interp) spendText(bytes, times int64) {
	n, ok := quantity.Mul(max(bytes, 0), max(times, 0))
	if !ok {
		n = (MaxItems + 1) * bytesPerItem
	}
	in.spend(n / bytesPerItem)
}

// text charges a string that was made of strings that were charged, and is not much larger than they are.
func (in *Interp) text(s string) string {
	in.spendText(int64(len(s)), 1)
	return s
}

// nest begins a native step inside another, and stops where there are too many: Go's own stack must not end the process.
func (in *Interp) nest(what string) {
	if in.nested++; in.nested > maxNested {
		in.Fault("%s is nested more than %d deep", what, maxNested)
	}
}

func (in *Interp) unnest() { in.nested-- }

// hashItems is what an item of a key costs: its text is written to be compared.
const hashItems = 4

// hash charges what it takes to find a key: every byte and item of it.
func (in *Interp) hash(v Value) {
	switch x := v.(type) {
	case string:
		in.spendText(int64(len(x)), 1)
	case *Tuple:
		in.nest("a key")
		defer in.unnest()
		in.spend(hashItems * int64(len(x.Items)+1))
		for _, item := range x.Items {
			in.hash(item)
		}
	}
}

// said is a message, of a length that a person reads.
func said(format string, args ...any) string { return graph.Cut(fmt.Sprintf(format, args...), maxSaid) }

// derive charges the order of the bases of a class.
func (in *Interp) derive(c *Class) {
	derived := 1
	for _, b := range c.Bases {
		derived += len(b.mro)
	}
	if derived > maxBases {
		in.Fault("class %s derives from more than %d classes", c.Name, maxBases)
	}
	in.spend(int64(derived))
	in.work(derived * derived) // each of them is looked for among the others
}
