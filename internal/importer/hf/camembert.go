package hf

var _ = define(Family{Type: "camembert", Default: "CamembertForMaskedLM", Classes: roberta("roberta", Bert{Padded: true}, firstWords).classes("Camembert", robertaHeads...)})
