package catalog

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// The rules that a component alone can break. Each has a file in package rules with its page; a test holds the two together.
const (
	MissingInput            = "missing-input"
	TooManyInputs           = "too-many-inputs"
	MissingParam            = "missing-param"
	BadParam                = "bad-param"
	NoInputShape            = "no-input-shape"
	SizeOverflow            = "size-overflow"
	RankMismatch            = "rank-mismatch"
	LinearInMismatch        = "linear-in-mismatch"
	ChannelMismatch         = "channel-mismatch"
	KernelExceedsInput      = "kernel-exceeds-input"
	PoolPadding             = "pool-padding"
	SamePaddingStride       = "same-padding-stride"
	OutputPaddingRange      = "output-padding-range"
	GroupDivisibility       = "group-divisibility"
	NormSizeMismatch        = "norm-size-mismatch"
	GroupNormDivisibility   = "groupnorm-divisibility"
	SingleValueNorm         = "single-value-norm"
	MergeShapeMismatch      = "merge-shape-mismatch"
	ConcatMismatch          = "concat-mismatch"
	MatmulShapeMismatch     = "matmul-shape-mismatch"
	ReshapeSizeMismatch     = "reshape-size-mismatch"
	AxisOutOfRange          = "axis-out-of-range"
	BatchAxis               = "batch-axis"
	EmptyOutput             = "empty-output"
	HeadDimDivisibility     = "head-dim-divisibility"
	GQAHeadDivisibility     = "gqa-head-divisibility"
	AttentionInMismatch     = "attention-in-mismatch"
	CrossAttentionMismatch  = "cross-attention-kv-mismatch"
	SequenceExceedsPosition = "sequence-exceeds-positions"
	RNNInMismatch           = "rnn-in-mismatch"
	RNNProjection           = "rnn-projection"
	MoETopKRange            = "moe-topk-range"
	ShuffleDivisibility     = "shuffle-divisibility"
	OddGate                 = "odd-gate"
	OddRotary               = "odd-rotary"
	DropoutRange            = "dropout-range"
	PadExceedsInput         = "pad-exceeds-input"
	InterpolationRank       = "interpolation-rank"
	DtypeMismatch           = "dtype-mismatch"
	FeatureMismatch         = "feature-mismatch"
	IndexOutOfRange         = "index-out-of-range"
	EinsumEquation          = "einsum-equation"
	SpectrogramSize         = "spectrogram-size"
	GraphEdges              = "graph-edges"
	FoldSize                = "fold-size"
	SourceRaises            = "source-raises"
)

// whenCalled are the rules that PyTorch finds broken when a module is called: it constructs the module. The others, such as channels that
// are not divisible by groups, its constructor finds, or some constructors do.
var whenCalled = map[string]bool{
	MissingInput: true, TooManyInputs: true, RankMismatch: true, LinearInMismatch: true, ChannelMismatch: true, KernelExceedsInput: true,
	PoolPadding: true, OutputPaddingRange: true, NormSizeMismatch: true, SingleValueNorm: true, MergeShapeMismatch: true, ConcatMismatch: true,
	MatmulShapeMismatch: true, ReshapeSizeMismatch: true, AxisOutOfRange: true, BatchAxis: true, EmptyOutput: true, GQAHeadDivisibility: true,
	AttentionInMismatch: true, CrossAttentionMismatch: true, SequenceExceedsPosition: true, RNNInMismatch: true, ShuffleDivisibility: true,
	OddGate: true, OddRotary: true, PadExceedsInput: true, InterpolationRank: true, DtypeMismatch: true, FeatureMismatch: true,
	IndexOutOfRange: true, EinsumEquation: true, FoldSize: true,
}

// WhenCalled reports whether a module that breaks a rule is constructed all the same, and only a call of it fails.
func WhenCalled(rule string) bool { return whenCalled[rule] }

// Refusal says why a component does not run: the rule that it breaks, the numbers, and, where exactly one change repairs
// it, that change.
type Refusal struct {
	Rule    string
	Message string

	// Param and Value are the one change of the component's own parameters that repairs it; Param is empty where there
	// are several or none.
	Param string
	Value graph.Value

	// Axis and Size say that the component would also be content if that axis of input Input had that size. Inference
	// uses it to find a producer that several consumers contradict.
	Input int
	Axis  Axis
	Size  int64
}

func (r *Refusal) Error() string { return r.Message }

// Errorf refuses the call for breaking a rule. The message carries the numbers.
func (c *Call) Errorf(rule, format string, args ...any) *Refusal {
	return &Refusal{Rule: rule, Message: quantity.Sprintf(format, args...)}
}

// Set names the one parameter whose change repairs the component.
func (r *Refusal) Set(param string, v graph.Value) *Refusal {
	r.Param, r.Value = param, v
	return r
}

// SetInt is Set with an integer.
func (r *Refusal) SetInt(param string, n int64) *Refusal { return r.Set(param, graph.IntValue(n)) }

// Wants says that the component would be content if that axis of that input had the given size.
func (r *Refusal) Wants(input int, axis Axis, size int64) *Refusal {
	r.Input, r.Axis, r.Size = input, axis, size
	return r
}

// Match compares an integer parameter with an axis of the first input, the one that the parameter reads, and refuses the
// call under a rule if they differ. what is the singular noun of the message: channel, feature.
func (c *Call) Match(rule, param, what string) error {
	p := c.Type.Param(param)
	axis, ok := p.Reads.In(len(c.In[0]))
	if !ok {
		return c.Errorf(RankMismatch, "%s needs an axis that %v does not have", param, c.In[0])
	}
	want, got := c.Int(param), c.In[0][axis]
	if want == got {
		return nil
	}
	return c.Errorf(rule, "%s is %d but %s", param, want, arrive(got, what)).SetInt(param, got).Wants(0, p.Reads, want)
}

// arrive says "1 channel arrives" or "3 channels arrive".
func arrive(n int64, what string) string {
	if n == 1 {
		return "1 " + what + " arrives"
	}
	return fmt.Sprintf("%d %ss arrive", n, what)
}

// Ranks refuses the first input unless its number of axes is between least and most. takes says what would do, such as
// "(channels, height, width)".
func (c *Call) Ranks(least, most int, takes string) error {
	if r := len(c.In[0]); r < least || r > most {
		return c.Errorf(RankMismatch, "takes %s, got %v", takes, c.In[0])
	}
	return nil
}
