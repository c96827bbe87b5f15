package rules

import "github.com/modelverifier/verifier/internal/catalog"

// selfNormsFrom is how many self-normalising layers in turn make the default initialisation matter: each divides the variance by about three.
const selfNormsFrom = 3

var _ = define(Rule{
	ID:       "init-activation",
	Title:    "An initialisation that the activation does not keep",
	Severity: Info,
	Doc:      `selu keeps mean and variance from layer to layer only where weights begin with a variance of 1 / fan_in. PyTorch's linear layers and convolutions begin with a third of that, uniform from -1/sqrt(fan_in) to 1/sqrt(fan_in), so that what was to normalise itself fades by about three a layer until training has mended it. Initialise each of them with torch.nn.init.kaiming_normal_(weight, nonlinearity='linear'). A graph says nothing of how weights begin: if yours do already, nothing is wrong. It is said once, where three such layers or more follow each other without a normalisation.`,
	Source:   "Klambauer et al. 2017; torch.nn.init.calculate_gain, warning on SELU: nonlinearity='linear' gives a variance of 1/N; torch.nn.Linear \"Variables\": U(-sqrt(k), sqrt(k)), k = 1/in_features",
	Whole: func(p *Pass) {
		inTurn := make([]int, len(p.Nodes)) // self-normalising activations up to a component without a normalisation between
		for _, i := range p.Wiring.Order {
			n := &p.Nodes[i]
			if n.Type == nil || n.Type.HasAny(catalog.IsNorm|catalog.HasNorm) {
				continue
			}
			for _, j := range p.Wiring.Inputs(i) {
				inTurn[i] = max(inTurn[i], inTurn[j])
			}
			if !n.Type.Has(catalog.SelfNorms) {
				continue
			}
			if j, ok := p.Only(i); ok && p.Is(j, catalog.IsAffine) {
				inTurn[i]++
			}
			if inTurn[i] == selfNormsFrom {
				p.Reportf(i, "is the third in turn that keeps its variance only with weights of variance 1/fan_in; by default %s has a third of that", p.Label(int(p.Wiring.Inputs(i)[0])))
				return
			}
		}
	},
	Examples: []string{
		"x: input shape=[32]\na: linear outFeatures=64\nr: selu\nb: linear outFeatures=64\ns: selu\nc: linear outFeatures=64\nt: selu // want\nh: linear outFeatures=10\no: output\nx -> a -> r -> b -> s -> c -> t -> h -> o",
		"x: input shape=[32]\na: linear outFeatures=64\nr: selu\nh: linear outFeatures=10\no: output\nx -> a -> r -> h -> o",
		"x: input shape=[32]\na: linear outFeatures=64\nr: relu\nb: linear outFeatures=64\ns: relu\nc: linear outFeatures=64\nt: relu\nh: linear outFeatures=10\no: output\nx -> a -> r -> b -> s -> c -> t -> h -> o",
	},
})
