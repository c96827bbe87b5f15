// Package catalog says what each component type means: its parameters, the shape of its result, its weights and FLOPs, the operations
// that PyTorch runs for it, and the PyTorch expression that it stands for.
//
// One file defines one type; everything else (lookup, checking of parameters, the reference page, the tests) follows from
// that file. The package sees one component at a time and must not know about graphs as a whole, rules or costs.
package catalog

import (
	"sort"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
)

// Type is the meaning of one component type.
type Type struct {
	ID      string
	Title   string // what it does, a few words
	Doc     string // for its page: what it computes, what to watch for
	Source  string // the code or paper that it follows
	Group   Group
	Aliases []string // other spellings; case, "-" and "_" are ignored anyway
	Params  []Param
	Inputs  Arity // the zero value is exactly one
	Traits  Trait

	// Ints says what happens to integer inputs; Indices are the inputs that must be integers (token ids, edges).
	Ints    IntPolicy
	Indices []int

	// Shape returns the shape of the result. With an error it may still return a shape, if that shape is certain
	// however the fault is repaired: inference then goes on behind the component.
	Shape func(*Call) (Shape, error)
	// Weights declares every trained tensor with Call.Weight.
	Weights func(*Call)
	// FLOPs counts the forward pass of one sample as torch's FlopCounterMode does: 2 per multiply-add of matrix
	// products, convolutions and attention, nothing for element-wise work.
	FLOPs func(*Call) int64

	// Lower writes the operations that PyTorch runs, and returns the result. What autograd saves for the backward pass follows from them.
	Lower func(*Lowering) op.Value

	// State is the elements that a recurrence hands from token to token where a model writes them one by one, of one sequence; 0 where it
	// needs the tokens behind, too. It is nil for what is no recurrence.
	State func(*Call) int64

	// Torch is the PyTorch expression of a callable, with {{param}} where a parameter goes. Module is the source of a
	// class that the expression needs, where torch.nn has none.
	Torch  string
	Module string
	Given  *Given // nil where all components of the type are written alike

	// WeightFormula and FLOPsFormula are printed on the page; a test evaluates them and compares them with the code.
	WeightFormula string
	FLOPsFormula  string

	Examples []Example

	spellings map[string]string // squashed names of parameters to their canonical ones
}

// Given is how a component that gives a parameter is written in PyTorch, where that is another class than that of the others.
type Given struct{ Param, Torch, Module string }

// Example is executed by the tests: inputs and arguments in the short notation, and what must come out.
type Example struct {
	In      string // "[8,4,4]", several separated by spaces, "int[12]" for token ids
	Args    string // "kernelSize=3 padding=same"
	Out     string // the shape of the result, "unknown" where the type cannot say, or
	Err     string // a part of the refusal
	Weights int64  // checked where Out is given and it is not zero
	FLOPs   int64  // likewise
}

// Arity is the number of inputs that a type takes. Any means no upper bound.
type Arity struct{ Min, Max int }

// Any as an upper bound lets a merge take any number of inputs.
const Any = 1 << 30

// NoInputs is for what nothing flows into. It is not the zero Arity, which stands for exactly one.
var NoInputs = Arity{-1, 0}

// IntPolicy says what a type does with integer tensors.
type IntPolicy uint8

// The policies. The zero value refuses integers, as PyTorch's float kernels do.
const (
	IntsRefused IntPolicy = iota
	IntsKept              // the result is an integer tensor if every input is
	IntsToFloat           // the result is a float tensor
	IntsMade              // the result is an integer tensor whatever comes in
)

// Group is a heading in lists of types.
type Group string

// The groups, in the order of the reference.
const (
	Structure     Group = "structure"
	Dense         Group = "dense"
	Convolution   Group = "convolution"
	Pooling       Group = "pooling"
	Resampling    Group = "resampling"
	Normalisation Group = "normalisation"
	Activation    Group = "activation"
	Regularising  Group = "regularisation"
	Embeddings    Group = "embedding"
	Recurrent     Group = "recurrent"
	Attention     Group = "attention"
	Blocks        Group = "block"
	GraphNets     Group = "graph network"
	Audio         Group = "audio"
	Recommending  Group = "recommendation"
	Merging       Group = "merge"
	Reshaping     Group = "shape"
	Arithmetic    Group = "arithmetic"
)

// Trait is what rules need to know about a type, so that no rule lists type names.
type Trait uint64

