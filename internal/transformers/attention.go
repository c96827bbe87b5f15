package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// Attention is how a family writes its attention: the forward method of its class with eager_attention_forward of its file, or
// sdpa_attention_forward of sdpa_attention.py. What a config turns on is a parameter of the component: dropout, softcap and clip.
type Attention struct {
	Eager     bool    // scores are in memory whatever is asked for
	Plain     bool    // the softmax is taken of the scores as they are, and not in 32 bits
	Recast    bool    // the softmax is asked for in the width of a product, which autocast leaves so
	Exact     bool    // queries and keys are multiplied in 32 bits
	Fused     bool    // one linear layer gives queries, keys and values, which are slices of its result
	Joined    bool    // queries and keys are joined of features that are rotated and others, so that the heads come first in memory
	Broadcast bool    // keys and values have one head that nobody repeats
	Strided   bool    // the bias of the scores lies with the heads last, which no fused kernel takes
	Masked    bool    // a mask is given whatever is seen
	Scaled    bool    // the result is scaled by the sum of the scores and a sink
	Clamped   bool    // scores are held above the least number
	Emptied   bool    // weights are set to zero behind the softmax
	Streams   bool    // queries, keys and values are slices of tensors that have the heads first, and stay whole
	Sparse    bool    // blocks see a few blocks, some of them drawn; parameters of the component say how many
	Norm      RMSNorm // of queries and keys
}

const (
	grouped = "groupedQueryAttention"
	rope    = "ropeAttention"
	core    = "attentionCore"
	cross   = "crossAttention"
	several = "multiHeadAttention"
	windows = "windowAttention"
)

const (
	wideSoftmax  = "attention with a softmax of an fp32 copy"
	plainSoftmax = "a softmax without an fp32 copy"
	alwaysEager  = "scores always in memory, a softmax without an fp32 copy"
)

