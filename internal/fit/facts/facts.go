// Package facts gathers what is known of a model as a whole: its width, heads, layers, vocabulary, experts, positions, data type.
// Whoever asks whether a model fits something (data, a training layout, a serving command) asks here.
//
// A fact comes from the graph's config member where an importer put config.json there, else from the components, else it is
// unknown: a zero, and the rule that needs it does not report. The package judges nothing.
package facts

import (
	"github.com/modelverifier/verifier/internal/infer"
)

// Facts are what is known. A zero stands for unknown.
type Facts struct {
	ModelType     string   // model_type of config.json
	Architectures []string // class names of config.json

	Hidden             int64 // features of a token between layers
	Layers             int64 // repeated blocks of the (text) model
	Heads              int64 // query heads of an attention layer
	KVHeads            int64 // key and value heads; Heads where keys and values are not shared
	HeadDim            int64 // features of a head
	Intermediate       int64 // width inside the dense feed-forward network; 0 where every layer is of experts
	Vocab              int64 // rows of the embedding
	Experts            int64 // routed experts of a layer; 0 where there are none, see HasExperts
	ExpertsPerToken    int64
	SharedExperts      int64
	ExpertIntermediate int64 // width inside a routed expert
	SharedIntermediate int64 // width inside the shared experts together

	Positions     int64  // the longest sequence that the model was made for
	PositionKind  string // "rope", "learned", "sinusoidal", "alibi", "relative", "none"; "" where unknown
	Rope          Rope
	SlidingWindow int64 // 0 where attention sees everything, or unknown
	SlidingLayers int64 // how many layers have the window; 0 where unknown or none

	KVLoraRank, QLoraRank                  int64 // of latent attention (MLA)
	QKNopeHeadDim, QKRopeHeadDim, VHeadDim int64

	AttentionLayers int64 // layers with attention; Layers for a plain transformer
	RecurrentLayers int64 // layers with a state of constant size (Mamba, linear attention, recurrent)
	ExpertLayers    int64 // layers with routed experts

	Dtype string // as config.json has it: bfloat16, float16, float32
	Quant Quant

	Tied      bool // whether the head shares the weight of the embedding
	TiedKnown bool

	EncoderDecoder bool
	Labels         int64 // classes of a classification head, from config.json
	ImageSize      int64 // side of the square image, from config.json
	PatchSize      int64
	Channels       int64 // of the image
}

// Rope is how rotary positions are stretched.
type Rope struct {
	Type     string  // "linear", "dynamic", "yarn", "llama3", "longrope"…; "" for none
	Factor   float64 // 0 where there is none
	Original int64   // original_max_position_embeddings, 0 where there is none
	Theta    float64
}

// Quant is how the weights are stored, where they are not stored in Dtype.
type Quant struct {
	Method    string  // quant_method: gptq, awq, fp8, bitsandbytes, compressed-tensors…
	Bits      int64   // of a weight, 0 where unknown
	GroupSize int64   // elements that share a scale, 0 where unknown or none
	Block     []int64 // weight_block_size
}

// HasLatent reports whether attention goes through a latent vector (MLA).
func (f *Facts) HasLatent() bool { return f.KVLoraRank > 0 }

// HasExperts reports whether a layer has routed experts.
func (f *Facts) HasExperts() bool { return f.Experts > 1 }

// Whole reports whether every component that runs was found out: what a custom module hides, or what stands behind one that does not run, is in
// no sum.
func Whole(res *infer.Result) bool {
	for i := range res.Nodes {
		if s := res.Nodes[i].State; s != infer.Legal && s != infer.Note && s != infer.Absent {
			return false
		}
	}
	return len(res.Nodes) > 0
}

// Counted reports whether sums of weights and of memory contain every component: all were found out, and none is a module of the caller's
// own, which declares its weights at most.
func Counted(res *infer.Result) bool {
	for i := range res.Nodes {
		if n := &res.Nodes[i]; n.LacksWeights || n.LacksSaved() {
			return false
		}
	}
	return Whole(res)
}

// Of gathers the facts of a model that was walked.
func Of(res *infer.Result) Facts {
	var f Facts
	if c := configOf(res.Graph); c != nil {
		f.fromConfig(c)
	}
	f.fromComponents(res)
	f.derive()
	return f
}

// derive fills in what follows from the rest.
func (f *Facts) derive() {
	if f.KVHeads == 0 {
		f.KVHeads = f.Heads
	}
	if f.HeadDim == 0 && f.Heads > 0 && f.Hidden%f.Heads == 0 {
		f.HeadDim = f.Hidden / f.Heads
	}
	if f.Experts == 1 { // one expert is a dense layer
		f.Experts = 0
	}
	if f.AttentionLayers == 0 && f.RecurrentLayers == 0 && f.Heads > 0 {
		f.AttentionLayers = f.Layers
	}
	if f.Experts > 0 && f.ExpertIntermediate == 0 {
		f.ExpertIntermediate = f.Intermediate
	}
}
