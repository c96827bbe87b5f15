package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "plbart", Default: "PLBartForConditionalGeneration",
	Classes: stack.Seq2SeqClasses("PLBart", bart)})
