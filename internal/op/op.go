// Package op has the tensor operations that components are made of, each in one file: what it gives, what autograd saves of it, which
// tensors its backward pass makes, what autocast does to it, how many kernels it starts and how many FLOPs it takes.
//
// A component type lowers to a Program of them, the one that PyTorch runs for floats of the Program's width. Programs know shapes and
// nothing of a batch: package tape puts that in, and the casts of autocast.
package op

import (
	mathbits "math/bits"
	"slices"

	"github.com/modelverifier/verifier/internal/arena"
)

// Op is the meaning of one operation.
type Op struct {
	Name     string
	Autocast Autocast

	// View says that the result shares the storage of the first input, and the gradient of that input the storage of the result's.
	View bool

	// Pointwise says that the result lies in memory as the first input does.
	Pointwise bool

	// Cast says that the result is the first input in another width, and its gradient likewise.
	Cast bool

	// Half says that autocast runs it in fp16 whatever type it was asked for, and casts bf16 too.
	Half bool

	// Detaches says that the result has no gradient.
	Detaches bool

	// Leaf says that the result requires a gradient though nothing that it is made of does: requires_grad_().
	Leaf bool

	// Gathers says that its further results are there only where autograd saves them, as the states of a loop.
	Gathers bool

	// Returns says that the module returns what it reads beside its result, and that its caller has a name for it.
	Returns bool

	// Stores says that a cache holds what it reads when the pass is through.
	Stores bool

	// Saves declares what autograd saves for the backward pass. Nil saves nothing.
	Saves func(s *Step, save *Saved)

	// Pins says that the node of the graph has its first input in an attribute (ctx.tensors = ...) and not by save_for_backward: it stays until the whole
	// graph is free, and checkpointing does not let it go.
	Pins bool

	// Backward declares the tensors that the backward pass makes, in order. Nil makes one for each input that needs a gradient.
	Backward func(s *Step, g *Gradients)

	// Fits reports whether a step's result has a shape that its inputs give. Nil is the shape of the first input.
	Fits func(s *Step) bool

	// Workspace is the bytes that the forward pass needs only while it runs, for elements so many bytes wide. Nil is none.
	Workspace func(s *Step, batch, width int64) int64

	// FLOPs counts the forward pass of one sample as torch's FlopCounterMode does. Nil is none.
	FLOPs func(s *Step) int64

	// Bound is what the time of its kernels follows from.
	Bound Bound

	// Matrix is the sizes of a matrix product, whose gradients are such products too. Nil where it is none.
	Matrix func(s *Step, batch int64) Matrix

	// Before is the bytes that cross the bus in front of a product, as to bring a weight back to floats, in the forward pass or in the backward one, for
	// results so many bytes wide. Nil is none.
	Before func(s *Step, batch, width int64, back bool) int64

	// Integers says that the forward product is one of 8-bit integers, whatever its result is.
	Integers bool

	// Forward and Back are the kernels that the two passes start.
	Forward, Back int64

	// Serial is how many kernels the forward pass starts one behind the other in place of each of Forward. Nil is one.
	Serial func(s *Step) int64

	// Waits says that the host waits for the card, to read how many there are.
	Waits bool

	// Loops is how many positions a loop has, and how many kernels it starts at each; the backward pass starts three for each of them. Nil is no loop.
	Loops func(s *Step) (positions, kernels int64)
}

// Bound is what the time of a kernel follows from.
type Bound uint8

// The bounds.
const (
	ByMemory               Bound = iota // bytes that cross the bus, one element after the other
	ByReduction                         // the same, of rows that are summed: norms, softmax, sums
	ByIndex                             // the same, of rows in any order; of what is looked up in, only what is found is read
	ByProduct                           // a matrix product
	ByConvolution                       // a convolution
	ByThinConvolution                   // one that reads the few channels of an image
	ByGroupedConvolution                // one of groups of channels, or whose window is a line
	ByDepthwiseConvolution              // one that reads one
	ByAttention                         // an attention kernel
	ByStep                              // steps of a recurrent layer, each of which waits for the one before
)

// Convolves reports whether it is that of a convolution.
func (b Bound) Convolves() bool { return b >= ByConvolution && b <= ByDepthwiseConvolution }

// Matrix is the sizes of matrix products: Count of them, of (Rows, Inner) with (Inner, Columns).
type Matrix struct{ Count, Rows, Inner, Columns int64 }

// Autocast is what torch.autocast does to the floats that an operation reads.
type Autocast uint8

// The policies, by the lists of autocast_mode.h.
const (
	Promotes     Autocast = iota // runs in the widest of what arrives: all operations that are on no list
	Lowers                       // casts to 16 bits: products, convolutions, attention
	Widens                       // casts to 32 bits: norms, powers, losses
	WidensInside                 // gives 32 bits of what arrives as it is: softmax, sum, cumsum
	Follows                      // runs in the width of the first that arrives, whatever the others have: batch_norm, add_
)