var (
	_ = usual(Attention{}, grouped, rope, core, cross, several, windows)

	_ = register("LlamaAttention", wideSoftmax, Attention{}, grouped, rope, core, several)
	_ = register("SiglipAttention", wideSoftmax, Attention{}, cross)
	_ = register("SwinAttention", "attention in windows", Attention{}, windows)
	_ = register("BertSelfAttention", plainSoftmax, Attention{Plain: true}, grouped, core, several, windows)
	_ = register("Llama4TextAttention", plainSoftmax, Attention{Plain: true}, rope)
	_ = register("BartAttention", plainSoftmax, Attention{Plain: true}, cross)
	_ = register("BloomAttention", "attention that always has its scores in memory", Attention{Eager: true}, grouped, rope, core, cross, several,
		windows)
	_ = register("MegatronBertSelfAttention", alwaysEager, Attention{Plain: true, Eager: true}, grouped, rope, core, several)
	_ = register("PegasusXAttention", alwaysEager, Attention{Plain: true, Eager: true}, cross)
	_ = register("DonutSwinSelfAttention", alwaysEager, Attention{Plain: true, Eager: true}, windows)
	_ = register("GPTNeoSelfAttention", "scores always in memory, queries and keys multiplied in fp32", Attention{Eager: true, Exact: true}, grouped, core)
	_ = register("GPTJAttention", "scores always in memory, queries and keys multiplied in fp32, queries joined of two parts",
		Attention{Eager: true, Exact: true, Joined: true}, rope)
	_ = register("CodeGenAttention", "as GPTJAttention, with one matrix for queries, keys and values",
		Attention{Eager: true, Exact: true, Joined: true, Fused: true}, rope)
	_ = register("GlmAttention", "queries joined of two parts", Attention{Joined: true}, rope, core)
	_ = register("ModernBertAttention", "one matrix for queries, keys and values", Attention{Fused: true}, grouped, rope)
	_ = register("ModernBertAttention.masked", "one matrix for queries, keys and values, and a mask", Attention{Fused: true, Masked: true}, rope)
	_ = register("GPTNeoXAttention", "one matrix for queries, keys and values, queries joined of two parts", Attention{Joined: true, Fused: true}, rope)
	_ = register("GPTNeoXJapaneseAttention", "as GPTNeoXAttention, with scores always in memory and a softmax without an fp32 copy",
		Attention{Plain: true, Eager: true, Joined: true, Fused: true}, rope)
	_ = register("Gemma3Attention", "norms of queries and keys that are cast back behind their scale",
		Attention{Norm: RMSNorm{CastBehindScale}}, grouped, rope)
	_ = register("MiniMaxM3VLAttention", "as Gemma3Attention, with queries joined of two parts",
		Attention{Joined: true, Norm: RMSNorm{CastBehindScale}}, rope)
	_ = register("FalconAttention", "one head of keys and values that nobody repeats, a softmax without an fp32 copy",
		Attention{Plain: true, Broadcast: true}, core)
	_ = register("FalconAttention", "one matrix for queries, keys and values, one head of the latter that nobody repeats",
		Attention{Plain: true, Fused: true, Broadcast: true}, rope)
	_ = register("FalconAttention.masked", "one matrix for queries, keys and values, and always a mask",
		Attention{Plain: true, Fused: true, Masked: true}, rope)
	_ = register("ProphetNetNgramSelfAttention", "scores always in memory, of slices of tensors that stay whole",
		Attention{Eager: true, Streams: true}, core)
	_ = register("CpmAntAttention", "scores always in memory, weights set to zero behind the softmax",
		Attention{Plain: true, Eager: true, Emptied: true}, core)
	_ = register("GraniteSWAAttention", "scores always in memory, a result scaled by their sum", Attention{Eager: true, Scaled: true}, core)
	_ = register("XGLMAttention", "scores always in memory and held above a least number",
		Attention{Plain: true, Eager: true, Clamped: true}, grouped, core)
	_ = register("FunnelRelMultiheadAttention", "a softmax asked for in the width of its scores",
		Attention{Plain: true, Eager: true, Recast: true}, core)
	_ = register("LongT5Attention", "scores always in memory, a bias of them with the heads last",
		Attention{Plain: true, Eager: true, Strided: true}, core)
	_ = register("T5Attention", "a bias of the scores with the heads last, a softmax without an fp32 copy",
		Attention{Plain: true, Strided: true}, core)
	_ = register("DogeAttention", "a bias of the scores with the heads last", Attention{Strided: true}, core)
	_ = register("BigBirdBlockSparseAttention", "attention of blocks to a few blocks, some of them drawn",
		Attention{Plain: true, Eager: true, Sparse: true}, core)
)

// Lower is that of a decoder where a position sees only those before it, and where a bias that no fused kernel takes is the same for every query; else that
// of an encoder.
func (a Attention) Lower(l *catalog.Lowering) op.Value {
	switch l.Type.ID {
	case several:
		return Same{}.Lower(l)
	case rope:
		return a.decoder(l).Lower(l)
	case cross:
		return a.encoder(l).Lower(l)
	case windows:
		return WindowAttention{a.encoder(l)}.Lower(l)
	}
	decodes := l.Bool("causal")
	if a.Strided {
		decodes = len(l.In) > 3 && l.In[3][1] == 1 && l.In[0][0] > 1
	}
	if decodes {
		return a.decoder(l).Lower(l)
	}
	return a.encoder(l).Lower(l)
}

// decoder is the attention of a decoder, with what the component's parameters turn on.
func (a Attention) decoder(l *catalog.Lowering) SelfAttention {
	return SelfAttention{Attention: a, Dropout: l.InnerDropout(), Capped: given(l, "softcap"), Clipped: given(l, "clip")}
}

// encoder is that of an encoder.
func (a Attention) encoder(l *catalog.Lowering) EncoderAttention {
	e := EncoderAttention{Attention: a, Dropout: l.InnerDropout(), grouped: a.decoder(l)}
	if a.Sparse {
		e.Blocks = BlockAttention{Block: l.Int("blockSize"), Drawn: l.Int("randomBlocks")}
	}
	return e
}

// given reports whether a component has a value for a parameter.
func given(l *catalog.Lowering, name string) bool { return l.Type.Param(name) != nil && l.Has(name) }
