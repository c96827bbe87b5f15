package transformers

import "github.com/modelverifier/verifier/internal/infer"

// Model is what the output of a model says of the whole: it is a model of the library, which checkpoints whole layers, computes in batches what
// it keeps in tables once, and takes a loss of its own.
type Model struct {
	Same
	PlainLoss bool // the loss takes the logits as they are, and not an fp32 copy
	Nested    bool // the layers inside of its stages are checkpointed by themselves, too
}

var (
	_ = register("PreTrainedModel", "a model of transformers, whose loss takes an fp32 copy of the logits", Model{}, "output")
	_ = register("BertForMaskedLM", "a model of transformers, whose loss takes the logits as they are", Model{PlainLoss: true}, "output")
	_ = register("SwinPreTrainedModel", "a model of transformers that checkpoints layers inside of stages, too", Model{Nested: true}, "output")
	_ = usual(Model{}, "output")
)

// ModelOf is what the outputs of a model say of the whole, and whether one does: then it is a model of transformers.
func ModelOf(res *infer.Result) (Model, bool) {
	for i := range res.Nodes {
		if n := &res.Nodes[i]; n.Type != nil && n.Type.ID == "output" {
			if v := Lookup(n.Type.ID, n.Component.As()); v != nil {
				m, is := v.Module.(Model)
				return m, is
			}
		}
	}
	return Model{}, false
}
