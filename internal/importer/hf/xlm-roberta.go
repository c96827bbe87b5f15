package hf

var _ = define(Family{Type: "xlm-roberta", Default: "XLMRobertaForMaskedLM", Classes: roberta("roberta", Bert{Padded: true}, firstWords).classes("XLMRoberta", robertaHeads...)})
