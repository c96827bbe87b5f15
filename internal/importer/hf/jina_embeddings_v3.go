package hf

var _ = define(Family{Type: "jina_embeddings_v3", Default: "JinaEmbeddingsV3ForMaskedLM",
	Classes: Encoder{Prefix: "roberta", Model: jina.model, Pool: bertPool, Words: firstWords}.classes("JinaEmbeddingsV3", masked)})

// jina is RoBERTa with rotary positions instead of a table.
var jina = Bert{NoTable: true, Single: true, Layers: "layers", Layer: func(l *Build, x, _ Node, _ int64) Node {
	return l.postNormed(x, l.rotaryBoth(20_000).biased(true), func(x Node) Node {
		return l.Scope("mlp").MLP(x, "fc1", "fc2", l.Size("hidden_size"), l.Size("intermediate_size"), true, "hidden_act")
	})
}}
