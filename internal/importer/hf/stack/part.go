package stack

import (
	"strings"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
)

// InnerModel adds the language model that the config of a part describes, without its head, at a place. mix gets the
// embedded text and returns what the layers read: most put the features of a sound or an image into it. The table of
// tokens comes with the result, because the head may be tied to it.
func InnerModel(b *build.Build, name string, c *config.Config, mix func(x build.Node) build.Node) (x,
	table build.Node) {
	named := family.Of(c.Type())
	if named == nil {
		config.Fail(config.CodeArchitecture, c.At("model_type"), "%q is not modelled", c.Type())
	}
	model := named.Classes[strings.TrimSuffix(named.Default, "ForCausalLM")+"Model"]
	if model == nil {
		config.Fail(config.CodeArchitecture, c.At("model_type"), "%q is not modelled as a part of another model",
			c.Type())
	}
	x, table, mixed := b.Inside(mix, func() { model(b.Scope("%s", name).With(c)) })
	if !mixed {
		config.Fail(config.CodeArchitecture, c.At("model_type"), "%q is not modelled as a part of another model",
			c.Type())
	}
	return x, table
}

// Listen adds a language model and its head. The features of a sound stand in its text where that has places for them.
func Listen(b *build.Build, text *config.Config, features build.Node) {
	dim, m := text.Size("hidden_size"), b.Scope("model")
	x, table := InnerModel(m, "language_model", text,
		func(x build.Node) build.Node { return Scatter(m.With(text), x, features, dim) })
	b.Output(LMHead(b, x, "lm_head", dim, text.Size("vocab_size"), false, table, b.Bool("tie_word_embeddings")))
}

// Stack puts neighbours of a sequence into one row.
func Stack(b *build.Build, x build.Node, count, width int64) build.Node {
	return b.Reshape(x, count, width)
}

// Projector projects features to the text's width by one or two linear layers.
func Projector(b *build.Build, x build.Node, in, mid, out int64, bias bool, act string) build.Node {
	m := b.Scope("model.multi_modal_projector")
	x = m.Act(m.Linear(x, "linear_1", in, mid, bias), act, "projector_hidden_act")
	return m.Linear(x, "linear_2", mid, out, bias)
}
