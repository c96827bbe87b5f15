package action

import (
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/fit/facts"
)

// precisions are the kinds of training that the data types of config.json stand for: bf16 weights are trained as they are, and what is
// stored in fp16 is trained by autocast, since plain fp16 loses small gradients.
var precisions = map[string]string{"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}

// settle fills in the precision where nobody says one: that of config.json, else that of the kind of run, and says where it is from.
func (s *Study) settle(o estimate.Options) (estimate.Options, string) {
	if o.Precision != "" {
		return o, ""
	}
	dtype := facts.Dtype(s.Graph)
	if p, known := precisions[dtype]; known {
		o.Precision = p
		return o, "; the precision follows from dtype " + dtype + " of config.json"
	}
	if o.Adapt != nil && o.Adapt.LoRA != nil {
		o.Precision = "bf16"
		return o, "; the precision is that of adapters over a frozen base in 16 bits"
	}
	return o, ""
}
