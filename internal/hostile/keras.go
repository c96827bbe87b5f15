package hostile

import (
	"fmt"
	"maps"
	"strings"
)

// Keras are descriptions of Keras models, as model.to_json() writes them.
func Keras() map[string]File {
	const most = size - beside
	out := map[string]File{}
	for place, around := range map[string]string{
		"layers":  `{"class_name":"Sequential","config":{"name":"m","layers":%s}}`,
		"config":  `{"class_name":"Sequential","config":{"name":"m","layers":[{"class_name":"Dense","config":{"name":"d","units":%s}}]}}`,
		"shape":   `{"class_name":"Sequential","config":{"name":"m","layers":[{"class_name":"InputLayer","config":{"name":"x","batch_shape":%s}},{"class_name":"ReLU","config":{}}]}}`,
		"inbound": `{"class_name":"Functional","config":{"name":"m","layers":[{"class_name":"Dense","name":"d","config":{},"inbound_nodes":%s}]}}`,
		"args":    `{"class_name":"Functional","config":{"name":"m","layers":[{"class_name":"Dense","name":"d","config":{},"inbound_nodes":[{"args":%s,"kwargs":{}}]}]}}`,
		"outputs": `{"class_name":"Functional","config":{"name":"m","layers":[],"output_layers":%s}}`,
		"beside":  `{"class_name":"Functional","config":{"name":"m","layers":[]},"keras_version":%s}`,
	} {
		before, behind, _ := strings.Cut(around, "%s")
		for name, file := range jsonOf(most, func(v string) string { return before + v + behind }) {
			out[place+"/"+name] = file
		}
	}
	maps.Copy(out, kerasModels(most))
	return out
}

// kerasModels are models whose layers are too many, too deep, or read too much.
func kerasModels(most int) map[string]File {
	chain := func(bytes int, first, each, last string) func() string {
		return func() string {
			return `{"class_name":"Sequential","config":{"name":"m","layers":[` + first + numbered(each, bytes) + last + `]}}`
		}
	}
	const input = `{"class_name":"InputLayer","config":{"name":"x","batch_shape":[null,4]}},`
	const end = `{"class_name":"ReLU","config":{}}`
	return map[string]File{
		"nested":     func() string { return nestedModels(2500) },
		"less deep":  func() string { return nestedModels(16) },
		"twice deep": func() string { return nestedModels(4) },
		"deep places": func() string {
			return `{"class_name":"Functional","config":{"name":"m","layers":[{"class_name":"ReLU","name":"d","config":{},"inbound_nodes":` + strings.Repeat("[", 9_000) + `"` + fill("x", size-20_000) + `"` + strings.Repeat("]", 9_000) + `}]}}`
		},
		"dropouts":   chain(650_000, input, `{"class_name":"Dropout","config":{}},`, end),
		"embeddings": chain(1_000_000, input, `{"class_name":"Embedding","config":{"output_dim":4}},`, end),
		"unknown":    chain(800_000, input, `{"class_name":"Mystery%d","config":{}},`, end),
		"reversed":   func() string { return backwards(1_900) },
		"far back":   func() string { return backwards(19_000) },
		"calls": func() string {
			return `{"class_name":"Functional","config":{"name":"m","layers":[{"class_name":"ReLU","name":"d","config":{},"inbound_nodes":[` + fill("[],", most) + `[]]}]}}`
		},
		"large config": func() string {
			return functionalOf(`{"class_name":"Dense","name":"d","config":{"units":[`+fill("1,", size/2)+`1]},"inbound_nodes":[`+strings.Repeat(`[["x",0,0]],`, 1_900)+`[["x",0,0]]]}`, `["d",0,0]`)
		},
		"long class": func() string { return `{"class_name":"` + fill("S", most) + `","config":{}}` },
		"long class without layers": func() string {
			return `{"class_name":"Sequential","config":{"name":"m","layers":[{"class_name":"Sequential","config":1,"name":"` + fill("S", most) + `"}]}}`
		},
		"long output": func() string {
			return `{"class_name":"Functional","config":{"name":"m","layers":[],"output_layers":[["` + fill("o", most) + `",0,0]]}}`
		},
		"long name": func() string {
			return functionalOf(`{"class_name":"Dense","name":"`+fill("d", size/2)+`","config":{"units":1},"inbound_nodes":[`+strings.Repeat(`[["x",0,0]],`, 1_900)+`[["x",0,0]]]}`, `["x",0,0]`)
		},
		"long activation": func() string {
			return functionalOf(`{"class_name":"Dense","name":"d","config":{"units":1,"activation":"`+fill("a", size/2)+`"},"inbound_nodes":[`+strings.Repeat(`[["x",0,0]],`, 1_900)+`[["x",0,0]]]}`, `["x",0,0]`)
		},
		"inputs": func() string {
			const each = `{"class_name":"InputLayer","name":"x%d","config":{"batch_shape":[null,4]}},`
			return `{"class_name":"Functional","config":{"name":"m","layers":[` + numbered(each, size/2) + end + `],"input_layers":[` + numbered(`["x%d",0,0],`, size/3) + `["x",0,0]]}}`
		},
		"one reads all": func() string {
			return functionalOf(`{"class_name":"Add","name":"d","config":{},"inbound_nodes":[[`+fill(`["x",0,0],`, most-200)+`["x",0,0]]]}`, `["d",0,0]`)
		},
		"axes": func() string {
			const pair = `{"class_name":"BatchNormalization","config":{}},{"class_name":"LayerNormalization","config":{}},`
			return `{"class_name":"Sequential","config":{"name":"m","layers":[{"class_name":"InputLayer","config":{"name":"x","batch_shape":[` + fill("1,", 1_000_000) + `1]}},` + strings.Repeat(pair, 900) + end + `]}}`
		},
		"target shape": chain(most-len(input), input, `{"class_name":"Reshape","config":{"target_shape":[`+fill("1,", size/4)+`1]}},`, end),
		"open shapes": func() string {
			const each = `{"class_name":"Mystery","name":"a%d","config":{},"inbound_nodes":[{"args":[{"class_name":"__keras_tensor__","config":{"shape":[null,4],"keras_history":["x",0,0]}}],"kwargs":{}}]},`
			return functionalOf(strings.TrimSuffix(numbered(each, 2_000_000), ","), `["x",0,0]`)
		},
	}
}

// nestedModels are Sequential models inside each other, with much in the last.
func nestedModels(levels int) string {
	const open = `{"class_name":"Sequential","config":{"layers":[`
	return strings.Repeat(open, levels) + `{"class_name":"Dense","config":{"name":"` + fill("x", size-beside-levels*50) + `"}}` + strings.Repeat("]}}", levels)
}

// functionalOf is a functional model with an input x.
func functionalOf(layers, output string) string {
	return `{"class_name":"Functional","config":{"name":"m","layers":[{"class_name":"InputLayer","name":"x","config":{"batch_shape":[null,4]},"inbound_nodes":[]},` + layers +
		`],"input_layers":[["x",0,0]],"output_layers":[` + output + `]}}`
}

// backwards is a chain of layers, the last of which stands first.
func backwards(layers int) string {
	var b strings.Builder
	for i := layers; i > 0; i-- {
		fmt.Fprintf(&b, `{"class_name":"ReLU","name":"a%d","config":{},"inbound_nodes":[[["a%d",0,0]]]},`, i, i-1)
	}
	return functionalOf(b.String()+`{"class_name":"ReLU","name":"a0","config":{},"inbound_nodes":[[["x",0,0]]]}`, fmt.Sprintf(`["a%d",0,0]`, layers))
}
