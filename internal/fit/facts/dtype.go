package facts

import (
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// Dtype is the data type that config.json gives the weights, as bfloat16, empty where it gives none or there is no config.json.
func Dtype(g *graph.Graph) string {
	top := configOf(g)
	return dtype(top, textOf(top))
}

func dtype(top, text config) string {
	d := top.str("dtype", "torch_dtype")
	if d == "" {
		d = text.str("dtype", "torch_dtype")
	}
	return strings.TrimPrefix(d, "torch.")
}

// textOf is the part of a config that is of the language model.
func textOf(top config) config {
	text := top
	for range 3 { // thinker_config holds a text_config
		inner := text.object(textual...)
		if inner == nil {
			break
		}
		text = inner
	}
	return text
}
