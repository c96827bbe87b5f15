package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// whose reports whether a model has modules of transformers, and whether its config asks for dropout that is not counted.
func whose(res *infer.Result, o Options) (foreign, dropless bool) {
	for i, how := range implementations(res, make([]implementation, len(res.Nodes))) {
		foreign = foreign || how.has(transformers)
		if !o.Dropout {
			dropless = dropless || how.has(dropped) || how.has(transformers) && known(&res.Nodes[i]) && res.Nodes[i].Type.Has(catalog.IsDropout)
		}
	}
	return foreign, dropless
}
