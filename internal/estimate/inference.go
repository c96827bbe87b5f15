package estimate

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// InferOptions describe how a trained model is used. A zero value stands for the default.
type InferOptions struct {
	Batch     int64  // sequences or samples at once; 1
	Precision string // one of InferPrecisions
	Prompt    int64  // tokens that are read at once; what the length of a sample leaves beside those that are generated
	Generated int64  // tokens that are written, one after the other; 256, or half of the length of a sample where that is less
	Attention string // one of Attentions
	Images    int64  // in each request, of a model that sees; 0 for what the graph says
}

// InferPrecisions are what weights are held in, the default first; in 8 and 4 bits only matrices are, and the rest is bf16.
var InferPrecisions = []string{"bf16", "fp16", "fp32", "int8", "int4"}

// MaxTokens bounds a prompt and what is generated.
const MaxTokens = 1 << 30

const defaultGenerated = 256

// Inference is what using a trained model takes of a card.
type Inference struct {
	Options         InferOptions  // with the defaults filled in; no tokens where the model does not write any
	WeightBytes     int64         // with buffers
	CacheBytes      int64         // of all sequences when the last token has been written
	ActivationBytes int64         // at the most, while the prompt or a sample is read, or a token written
	PeakBytes       int64         // allocated at most
	CardBytes       int64         // with workspace and context
	Caches          []Cache       // in the order of the layers, equal ones together
	BytesPerToken   int64         // that one more token of one sequence adds before any window is full
	GPU             *hardware.GPU // the cheapest that fits and computes in that precision; nil where none does

	Images *Images // what those of a request take; nil where none were asked for

	foreign bool // it has modules of transformers
}

// Validate lists what is wrong, in the order of the fields. Zero values are not wrong.
func (o InferOptions) Validate() []Problem {
	var out []Problem
	number := func(field string, n, most int64) {
		if n < 0 || n > most {
			out = append(out, Problem{Field: field, Value: strconv.FormatInt(n, 10), Max: most})
		}
	}
	number("batch", o.Batch, MaxBatch)
	if o.Precision != "" && !slices.Contains(InferPrecisions, o.Precision) {
		out = append(out, Problem{Field: "precision", Value: o.Precision, Allowed: slices.Clone(InferPrecisions)})
	}
	number("prompt", o.Prompt, MaxTokens)
	number("generated", o.Generated, MaxTokens)
	number("images", o.Images, MaxImages)
	return out
}

func (o InferOptions) or(res *infer.Result) InferOptions {
	if o.Batch <= 0 {
		o.Batch = 1
	}
	o.Batch = min(o.Batch, MaxBatch)
	if !slices.Contains(InferPrecisions, o.Precision) {
		o.Precision = InferPrecisions[0]
	}
	if !slices.Contains(Attentions, o.Attention) {
		o.Attention = Attentions[0]
	}
	if !generates(res) {
		o.Prompt, o.Generated = 0, 0
		return o
	}
	length := tokensOf(res)
	if o.Generated <= 0 {
		o.Generated = defaultGenerated
		if o.Prompt <= 0 {
			_, o.Generated = Context(length)
		}
	}
	if o.Prompt <= 0 {
		o.Prompt = max(1, length-o.Generated)
	}
	o.Prompt, o.Generated = min(o.Prompt, MaxTokens), min(o.Generated, MaxTokens)
	return o
}

// Context divides a number of tokens into those that are read and those that are written, as where nothing is said.
func Context(tokens int64) (prompt, generated int64) {
	generated = max(1, min(defaultGenerated, tokens/2))
	return max(1, tokens-generated), generated
}

// tokensOf is the length of the first sequence of tokens.
func tokensOf(res *infer.Result) int64 {
	for i := range res.Nodes {
		if n := &res.Nodes[i]; n.Type != nil && n.Type.ID == infer.InputID && n.OutIsInt && n.Out.Rank() > 0 {
			return n.Out[0]
		}
	}
	return 0
}

// Infer estimates what a model takes that was walked at some length. It is largest either when the prompt is read, with all
// its activations, or when the last token is written, with the whole cache.
func Infer(res *infer.Result, o InferOptions) *Inference { return new(Room).Infer(res, o) }

// Infer is the same in memory that was used before.
func (r *Room) Infer(res *infer.Result, o InferOptions) *Inference {
	o = o.or(res)
	t := &Inference{Options: o, Caches: []Cache{}}
	size := activationSize(o.Precision)
	for i := range res.Nodes {
		if n := &res.Nodes[i]; n.Type != nil {
			t.WeightBytes = plus(t.WeightBytes, heldBytes(res, i, o.Precision), bufferBytes(n, size))
		}
	}
	t.remember(res, size)
	t.foreign = isForeign(res)
	r.follow(res, t)
	if t.Images = r.imagesOf(res, o); t.Images != nil {
		t.PeakBytes = max(t.PeakBytes, plus(t.WeightBytes, t.Images.ActivationBytes))
	}
	t.CardBytes = plus(t.PeakBytes, workspaceBytes, contextBytes)
	for _, g := range hardware.GPUs() {
		if t.GPU == nil && g.Managed && t.CardBytes <= g.MemoryBytes && rate(g, computedIn(o.Precision)) > 0 {
			t.GPU = g
		}
	}
	return t
}

