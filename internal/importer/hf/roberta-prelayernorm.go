package hf

var _ = define(Family{Type: "roberta-prelayernorm", Default: "RobertaPreLayerNormForMaskedLM",
	Classes: roberta("roberta_prelayernorm", Bert{Padded: true, Pre: true, AttnNorm: "LayerNorm", FeedNorm: "intermediate.LayerNorm", Last: "LayerNorm"}, robertaWords).
		classes("RobertaPreLayerNorm", robertaHeads...)})
