package families

import (
	"strings"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "longformer", Default: "LongformerForMaskedLM",
	Classes: stack.Encoder{Prefix: "longformer", Model: longformer, Pool: stack.BertPool, Words: stack.RobertaWords,
		Whole: stack.FrontClass("tanh")}.
		Classes("Longformer", stack.MaskedLM, stack.SequenceClassification, stack.TokenClassification,
			stack.QuestionAnswering)})

// longformer is RoBERTa whose positions see a window around them. The heads that answer for a whole text make its
// first position a global one, which has projections of its own and sees everything; below the others nothing reads
// those.
func longformer(b *Build) (x, table Node) {
	s := Bert{Padded: true, Single: true}
	checkWindows(b)
	length, layer := filled(b, s), int64(-1)
	global := strings.HasSuffix(b.Class(), stack.SequenceClassification) ||
		strings.HasSuffix(b.Class(), stack.QuestionAnswering)
	s.Attend = func(m *Build, x Node, a nn.Attention) Node {
		layer++
		ahead := func(name string) Node { // of the batch, for which each projection makes a copy
			return m.Linear(nn.Moved(m.Scope("self"), x, "transpose", length, a.Dim), name, a.Dim, a.Dim, true)
		}
		q, k, v := ahead(a.Q), ahead(a.K), ahead(a.V)
		local := nn.Banded(m.Scope("self"), q, k, v, a.Heads, length, nn.Window(b, layer, b.Int("num_hidden_layers"))/2,
			"attention_probs_dropout_prob")
		if !global {
			for _, name := range []string{a.Q, a.K, a.V} {
				build.Unused(m, x, name+"_global.weight", a.Dim, a.Dim)
				build.Unused(m, x, name+"_global.bias", a.Dim)
			}
			return m.Linear(local, a.O, a.Dim, a.Dim, true)
		}
		look := func(x, memory Node, suffix string) Node {
			q := m.Linear(x, a.Q+suffix, a.Dim, a.Dim, true)
			return m.Core(q, m.Linear(memory, a.K+suffix, a.Dim, a.Dim, true),
				m.Linear(memory, a.V+suffix, a.Dim, a.Dim, true), a.Heads, a.Heads, false)
		}
		span := func(x Node, start, end int64) Node {
			return m.Add("slice", "self", Args{build.Int("dim", 1), build.Int("start", start), build.Int("end", end)},
				x)
		}
		y := look(span(x, 0, 1), x, "_global")
		if length > 1 {
			y = m.Add("concatenate", "self", Args{build.Int("dim", 1)}, y, span(local, 1, length))
		}
		return m.Linear(y, a.O, a.Dim, a.Dim, true)
	}
	return encodeFilled(b, s, length)
}

// filled is the length of the text filled up to whole windows, of the widest layer.
func filled(b *Build, s Bert) int64 {
	widest, layers := int64(2), b.Int("num_hidden_layers")
	for i := range layers {
		widest = max(widest, nn.Window(b, i, layers))
	}
	return nn.BlocksOf(b.Length(s.longest(b)), widest) * widest
}

// encodeFilled runs the text, filled up to a length, through the model, and cuts the rest off again. Padding has one
// row in the table of positions, so that a text may be filled up to more positions than the table has: then its sum
// is filled up, and not what was looked up.
func encodeFilled(b *Build, s Bert, filled int64) (x, table Node) {
	length := b.Length(s.longest(b))
	table = tokens(b, s.longest(b), "embeddings.word_embeddings", b.Size("hidden_size"))
	if rows, _ := s.rows(b); filled > rows {
		x = nn.PadPositions(b, s.embed(b, table), 0, filled-length)
	} else {
		x = s.embed(b, nn.PadPositions(b, table, 0, filled-length))
	}
	if x = s.encode(b, x); filled > length {
		x = b.Span(x, 0, length)
	}
	return x, table
}

// checkWindows refuses windows that cannot lie evenly around a position.
func checkWindows(b *Build) {
	const key = "attention_window"
	windows, layers := []int64{}, b.Int("num_hidden_layers")
	if _, one := b.Value(key).([]any); !one {
		windows = append(windows, b.Int(key))
	} else if windows = b.Ints(key); int64(len(windows)) != layers {
		config.Fail(config.CodeContradiction, b.At(key), "has %d numbers but num_hidden_layers is %d", len(windows),
			layers)
	}
	for _, w := range windows {
		if w < 1 || w%2 != 0 {
			config.Fail(config.CodeConfig, b.At(key), "is %d but takes an even number of at least 2", w)
		}
	}
}
