package rules

import "github.com/modelverifier/verifier/internal/catalog"

// ownActivation are the losses that apply an activation themselves, under the names that a source calls them by, and what they apply.
var ownActivation = map[string]string{"cross_entropy": "softmax", "binary_cross_entropy_with_logits": "sigmoid"}

var _ = define(Rule{
	ID:       "softmax-before-loss",
	Title:    "An activation in front of a loss that has its own",
	Severity: Warn,
	Doc:      `cross_entropy applies a softmax and binary_cross_entropy_with_logits a sigmoid to what they are given. With one in front it is applied twice: shares between 0 and 1 differ by a factor of at most e behind the second softmax, so that the loss cannot come near zero and gradients stay small. PyTorch raises nothing. Give the loss the values in front of the activation, or take the loss that expects it: nll_loss of log_softmax, binary_cross_entropy of sigmoid. It is asked where a PyTorch source computes its loss inside the model; output-activation is asked of every model.`,
	Source:   "torch.nn.CrossEntropyLoss: the input is expected to contain the unnormalized logits; torch.nn.BCEWithLogitsLoss: combines a Sigmoid layer and the BCELoss in one single class",
	Whole: func(p *Pass) {
		for i := range p.With(catalog.IsOpaque) {
			own, ok := ownActivation[p.Arg(i, "code").Str()]
			in := p.Wiring.Inputs(i)
			if !ok || len(in) == 0 {
				continue
			}
			j := int(in[0])
			if p.Nodes[j].Type.Has(catalog.IsView) {
				if j, ok = p.Behind(j, catalog.IsView); !ok {
					continue
				}
			}
			if p.Is(j, catalog.InUnit) {
				p.Reportf(j, "is applied to what %s is given, which applies a %s itself", p.Label(i), own)
			}
		}
	},
	Examples: []string{
		"x: input shape=[32]\ny: input shape=[10]\nf: linear outFeatures=10\ns: softmax // want\nl: customModule outShape=[] code=cross_entropy numParams=0\no: output\nx -> f -> s\ns, y -> l -> o",
		"x: input shape=[32]\ny: input shape=[10]\nf: linear outFeatures=10\ns: sigmoid // want\nl: customModule outShape=[] code=binary_cross_entropy_with_logits numParams=0\no: output\nx -> f -> s\ns, y -> l -> o",
		"x: input shape=[32]\ny: input shape=[10]\nf: linear outFeatures=10\nl: customModule outShape=[] code=cross_entropy numParams=0\no: output\nx -> f\nf, y -> l -> o",
		"x: input shape=[32]\ny: input shape=[10]\nf: linear outFeatures=10\ns: sigmoid\nl: customModule outShape=[] code=binary_cross_entropy numParams=0\no: output\nx -> f -> s\ns, y -> l -> o",
	},
})