// DType is the element type of a tensor, as far as its memory asks.
type DType uint8

// The element types. A Float is as wide as the precision of the run makes it at its place.
const (
	Float   DType = iota
	Float16       // or bfloat16
	Float32
	Int64
	Int32
	Byte // a bool, too
	Complex64
)

// Role is where a tensor comes from.
type Role uint8

// The roles.
const (
	Made    Role = iota // an operation gives it
	Arrives             // it flows into the component
	Weight              // it is trained
	Buffer              // it belongs to the module and is not trained
	Past                // a cache has it of the positions before; it is there when a pass begins, and goes behind its last reader
	Handed              // the model makes it in front of its layers and hands it to each
)

// Value is a tensor of a program.
type Value int32

// None is no tensor, as a bias that there is not.
const None Value = -1

// Tensor is what a program knows of one.
type Tensor struct {
	Shape   []int64 // of one sample, or of all where it is Shared
	elems   int64   // as Elems counts them; 0 where nobody has yet
	Round   int64   // its bytes are rounded up to a multiple of this; 0 for none
	Index   int32   // the input or the weight that it is, or the number of its name
	Copy    int32   // which of several weights with one number, as those of experts
	Base    Value   // the tensor in whose storage it lies: itself, unless it is a view
	Shared  bool    // it has no batch axis: weights, buffers, tables
	Strided bool    // its elements do not lie in the order of its axes: what was transposed, and what is computed of that element by element
	DType   DType
	Width   uint8 // bytes of an element
	Role    Role
	Stored  Stored // of a weight: how it lies in memory
}

// MostElems is where the number of a tensor's elements stops growing: beyond what any card holds.
const MostElems = 1 << 44

// Elems is the number of its elements, of one sample where it is not Shared.
func (t *Tensor) Elems() int64 {
	if t.elems > 0 {
		return t.elems
	}
	return elems(t.Shape)
}

func elems(shape []int64) int64 {
	n := uint64(1)
	for _, d := range shape {
		over, product := mathbits.Mul64(n, uint64(max(d, 0)))
		if n = product; over > 0 || n > MostElems {
			return MostElems
		}
	}
	return int64(n)
}

// Step is one operation of a program.
type Step struct {
	Op   *Op
	In   []Value
	Out  Value
	Kept []Value  // further results, which only the backward pass reads
	N    [5]int64 // numbers of the operation, as the rows, the features in and the features out of a product

	// Beside is how many kernels the code starts beside this step in small operations that have no part in the peak.
	Beside int64

	// Causal says that an attention computes the scores of positions before each alone, which are half of them.
	Causal bool

	Program *Program
}

// input is the tensor that a step reads k-th.
func (s *Step) input(k int) *Tensor { return &s.Program.Tensors[s.In[k]] }

func (s *Step) output() *Tensor { return &s.Program.Tensors[s.Out] }

// Program is the operations of a component, in the order in which PyTorch runs them.
type Program struct {
	Tensors []Tensor
	Steps   []Step
	In      []Value
	Out     Value

	Precision Precision
	Single    bool // the batch is one sample, whose axis can lie anywhere
	Eval      bool // the model is in use, behind model.eval() and torch.no_grad()

	// IntsToFloat says that the operations make floats of integers, as torch.exp does; others, as torch.abs, keep integers.
	IntsToFloat bool

	adapters int32
	weights  []Value  // by number, from TiedWeight on; None where nobody has asked
	names    []string // of what is Handed
	values   arena.Of[Value]
	dims     arena.Of[int64]

	marks []bool // of Saved, like what follows
	saved []Value
	saves Saved
}

// Precision is how wide floats are.
type Precision struct {
	Weights  int64 // bytes of a weight, and of what the model is given; 0 is 4
	Autocast bool  // torch.autocast to 16 bits is on
	Half     bool  // which is to fp16
}

// Reset empties a program and keeps its memory.
func (p *Program) Reset() {
	p.Tensors, p.Steps, p.In, p.Out, p.IntsToFloat, p.adapters = p.Tensors[:0], p.Steps[:0], p.In[:0], None, false, 0
	p.weights, p.names = p.weights[:0], p.names[:0]
	p.values.Clear()
	p.dims.Clear()
}

// Reserve makes room for so many inputs, and for an operation that reads each. A program that grows by append leaves several times its size behind.
func (p *Program) Reserve(inputs int) {
	p.Tensors, p.Steps, p.In = slices.Grow(p.Tensors, 2*inputs), slices.Grow(p.Steps, inputs), slices.Grow(p.In, inputs)
}

// Input declares the next tensor that flows into the component.
func (p *Program) Input(shape []int64, dtype DType) Value {
	v := p.tensor(Tensor{Shape: shape, DType: dtype, Role: Arrives, Index: int32(len(p.In))})
	p.In = append(p.In, v)
	return v
}

// Weight is the component's weight with a number, in the order in which its type declares them.
func (p *Program) Weight(index int, shape ...int64) Value { return p.WeightOf(index, 0, shape...) }

