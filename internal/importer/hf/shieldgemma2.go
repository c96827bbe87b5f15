package hf

import "maps"

var _ = define(Family{Type: "shieldgemma2", Default: "ShieldGemma2ForImageClassification", Classes: map[string]func(*Build){
	"ShieldGemma2ForImageClassification": func(b *Build) {
		m := *b.Config
		if !b.Given("tie_word_embeddings") { // then the text model says it
			m.values = maps.Clone(b.values)
			m.values["tie_word_embeddings"] = b.Sub("text_config", "gemma3_text").Bool("tie_word_embeddings")
		}
		logits := b.With(&m).gemma3("model.model.", "model.lm_head")
		last := b.Add("select", "", Args{Int("index", -1)}, logits)
		yes, no := b.Or("yes_token_index", 10784), b.Or("no_token_index", 3771) // tokens of Gemma's Yes and No
		b.Output(b.Add("concatenate", "", nil, b.Slice(last, yes, yes+1), b.Slice(last, no, no+1)))
	},
}})
