package hf

var _ = define(Family{Type: "bert-generation", Default: "BertGenerationDecoder", Classes: map[string]func(*Build){
	"BertGenerationDecoder": bertGeneration.words,
	"BertGenerationEncoder": bertGeneration.bare,
}})

// bertGeneration is BERT without segments, whose head is the map to the words alone.
var bertGeneration = Encoder{Prefix: "bert", Model: Bert{NoTypes: true}.model, Words: func(b *Build, x, table Node) Node {
	return b.Scope("lm_head").vocabulary(x, b.Size("hidden_size"), table)
}}