// WeightOf is one of several weights that a type declares at once. All but the first are asked for once.
func (p *Program) WeightOf(index int, nth int64, shape ...int64) Value {
	at := index - TiedWeight
	for nth == 0 && len(p.weights) <= at {
		p.weights = append(p.weights, None)
	}
	if nth == 0 && p.weights[at] != None {
		return p.weights[at]
	}
	v := p.tensor(Tensor{Shape: shape, Shared: true, Role: Weight, Index: int32(index), Copy: int32(nth)})
	if nth == 0 {
		p.weights[at] = v
	}
	return v
}

// Tied is the weight of another component that this one uses.
func (p *Program) Tied(shape ...int64) Value { return p.Weight(TiedWeight, shape...) }

// TiedWeight is the number of a weight of another component.
const TiedWeight = -1

// Adapter is a trained matrix beside the component's weights, of so many bytes an element, or as wide as those where that is 0.
func (p *Program) Adapter(width int64, shape ...int64) Value {
	p.adapters++
	t := Tensor{Shape: shape, Shared: true, Role: Weight, Index: AdapterWeight + p.adapters}
	if width > 0 {
		t.DType = floatOf(width)
	}
	return p.tensor(t)
}

// AdapterWeight is the number in front of those of adapters.
const AdapterWeight = 1 << 16

// Buffer is a tensor of the module that is not trained.
func (p *Program) Buffer(dtype DType, shape ...int64) Value {
	return p.tensor(Tensor{Shape: shape, Shared: true, DType: dtype, Role: Buffer})
}

// Handed is a tensor that the model makes once, in front of its layers, and hands to each: a mask, or the cosines of positions. Those of one
// name and size are one.
func (p *Program) Handed(name string, dtype DType, shared bool, shape ...int64) Value {
	p.names = append(p.names, name)
	return p.tensor(Tensor{Shape: shape, Shared: shared, DType: dtype, Role: Handed, Index: int32(len(p.names) - 1)})
}

// NameOf is the name of a tensor that is Handed.
func (p *Program) NameOf(v Value) string { return p.names[p.Tensors[v].Index] }

// Shape is the shape of a tensor.
func (p *Program) Shape(v Value) []int64 { return p.Tensors[v].Shape }

// Elems is the number of its elements.
func (p *Program) Elems(v Value) int64 { return p.Tensors[v].Elems() }

// tensor adds a tensor without a name. It copies all else, the shape into the memory of the program, so that who calls an operation can
// write a shape down without an allocation.
func (p *Program) tensor(t Tensor) Value { return p.add(&t) }

func (p *Program) add(t *Tensor) Value {
	v := Value(len(p.Tensors))
	p.dims.PushAll(t.Shape)
	p.Tensors = append(p.Tensors, Tensor{Shape: p.dims.Take(), elems: t.Elems(), Round: t.Round, Index: t.Index, Copy: t.Copy, Base: v,
		Shared: t.Shared, Strided: t.Strided, DType: t.DType, Width: t.Width, Role: t.Role})
	if t.Width == 0 {
		p.Tensors[v].Width = uint8(p.Precision.Width(t.DType))
	}
	return v
}

// do adds a step whose result is a new tensor, or a view of the first input.
func (p *Program) do(o *Op, result Tensor, in ...Value) *Step {
	if len(in) > 0 && !result.Shared {
		result.Shared = true
		for _, v := range in {
			result.Shared = result.Shared && p.Tensors[v].Shared
		}
	}
	if result.DType == Float && len(in) > 0 && p.ints(in) {
		result.DType = Int64
		if p.IntsToFloat {
			result.DType = Float32
		}
	}
	if result.elems = elems(result.Shape); o.Pointwise && p.Tensors[in[0]].Elems() == result.elems {
		result.Strided = p.Tensors[in[0]].Strided
	}
	result.Width = uint8(p.width(o, &result, in))
	out := p.add(&result)
	if o.View {
		p.Tensors[out].Base = p.Tensors[in[0]].Base
	}
	p.values.PushAll(in)
	p.Steps = append(p.Steps, Step{Op: o, In: p.values.Take(), Out: out, Program: p})
	return &p.Steps[len(p.Steps)-1]
}

// ints reports whether all of these are integers.
func (p *Program) ints(in []Value) bool {
	for _, v := range in {
		if p.Tensors[v].DType.IsFloat() {
			return false
		}
	}
	return true
}

// keep adds a result that only the backward pass reads.
func (p *Program) keep(s *Step, dtype DType, shared bool, shape ...int64) {
	p.values.PushAll(s.Kept)
	p.values.Push(p.tensor(Tensor{Shape: shape, DType: dtype, Shared: shared}))
	s.Kept = p.values.Take()
}

// dimensions copies a shape, with further axes behind it, into the memory of the program.
func (p *Program) dimensions(shape []int64, more ...int64) []int64 {
	p.dims.PushAll(shape)
	p.dims.PushAll(more)
	return p.dims.Take()
}
