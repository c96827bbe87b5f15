package bench

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// bound is what a number that a component is given must lie within, so that it does not make all that passes zero or
// a constant.
type bound struct {
	low, high float64
	why       string
}

// bounds are by the name of the parameter. A multiplication by zero has many names.
var bounds = map[string]bound{
	"eps":             {0, 1e-2, "divides all that arrives by the size of eps"},
	"layerNormEps":    {0, 1e-2, "divides all that arrives by the size of eps"},
	"divisorOverride": {1, 1 << 20, "divides all that arrives"},
	"maxNorm":         {1e-2, 1e9, "scales every row of the table down to that norm"},
	"alpha":           {1e-2, 100, "leaves nothing of negative values, or nothing else"},
	"negativeSlope":   {0, 1, "is no slope of a rectifier"},
	"beta":            {1e-2, 100, "bends what arrives into a constant"},
	"threshold":       {1, 1000, "bends what arrives into a constant"},
	"initValue":       {1e-7, 100, "multiplies all that arrives by next to nothing"},
	"layerScale":      {1e-7, 100, "multiplies a branch by next to nothing"},
	"init":            {-10, 10, "is no slope of a rectifier"},
	"momentum":        {0, 1, "is no share"},
	"base":            {1, 1e9, "turns positions by no angle"},
}

// vanishingConstant finds numbers that multiply what passes by zero, or by so little that nothing is left.
func vanishingConstant(_ *infer.Result, _ int, n *infer.Node) string {
	for k := range n.Type.Params {
		b, ok := bounds[n.Type.Params[k].Name]
		v := n.Args[k]
		if !ok || v.Kind() != graph.Int && v.Kind() != graph.Float {
			continue
		}
		if x := v.Float(); !(x >= b.low && x <= b.high) { // not the other way round: NaN is neither
			return quantity.Sprintf("%s is %s, which %s", n.Type.Params[k].Name, v.Brief(), b.why)
		}
	}
	return ""
}