// remember groups the layers by what they remember.
func (t *Inference) remember(res *infer.Result, size int64) {
	for _, r := range caches(res) {
		perToken := times(r.perToken, size)
		bytes := times(r.bytes(plus(t.Options.Prompt, t.Options.Generated), size), t.Options.Batch)
		t.BytesPerToken, t.CacheBytes = plus(t.BytesPerToken, perToken), plus(t.CacheBytes, bytes)
		at := slices.IndexFunc(t.Caches, func(c Cache) bool {
			return c.Kind == r.kind && c.BytesPerToken == perToken && c.Window == r.window && c.Bytes == times(bytes, c.Layers)
		})
		if at < 0 {
			t.Caches = append(t.Caches, Cache{Kind: r.kind, Layers: 1, BytesPerToken: perToken, Window: r.window, Bytes: bytes})
			continue
		}
		t.Caches[at].Layers++
		t.Caches[at].Bytes = plus(t.Caches[at].Bytes, bytes)
	}
}

// cacheRead is the cache when the prompt has been read. What transformers' caches remember of a window is a cut of the keys and values of the whole
// prompt, which stay until the next token.
func (t *Inference) cacheRead() int64 {
	sum := int64(0)
	for _, c := range t.Caches {
		if c.BytesPerToken == 0 {
			sum = plus(sum, c.Bytes)
			continue
		}
		tokens := t.Options.Prompt
		if !t.foreign {
			tokens = tokensKept(tokens, c.Window)
		}
		sum = plus(sum, times(c.BytesPerToken, c.Layers, tokens, t.Options.Batch))
	}
	return sum
}

func tokensKept(tokens, window int64) int64 {
	if window > 0 {
		return min(tokens, window)
	}
	return tokens
}

// activationSize is the bytes of an element of activations and caches.
func activationSize(precision string) int64 {
	if precision == "fp32" {
		return 4
	}
	return 2
}

// computedIn is what a card must be able to compute in; matrices in few bits are widened first.
func computedIn(precision string) string {
	if fewBits(precision) {
		return "bf16"
	}
	return precision
}

// heldBytes is the weights of a component as they are held. In 8 bits every row of a matrix has a 32-bit scale (LLM.int8), in 4
// bits every 128 numbers a 16-bit scale and a 4-bit zero point (GPTQ, AWQ). Embeddings and the map to the logits stay as they are.
func heldBytes(res *infer.Result, i int, precision string) int64 {
	n := &res.Nodes[i]
	size := activationSize(precision)
	quantised := fewBits(precision) && multiplies(n) && !n.Type.HasAny(catalog.IsEmbedding|catalog.IsTensor) && !givesLogits(res, i)
	return weights(n, func(w *catalog.Weight, elems int64) int64 {
		switch {
		case !quantised || w.Shape.Rank() < 2:
			return block(times(elems, size))
		case precision == "int8":
			return plus(block(elems), block(times(4, elems/max(1, w.Shape.At(-1)))))
		}
		groups := (elems + 127) / 128
		return plus(block((elems+1)/2), block(plus(times(2, groups), (groups+1)/2)))
	})
}

// Assumptions says what the estimate rests on.
func (t *Inference) Assumptions() string {
	o := t.Options
	text := fmt.Sprintf("batch %s, %s, %s attention", quantity.Grouped(o.Batch), inferText(o.Precision), o.Attention)
	exact, bound := "weights are an exact size", ""
	if o.Prompt > 0 {
		text += quantity.Sprintf(", %s tokens read and %s written", quantity.Grouped(o.Prompt), quantity.Grouped(o.Generated))
		exact, bound = "weights and cache are exact sizes", ", with the logits of one position"
	}
	return text + fmt.Sprintf("; %s, activations estimated%s; eager PyTorch with nothing else on the card, plus %s of workspace and %s of context; %s",
		exact, bound, quantity.Bytes(workspaceBytes), quantity.Bytes(contextBytes), t.measured())
}

// What the allocated peak was off by at the most in runs that were measured, or replayed without a card: of transformers' generate, of the same with
// layers that carry a state from position to position, of one pass of PyTorch's modules, and of one of transformers' models that write no tokens. A
// test holds them to the rows.
const (
	generateErrorPercent    = 15
	recurrentErrorPercent   = 31
	passErrorPercent        = 7
	foreignPassErrorPercent = 47
)

// PeakError is by what percent the peak was off at the most in such runs like this one; nil where there is none.
func (t *Inference) PeakError() *int64 {
	percent := int64(passErrorPercent)
	switch {
	case t.Options.Precision != "bf16" && t.Options.Precision != "fp32":
		return nil
	case t.Options.Prompt > 0 && slices.ContainsFunc(t.Caches, func(c Cache) bool { return c.Kind == CacheState }):
		percent = recurrentErrorPercent
	case t.Options.Prompt > 0:
		percent = generateErrorPercent
	case t.foreign:
		percent = foreignPassErrorPercent
	}
	return &percent
}

func (t *Inference) measured() string {
	if e := t.PeakError(); e != nil {
		return fmt.Sprintf("the peak of runs of this kind, measured or replayed without a card, was off by up to %d %%", *e)
	}
	return "computed, not measured"
}

func inferText(precision string) string {
	switch precision {
	case "int8":
		return "matrices in 8 bits, the rest in bf16 (int8)"
	case "int4":
		return "matrices in 4 bits, the rest in bf16 (int4)"
	}
	return precision
}