// The traits.
const (
	IsActivation    Trait = 1 << iota // element-wise non-linearity
	Saturates                         // an activation whose slope vanishes on both sides
	IsNorm                            // normalises
	IsBatchNorm                       // normalises over the batch
	IsDropout                         // drops at random
	IsAffine                          // one linear layer with weights (linear, convolution)
	IsConv                            // convolution of any kind
	IsPool                            // pooling of any kind
	IsAttention                       // mixes positions by attention
	IsRecurrent                       // runs along the sequence
	IsPositional                      // tells positions apart
	IsEmbedding                       // looks rows up by token id
	IsMerge                           // joins several inputs
	IsAdd                             // adds its inputs: a residual joint
	IsExperts                         // routes tokens to experts
	HasResidual                       // has a residual connection inside
	HasNorm                           // has a normalisation inside
	HasActivation                     // has a non-linearity inside
	KeepsShape                        // the result has the shape of the first input
	IsView                            // the result shares the storage of the first input
	IsVirtual                         // stands for no layer: input, output, note
	IsHead                            // gives logits over a vocabulary
	IsSoftmax                         // turns values into shares along an axis, or into their logarithms
	IsOpaque                          // may hold anything: rules that conclude from what is not there hold back
	IsLinear                          // a linear function without weights, other than views, additions and dropout
	IsTransposed                      // a convolution that spreads each element: the result grows with the stride
	IsDepthwise                       // a convolution that maps each channel by itself
	IsPatches                         // cuts an image or a video into a sequence, whose order is then lost
	IsGated                           // a feed-forward network of three matrices, one of them a gate
	IsCausal                          // attention in which a position sees only those before it, unless a parameter causal says no
	InUnit                            // gives values from 0 to 1
	Rectifies                         // an activation that gives no negative values, and no slope where it gives zero
	SelfNorms                         // an activation that keeps mean and variance by itself
	CentresChannels                   // a normalisation that takes the mean of each channel away, and with it what was added to all of it
	StopsGradient                     // the result is a tensor that autograd does not follow
	HasMemory                         // causal attention that attends to its second input, too, or to the first once more
	IsTensor                          // gives a tensor of its own, whatever arrives: nothing of the input flows into it but the batch
)

// Has reports whether all of the traits are there.
func (t *Type) Has(traits Trait) bool { return t != nil && t.Traits&traits == traits }

// HasAny reports whether one of the traits is there.
func (t *Type) HasAny(traits Trait) bool { return t != nil && t.Traits&traits != 0 }

var (
	byID       = map[string]*Type{}
	bySpelling = map[string]*Type{}
)

// define registers a type. A mistake in a definition stops every test at once, so it panics.
func define(t Type) *Type {
	if byID[t.ID] != nil {
		panic("catalog: " + t.ID + " is defined twice")
	}
	if t.Inputs == (Arity{}) {
		t.Inputs = Arity{1, 1}
	}
	if t.Weights != nil {
		t.Params = append(t.Params, sameAs)
	}
	for i := range t.Params {
		t.Params[i].resolve(t.ID)
	}
	t.spell()
	byID[t.ID] = &t
	for _, s := range append([]string{t.ID}, t.Aliases...) {
		key := squash(s)
		if len(key) > longestSpelling {
			panic("catalog: " + s + " is too long for a name")
		}
		if other := bySpelling[key]; other != nil {
			panic("catalog: " + s + " stands for " + other.ID + " and " + t.ID)
		}
		bySpelling[key] = &t
	}
	return &t
}

// Lookup returns the type with a canonical id, or nil.
func Lookup(id string) *Type { return byID[id] }

// Types returns every type, sorted by id.
func Types() []*Type {
	out := make([]*Type, 0, len(byID))
	for _, t := range byID {
		out = append(out, t)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

// longestSpelling is more letters than any name of a type or a parameter has.
const longestSpelling = 64

// squash makes spellings comparable: Conv2d, conv_2d and CONV-2D are one. Of a word that is longer than any name it is the beginning.
func squash(s string) string {
	var buf [longestSpelling + 1]byte
	return string(squashInto(&buf, s))
}

// squashInto is squash in memory of the caller, who only looks something up.
func squashInto(buf *[longestSpelling + 1]byte, s string) []byte {
	n := 0
	for i := 0; i < len(s) && n < len(buf); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			buf[n], n = c+'a'-'A', n+1
		case c != '_' && c != '-' && c != ' ':
			buf[n], n = c, n+1
		}
	}
	return buf[:n]
}

// Canonical returns the id of the type that a spelling stands for, or the spelling itself.
func Canonical(spelling string) string {
	if byID[spelling] != nil {
		return spelling
	}
	var buf [longestSpelling + 1]byte
	if t := bySpelling[string(squashInto(&buf, spelling))]; t != nil {
		return t.ID
	}
	return spelling
}

// Vocabulary is the catalogue as package graph needs it.
var Vocabulary = graph.Vocabulary{Type: Canonical, Params: func(id string) graph.Names {
	if t := byID[id]; t != nil {
		return t
	}
	return nil
}}
