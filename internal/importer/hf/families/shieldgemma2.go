package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
)

var _ = family.Define(family.Family{Type: "shieldgemma2", Default: "ShieldGemma2ForImageClassification",
	Classes: map[string]func(*Build){
		"ShieldGemma2ForImageClassification": func(b *Build) {
			m := b.Config
			if !b.Given("tie_word_embeddings") { // then the text model says it
				m = b.Replaced("tie_word_embeddings", b.Sub("text_config", "gemma3_text").Bool("tie_word_embeddings"))
			}
			logits := gemma3(b.With(m), "model.model.", "model.lm_head")
			last := b.Add("select", "", Args{build.Int("index", -1)}, logits)
			yes, no := b.Or("yes_token_index", 10784), b.Or("no_token_index", 3771) // tokens of Gemma's Yes and No
			b.Output(b.Add("concatenate", "", nil, b.Slice(last, yes, yes+1), b.Slice(last, no, no+1)))
		},
	}})
