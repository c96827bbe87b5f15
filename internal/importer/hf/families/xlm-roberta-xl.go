package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "xlm-roberta-xl", Default: "XLMRobertaXLForMaskedLM",
	Classes: roberta("roberta", Bert{Padded: true, NoNorm: true, Pre: true, Keeps: true,
		AttnNorm: "self_attn_layer_norm", FeedNorm: "LayerNorm", Last: "encoder.LayerNorm"}, stack.RobertaWords).
		Classes("XLMRobertaXL", robertaHeads...)})
