package hf

var _ = define(Family{Type: "xlm-roberta-xl", Default: "XLMRobertaXLForMaskedLM",
	Classes: roberta("roberta", Bert{Padded: true, NoNorm: true, Pre: true, Keeps: true, AttnNorm: "self_attn_layer_norm", FeedNorm: "LayerNorm", Last: "encoder.LayerNorm"}, robertaWords).
		classes("XLMRobertaXL", robertaHeads...)})
