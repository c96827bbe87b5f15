package config

import (
	"bytes"
	"embed"
	"encoding/json"
	"slices"
)

//go:embed defaults/*.json
var defaultFiles embed.FS

// Class is what transformers' configuration class declares: the defaults of its fields before any of them is derived
// from others, the types that it checks them for, other names of fields, and the model types of the configs inside
// it.
type Class struct {
	Class   string            `json:"class"`
	Fields  map[string]any    `json:"fields"`
	Types   map[string]string `json:"types"`
	Aliases map[string]string `json:"aliases"`
	Sub     map[string]string `json:"sub"`
	Own     []string          `json:"own"`    // validators of the base class that it replaces
	Padded  []string          `json:"padded"` // modules that are nn.Embedding with pad_token_id as padding_idx
}

// ClassOf returns what is known of a model type's configuration class.
func ClassOf(modelType string) (Class, bool) {
	text, err := defaultFiles.ReadFile("defaults/" + modelType + ".json")
	if err != nil {
		return Class{}, false
	}
	var c Class
	d := json.NewDecoder(bytes.NewReader(Strict(text)))
	d.UseNumber()
	if err := d.Decode(&c); err != nil {
		panic("hf: defaults of " + modelType + ": " + err.Error()) // the file is embedded and tested
	}
	return c, true
}

// perLayer are the model types that read per_layer_config.
var perLayer = map[string]bool{}

// ReadPerLayer says of a model type that it reads per_layer_config: sizes that differ from layer to layer.
func ReadPerLayer(modelType string) { perLayer[modelType] = true }

// SortedKeys are the keys of a map, sorted.
func SortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Of puts defaults behind values: for classes of other libraries, whose configs declare no types.
func Of(values map[string]any, class Class, modelType, path string) *Config {
	return &Config{values: values, class: class, path: path, modelType: modelType, lists: &lists{}}
}
