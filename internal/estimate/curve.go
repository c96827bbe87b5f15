package estimate

import "github.com/modelverifier/verifier/internal/infer"

// Phase is a part of a training step.
type Phase string

// The phases, in their order.
const (
	Forward       Phase = "forward"
	Loss          Phase = "loss"
	Backward      Phase = "backward"
	OptimizerStep Phase = "optimizer"
)

// Moment is what is allocated while one component runs. The bytes beside the total, with those of the curve that are
// always there, add up to it.
type Moment struct {
	Phase      Phase
	Component  int   // its index, or -1 for the loss and the optimizer
	Total      int64 // bytes allocated
	Gradients  int64 // of weights
	Activation int64 // saved for backward; in the forward pass with the results that still have a reader
	Logits     int64 // the model's results and what the loss makes of them
	Step       int64 // what the optimizer makes while it works
	Passing    int64 // gradients of activations, and what the component needs for itself
}

// Saved is what a component has saved for backward at some moment.
type Saved struct {
	Component int
	Bytes     int64
}

// Curve is what a training step holds over its course: the moments whose largest is the peak of Train. Of a step that
// takes several micro-batches it is the second one, whose gradients are added to those of the first.
type Curve struct {
	Weights, States, Inputs int64 // always there: weights, the optimizer's states, and inputs with their targets
	Moments                 []Moment
	Peak                    int // index of the first moment that is the largest; -1 where there is none
	Saved                   []Saved
}

// Follow draws the memory of a training step.
func Follow(res *infer.Result, o Options) *Curve {
	o = o.or(Defaults(), batchFor(res))
	r := new(Room)
	t, _ := r.tape(res, o)
	return r.curve(t, o)
}
