package tape

import "github.com/modelverifier/verifier/internal/allocator"

// What cuBLAS has of the card through the allocator, once in a process: a workspace for each of its handles (getChosenWorkspaceSize of PyTorch's
// CUDABlas.cpp: 32 MiB on current cards). A thread has its own handle, and autograd runs the backward pass in a thread of its own.
const (
	workspaceBytes = 32 << 20
	handles        = 2
)

// Need is the smallest memory in which the training goes through that Run followed last, and Reserved what the allocator takes of a card that has
// more than enough. Both have cuBLAS's workspaces in them, and lack the context of the process.
type Need struct{ Bytes, Reserved int64 }

// Need follows the allocator through what Run recorded, with expandable segments (expandable_segments:True) or without. It reports whether the run is
// short enough for that.
func (t *Tape) Need(expandable bool) (n Need, ok bool) {
	r := &t.run.recorder
	r.replayer.Expandable = expandable
	n.Bytes, n.Reserved, ok = r.replayer.Follow(&r.trace)
	return n, ok
}

// recorder notes what training takes and gives: the weights, as they are made; the optimizer's states; and the last step.
type recorder struct {
	trace    allocator.Trace
	replayer allocator.Replayer
	on       bool
	wanted   bool // training is followed
}

// begin starts a trace with what is there before a model is.
func (r *recorder) begin() {
	r.trace.Clear()
	r.on, r.wanted = true, true
	for range handles {
		r.trace.Take(workspaceBytes)
	}
}

// idle is the recorder with nothing to note, in the memory of the one before.
func (r *recorder) idle() recorder { return recorder{trace: r.trace, replayer: r.replayer} }

// step begins the last step.
func (r *recorder) step() {
	r.trace.Step()
	r.on = r.wanted
}

// tie records that a layer is made with a weight of its own, which goes when it is tied to that of another.
func (r *run) tie() {
	if !r.recorder.on {
		return
	}
	trace := &r.recorder.trace
	r.given = r.given[:0]
	for _, id := range r.tape.tied {
		r.given = append(r.given, trace.Take(r.tape.tensors[id].bytes))
	}
	for _, take := range r.given {
		trace.Give(take)
	}
}
