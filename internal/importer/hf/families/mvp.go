package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "mvp", Default: "MvpForConditionalGeneration", Classes: mvpClasses()})

func mvpClasses() map[string]func(*Build) {
	classes := stack.Seq2SeqHeads("Mvp", mvp)
	// transformers leaves the prompts out here
	classes["MvpForCausalLM"] = func(b *Build) { stack.DecoderAlone(b, bart(b)) }
	return classes
}

// mvp is BART. With prompts, every attention of the decoder has further keys and values, which a small network makes
// from trained vectors; transformers 5 hands the encoder's wish for them to another argument, so that it has none.
func mvp(b *Build) stack.Seq2Seq {
	s := bart(b)
	if !b.Bool("use_prompt") {
		return s
	}
	var own, cross Node
	s.Positions = func(b *Build, x Node, half string) Node {
		if half == stack.DecoderPath {
			own, cross = prompt(b, x, "self_attn_prompt", b.Int("decoder_layers")),
				prompt(b, x, "cross_attn_prompt", b.Int("decoder_layers"))
		}
		return stack.OffsetPositions(b, x, half)
	}
	s.Attend = func(b *Build, x Node, half string, i int64) Node {
		if half == stack.EncoderPath {
			return nn.Attend(b, x, "self_attn", s.Attention(b, half))
		}
		return promptedAttend(b, x, x, "self_attn", s.Attention(b, half), own, i)
	}
	s.Look = func(b *Build, x, memory Node, i int64) Node {
		a := s.Attention(b, stack.DecoderPath)
		a.Causal = false
		return promptedAttend(b, x, memory, "encoder_attn", a, cross, i)
	}
	return s
}

// prompt is keys and values for all layers, side by side.
func prompt(b *Build, x Node, name string, layers int64) Node {
	m, dim, mid := b.Scope("%s", name), b.Size("d_model"), b.Size("prompt_mid_dim")
	x = m.Param(x, "prompt_embedding.weight", b.Size("prompt_length"), dim)
	x = m.Add("gelu", "prompt_trans", nil, m.Linear(x, "prompt_trans.0", dim, mid, true))
	return m.Linear(x, "prompt_trans.2", mid, 2*layers*dim, true)
}

func promptedAttend(b *Build, x, memory Node, name string, a nn.Attention, prompt Node, i int64) Node {
	m, dim, ahead := b.Scope("%s", name), a.Dim, b.Size("prompt_length")
	q, k, v := m.Linear(x, "q_proj", dim, dim, true), m.Linear(memory, "k_proj", dim, dim, true),
		m.Linear(memory, "v_proj", dim, dim, true)
	k, v = m.Join(m.Slice(prompt, 2*i*dim, (2*i+1)*dim), k), m.Join(m.Slice(prompt, (2*i+1)*dim, (2*i+2)*dim), v)
	var mask []Node
	if a.Causal { // the prompt is visible from everywhere
		length := b.Length(b.Int("max_position_embeddings"))
		mask = []Node{m.Constant(x, "mask", 1, length, ahead+length)}
	}
	return m.Linear(m.Core(q, k, v, a.Heads, a.Heads, false, mask...), "out_proj", dim, dim, true)
}
