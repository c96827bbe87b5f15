package config

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// validate refuses what PreTrainedConfig's constructor and validators raise for in every class: the parts inside the
// config, too, whether or not the model that is built reads them.
func validate(c *Config) {
	checkTypes(c)
	if len(c.class.Types) == 0 {
		return
	}
	checkLabels(c)
	checkDtype(c)
	checkLayerTypes(c)
	checkRope(c)
	for _, key := range SortedKeys(c.class.Sub) {
		if _, ok := c.values[key].(map[string]any); ok {
			c.Sub(key, c.class.Sub[key])
		}
	}
}

// checkLabels: num_labels is the length of a range, unless the class declares it as a field of its own.
func checkLabels(c *Config) {
	v, given := c.values["num_labels"]
	if given && c.class.Types["num_labels"] == "" && !fits(v, "int|bool") {
		Fail(graph.CodeType, c.At("num_labels"), "is %s but takes an integer: leave it out for the default", Written(v))
	}
	labels, named := c.values["id2label"].(map[string]any)
	one := named && len(labels) == 1 || !named && v == json.Number("1")
	if one && c.Is("problem_type", "single_label_classification") {
		Fail(CodeContradiction, c.At("problem_type"), "is single_label_classification, which needs more than 1 label")
	}
}

// dtypes are PyTorch's names of types of numbers.
var dtypes = []string{"bfloat16", "bool", "cdouble", "cfloat", "chalf", "complex128", "complex32", "complex64",
	"double", "float", "float16",
	"float32", "float4_e2m1fn_x2", "float64", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
	"float8_e8m0fnu", "half",
	"int", "int16", "int32", "int64", "int8", "long", "short", "uint16", "uint32", "uint64", "uint8"}

// checkDtype: the name is looked up in torch.
func checkDtype(c *Config) {
	for _, key := range []string{"dtype", "torch_dtype"} {
		if v := c.values[key]; v != nil {
			if name, ok := v.(string); ok && !slices.Contains(dtypes, name) {
				Fail(CodeConfig, c.At(key), "is %q but takes the name of a dtype of PyTorch, such as bfloat16", name)
			}
			return // torch_dtype is the older name, and counts only where dtype is not given
		}
	}
}

// The kinds of layers that validate_layer_type knows. Some classes rename the older ones before that.
var (
	layerKinds = []string{"full_attention", "sliding_attention", "chunked_attention", "window_attention",
		"compressed_sparse_attention",
		"heavily_compressed_attention", "minimax_m3_sparse", "conv", "moe", "hybrid", "hybrid_sliding",
		"deepseek_sparse_attention",
		"qwen_sparse_attention", "linear_attention"}
	olderKinds = []string{"mamba", "attention"}
	mlpKinds   = []string{"sparse", "dense"}
)

// checkLayerTypes: layer_types and mlp_layer_types name known kinds, one for each layer. The second is looked at only
// where there is the first.
func checkLayerTypes(c *Config) {
	if slices.Contains(c.class.Own, "validate_layer_type") {
		return
	}
	_, declared := c.class.Types["layer_types"]
	kinds := layerKinds
	if declared {
		kinds = slices.Concat(layerKinds, olderKinds)
	}
	if checkKinds(c, "layer_types", kinds) || declared {
		checkKinds(c, "mlp_layer_types", mlpKinds)
	}
}

// checkKinds reports whether the list is there.
func checkKinds(c *Config, key string, known []string) bool {
	list, ok := c.values[key].([]any)
	if !ok {
		return false
	}
	for _, v := range list {
		if kind, ok := v.(string); !ok || !slices.Contains(known, kind) {
			Fail(CodeConfig, c.At(key), "holds %s but takes %s", Written(v), strings.Join(known, ", "))
		}
	}
	if n, ok := c.Value("num_hidden_layers").(json.Number); ok &&
		c.Integer("num_hidden_layers", n) != int64(len(list)) {
		Fail(CodeContradiction, c.At(key), "names %d layers but num_hidden_layers is %s", len(list), n)
	}
	return true
}

// ropeNeeds are the keys that each type of rotary positions has to have beside those that the class fills in.
var ropeNeeds = map[string][]string{"default": nil, "axial": nil, "proportional": nil, "mrope": nil, "su": nil,
	"linear": {"factor"}, "dynamic": {"factor"},
	"yarn": {"factor"}, "longrope": {"short_factor", "long_factor"},
	"llama3": {"factor", "low_freq_factor", "high_freq_factor"}}

// checkRope: rope_parameters, by its older name rope_scaling, has what its type needs. It may hold an object for each
// kind of layer.
func checkRope(c *Config) {
	key := "rope_scaling"
	rope, _ := c.values[key].(map[string]any)
	if len(rope) == 0 {
		key = "rope_parameters"
		rope, _ = c.values[key].(map[string]any)
	}
	nested := false
	for _, kind := range SortedKeys(rope) {
		if own, ok := rope[kind].(map[string]any); ok && slices.Contains(layerKinds, kind) {
			nested = true
			checkRopeType(c, key+"."+kind, own)
		}
	}
	if !nested && len(rope) > 0 {
		checkRopeType(c, key, rope)
	}
}

func checkRopeType(c *Config, key string, rope map[string]any) {
	typ, given := rope["rope_type"]
	if !given {
		if typ, given = rope["type"]; !given {
			return
		}
	}
	name, _ := typ.(string)
	needs, known := ropeNeeds[name]
	if !known && c.class.Types["rope_parameters"] != "" {
		Fail(CodeConfig, c.At(key+".rope_type"), "is %s but takes %s", Written(typ),
			strings.Join(SortedKeys(ropeNeeds), ", "))
	}
	for _, need := range needs {
		if _, there := rope[need]; !there {
			Fail(graph.CodeMissing, c.At(key+"."+need), "is missing, and rope_type %s needs it", name)
		}
	}
}
