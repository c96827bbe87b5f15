package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "jina_embeddings_v3", Default: "JinaEmbeddingsV3ForMaskedLM",
	Classes: stack.Encoder{Prefix: "roberta", Model: jina.model, Pool: stack.BertPool,
		Words: stack.FirstWords}.Classes("JinaEmbeddingsV3", stack.MaskedLM)})

// jina is RoBERTa with rotary positions instead of a table.
var jina = Bert{NoTable: true, Single: true, Layers: "layers", Layer: func(l *Build, x, _ Node, _ int64) Node {
	return postNormed(l, x, rotaryBoth(l, 20_000).Biased(true), func(x Node) Node {
		return nn.MLP(l.Scope("mlp"), x, "fc1", "fc2", l.Size("hidden_size"), l.Size("intermediate_size"), true,
			"hidden_act")
	})
}}
