package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "roberta-prelayernorm", Default: "RobertaPreLayerNormForMaskedLM",
	Classes: roberta("roberta_prelayernorm",
		Bert{Padded: true, Pre: true, AttnNorm: "LayerNorm", FeedNorm: "intermediate.LayerNorm", Last: "LayerNorm"},
		stack.RobertaWords).
		Classes("RobertaPreLayerNorm", robertaHeads...)})
