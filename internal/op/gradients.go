package op

// Saved collects what autograd saves of a step.
type Saved struct {
	needs uint64
	In    uint64 // a bit for each input
	Out   bool
	Kept  bool // all further results
}

// Begin starts the collection for a step of whose inputs these bits say which need gradients.
func (s *Saved) Begin(needs uint64) { *s = Saved{needs: needs} }

// Needs reports whether an input needs a gradient.
func (s *Saved) Needs(k int) bool { return s.needs>>k&1 == 1 }

// Input saves an input.
func (s *Saved) Input(k int) { s.In |= 1 << k }

// Output saves the result.
func (s *Saved) Output() { s.Out = true }

// Further saves the further results.
func (s *Saved) Further() { s.Kept = true }

// savesInput and savesOutput are what many operations save.
func savesInput(_ *Step, save *Saved)  { save.Input(0) }
func savesOutput(_ *Step, save *Saved) { save.Output() }

// savesFactors is a product of two: each where the other needs a gradient.
func savesFactors(_ *Step, save *Saved) {
	if save.Needs(0) {
		save.Input(1)
	}
	if save.Needs(1) {
		save.Input(0)
	}
}

// Act is one thing that a backward pass does with memory.
type Act uint8

// The acts.
const (
	New     Act = iota // makes the gradient of an input
	Same               // hands the gradient of the result on to an input, as it is or as a view
	Holds              // makes a tensor that stays until the operation is through
	Passing            // needs memory for a moment
	Drops              // frees what Holds made last
	Ends               // the operation is through: what follows autograd's engine does, as to sum over broadcast axes
	Joins              // hands the gradient of a part on, which waits for those of the other parts
	Hands              // hands a further result with the number of an input on as its gradient
	Viewed             // makes the gradient of an input, which is a view of what the operation made
)

// Action is one of them.
type Action struct {
	Act    Act
	In     int8
	DType  DType
	Elems  int64 // of a sample, or of all where Shared
	Bytes  int64 // of a Passing, in all
	Shared bool
}

// Gradients collects what the backward pass of a step does with memory.
type Gradients struct {
	Actions []Action
	Batch   int64
	Width   int64 // bytes of an element of the result
	Card    Card
	needs   uint64
}

// Begin starts the collection for a step.
func (g *Gradients) Begin(needs uint64, batch, width int64) {
	g.Actions, g.needs, g.Batch, g.Width = g.Actions[:0], needs, batch, width
}

// Needs reports whether an input needs a gradient.
func (g *Gradients) Needs(k int) bool { return g.needs>>k&1 == 1 }

// New makes the gradient of an input, where it needs one.
func (g *Gradients) New(k int) {
	if g.Needs(k) {
		g.Actions = append(g.Actions, Action{Act: New, In: int8(k)})
	}
}

// Viewed makes the gradient of an input as a view of another tensor. That tensor lives as long as the view does, so that two hold its storage, and
// autograd adds a further gradient into a new one (can_accumulate_inplace in input_buffer.cpp).
func (g *Gradients) Viewed(k int) {
	if g.Needs(k) {
		g.Actions = append(g.Actions, Action{Act: Viewed, In: int8(k)})
	}
}

// Same hands the gradient of the result on.
func (g *Gradients) Same(k int) {
	if g.Needs(k) {
		g.Actions = append(g.Actions, Action{Act: Same, In: int8(k)})
	}
}

// Holds makes a tensor like the result that stays until the operation is through.
func (g *Gradients) Holds(elems int64, dtype DType, shared bool) {
	g.Actions = append(g.Actions, Action{Act: Holds, Elems: elems, DType: dtype, Shared: shared})
}

// Passing needs bytes for a moment.
func (g *Gradients) Passing(bytes int64) {
	if bytes > 0 {
		g.Actions = append(g.Actions, Action{Act: Passing, Bytes: bytes})
	}
}

// Ends says that the operation itself is through. What was computed again for it is free from here on, while what was saved still is held.
func (g *Gradients) Ends() { g.Actions = append(g.Actions, Action{Act: Ends}) }

// Drops frees what Holds made last.
func (g *Gradients) Drops() { g.Actions = append(g.Actions, Action{Act: Drops}) }

// Joins hands the gradient of a part on to the whole.
func (g *Gradients) Joins(k int) {
	if g.Needs(k) {
		g.Actions = append(g.Actions, Action{Act: Joins, In: int8(k)})
	}
}

// Hands hands the further result with the number of an input on as its gradient.
func (g *Gradients) Hands(k int) {
	if g.Needs(k) {
		g.Actions = append(g.Actions, Action{Act: Hands, In: int8(k)})
	}
}
