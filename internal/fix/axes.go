package fix

import (
	"slices"
	"strconv"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// takesAxes are the functions and methods of tensors whose whole numbers are axes.
var takesAxes = []string{"cat", "concat", "stack", "transpose", "permute", "flatten", "unflatten", "unsqueeze", "squeeze", "mean", "sum", "max", "min", "amax", "amin",
	"softmax", "log_softmax", "chunk", "split", "unbind", "select", "narrow", "size", "cumsum", "argmax", "norm", "normalize", "movedim", "swapaxes", "flip", "roll", "var", "std"}

// axes are other axes in the places of those near the fault.
func (x *fault) axes() {
	for _, s := range x.steps {
		if s.far > 3 {
			continue
		}
		x.inside(s, func(node any) {
			call, ok := node.(*python.Call)
			if !ok || !slices.Contains(takesAxes, lastName(call.Fn)) {
				return
			}
			for _, a := range call.Args {
				n, plain := integer(s.script, a.Value)
				if _, known := s.spans[a.Value]; !plain || !known || n < -4 || n > 4 {
					continue
				}
				for axis := int64(-2); axis <= 3; axis++ {
					if axis != n {
						x.offer(costAxis+costFar*s.far, func() candidate {
							return s.replace(a.Value, strconv.FormatInt(axis, 10), costAxis+costFar*s.far)
						})
					}
				}
			}
		})
	}
}
