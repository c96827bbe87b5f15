package estimate

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
)

// libraryName is the one library whose modules have words.
const libraryName = "transformers"

const digits = "0123456789"

// where says on which types a word can sit.
type where func(t *catalog.Type) bool

// way is a word that an importer writes into a component: the one table of what such a word does, where it may sit and what a plan says of it.
type way struct {
	bit   implementation // 0 where it only carries a number
	sized bool           // whether a number belongs behind it
	on    where
	says  string // for the reader of a plan
}

// ways are all words that importers write. One that is not here, or sits on another type, is refused: it would change an estimate in a way
// that was never compared with a run.
var ways = map[string]way{
	"plain":      {plain, false, among("linear", "lmHead", "add", "layerNorm", "rmsNorm").or(attention), "a softmax, a loss or a norm without an fp32 copy"},
	"wide":       {wide, false, among("customModule", "moeLayer", "lmHead", "multiply", "softmax", "layerNorm", "rmsNorm", "qkNorm").or(attention).or(activation), "an fp32 copy of the input"},
	"late":       {late, false, among("rmsNorm", "qkNorm").or(attention), "an RMS norm that scales in 16 bits"},
	"fused":      {fused, false, among("swiglu", "geglu").or(attention), "one matrix for several projections"},
	"steps":      {steps, false, among("swiglu", "geglu", "layerNorm", "moeLayer").or(activation), "written as single operations"},
	"eager":      {eager, false, attention, "attention that always has its scores in memory"},
	"capped":     {capped, false, among("lmHead").or(attention), "scores or logits capped by a tanh"},
	"broadcast":  {broadcast, false, attention, "one head of keys and values that is not repeated"},
	"biased":     {biased, false, among("lmHead"), "a buffer added to the logits"},
	"recast":     {recast, false, among("linear", "layerNorm").or(attention), "an input cast to the width of the weights"},
	"strided":    {strided, false, attention, "a bias of the scores with the heads last in memory"},
	"joined":     {joined, false, attention, "queries joined of two parts"},
	"exact":      {exact, false, attention, "queries and keys multiplied in fp32"},
	"masked":     {masks, false, attention, "attention that is always given a mask"},
	"clipped":    {clipped, false, attention, "queries, keys and values clipped"},
	"added":      {added, false, among("linear"), "a bias added to the product"},
	"inside":     {inside, false, among("multiply"), "a product inside the norm before it"},
	"products":   {products, false, activation, "a GELU written as single operations"},
	"erf":        {erf, false, activation, "a GELU written around the error function"},
	"xielu":      {xielu, false, among("customModule"), "xIELU written as single operations"},
	"dropped":    {dropped, false, among("linear", "swiglu", "geglu").or(attention), "dropout inside"},
	"clamped":    {clamped, false, among("moeLayer").or(attention), "scores or halves that are clamped"},
	"banded":     {banded, false, among("customModule").or(attention), "scores of a band of three blocks"},
	"indexed":    {indexed, false, among("customModule"), "a lookup that saves its indices"},
	"streams":    {streams, false, among("slice").or(attention), "a cut of a tensor that stays whole"},
	"remade":     {remade, false, among("conv2d", "linear", "lmHead"), "a weight computed anew in each pass"},
	"held":       {held, false, among("permute", "reshape"), "a result that stays until the forward pass ends"},
	"looped":     {looped, false, experts, "experts multiplied one after the other"},
	"batched":    {batched, false, experts, "every expert computed for every position"},
	"paired":     {paired, false, experts, "the first of two experts computed for every position"},
	"rectified":  {rectified, false, experts, "an activation that saves its result alone"},
	"chunks":     {chunks, false, among("customModule"), "the gated delta rule in chunks of 64 positions"},
	"scan":       {scan, true, among("customModule", "mamba2"), "a state-space recurrence in chunks"},
	"state":      {0, true, among("customModule"), "the size of its state"},
	"serial":     {serial, false, among("customModule", "mamba"), "a recurrence position by position"},
	"matrices":   {matrices, true, among("customModule"), "the memory of an mLSTM in chunks"},
	"scaled":     {scaled, false, attention, "attention scaled by the sum of its scores"},
	"unfollowed": {0, false, among("customModule"), "what it holds in memory is not known"},
	"linear":     {linear, false, among("customModule"), "a module that is linear in its input"},
	"flags":      {flags, false, among("parameter"), "a constant of one byte an element"},
	"emptied":    {emptied, false, attention, "weights set to zero behind the softmax"},
	"blocks":     {blocks, true, attention, "attention of blocks to a few blocks"},
	"random":     {0, true, attention, "how many of those are drawn"},
	"spread":     {spread, false, among("einsum"), "a product with one side laid out for each position"},
	"nested":     {nested, false, anywhere, "a layer checkpointed inside of a stage"},

	// Those that take something away. What a word for text alone may sit on follows from the graph, too: see CheckWords.
	"absent": {absent, false, isNot(catalog.IsEmbedding | catalog.IsHead), "not run in a call with text alone"},
	"detached": {detached, false, among("customModule", "linear", "layerNorm", "rope", "slice", "concatenate", "flatten", "unflatten", "einsum", "relu", "parameter"),
		"computed without gradients and not trained"},
	"ungraded": {ungraded, false, among("rmsNorm", "linear", "rope", "add", "multiply", "swiglu", "geglu").or(attention).or(activation), "computed without gradients in this call"},
	"frozen":   {frozen, false, among("learnedPositionalEmbedding"), "a table that is not trained"},
}

func anywhere(*catalog.Type) bool { return true }

func attention(t *catalog.Type) bool { return t.Has(catalog.IsAttention) }

func activation(t *catalog.Type) bool { return t.Has(catalog.IsActivation) }

func experts(t *catalog.Type) bool { return t.Has(catalog.IsExperts) }

// among is the types with these ids.
func among(ids ...string) where {
	return func(t *catalog.Type) bool { return slices.Contains(ids, t.ID) }
}

func (w where) or(other where) where {
	return func(t *catalog.Type) bool { return w(t) || other(t) }
}

func isNot(traits catalog.Trait) where {
	return func(t *catalog.Type) bool { return !t.HasAny(traits) }
}

// allowed reports whether a word may sit on a type.
func allowed(word string, t *catalog.Type) bool {
	name := strings.TrimRight(word, digits)
	w, known := ways[name]
	number := word[len(name):]
	return known && w.on(t) && w.sized == (number != "") && len(number) <= 6 && !strings.HasPrefix(number, "0")
}

// wordsFor are the words that a type can have, in order; N stands for a number.
func wordsFor(t *catalog.Type) []string {
	var out []string
	for _, name := range Ways() {
		if w := ways[name]; w.on(t) {
			if w.sized {
				name += "N"
			}
			out = append(out, name)
		}
	}
	return out
}
