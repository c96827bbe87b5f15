package facts

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// Towers says of each component whether it belongs to a tower in front of a language model, which looks at images or sound: it reads an
// input that is not text, and no text. What a decoder only looks back at, by attention, is an encoder and not a tower, unless config.json
// has a part for what sees or hears.
func Towers(res *infer.Result) []bool {
	tokens := Tokens(res)
	if len(tokens) == 0 {
		return make([]bool, len(res.Nodes))
	}
	var others []int
	for i := range res.Nodes {
		if n := &res.Nodes[i]; n.Type != nil && n.Type.ID == infer.InputID && !slices.Contains(tokens, i) && !n.OutIsInt {
			others = append(others, i)
		}
	}
	text, out := behind(res, tokens), behind(res, others)
	for i := range out {
		out[i] = out[i] && !text[i]
	}
	if c := configOf(res.Graph); c.object("vision_config", "audio_config") == nil && encodes(res, text, out) {
		clear(out)
	}
	return out
}

// Behind is what a component's result reaches, itself among it.
func Behind(res *infer.Result, i int) []bool { return behind(res, []int{i}) }

// behind is what some components' results reach, themselves among it.
func behind(res *infer.Result, list []int) []bool {
	seen := make([]bool, len(res.Nodes))
	for _, i := range list {
		seen[i] = true
	}
	for len(list) > 0 {
		i := list[len(list)-1]
		list = list[:len(list)-1]
		for _, j := range res.Wiring.Outputs(i) {
			if !seen[j] {
				seen[j], list = true, append(list, int(j))
			}
		}
	}
	return seen
}

// encodes reports whether what reads the text takes the rest as the memory of its attention alone.
func encodes(res *infer.Result, text, rest []bool) bool {
	joined := false
	for i := range res.Nodes {
		if !rest[i] {
			continue
		}
		for _, j := range res.Wiring.Outputs(i) {
			if !text[j] {
				continue
			}
			if !res.Nodes[j].Type.Has(catalog.IsAttention) {
				return false
			}
			joined = true
		}
	}
	return joined
}
