package hf

var _ = define(Family{Type: "data2vec-text", Default: "Data2VecTextForMaskedLM", Classes: roberta("data2vec_text", Bert{Padded: true}, robertaWords).classes("Data2VecText", robertaHeads...)})
