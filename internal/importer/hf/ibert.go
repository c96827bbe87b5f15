package hf

var _ = define(Family{Type: "ibert", Default: "IBertForMaskedLM", Classes: roberta("ibert", Bert{Padded: true, Single: true}, robertaWords).classes("IBert", masked, sequences, tokens, answers)})
