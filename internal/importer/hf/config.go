package hf

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

//go:embed defaults/*.json
var defaultFiles embed.FS

// class is what transformers' configuration class declares: the defaults of its fields before any of them is derived from
// others, the types that it checks them for, other names of fields, and the model types of the configs inside it.
type class struct {
	Class   string            `json:"class"`
	Fields  map[string]any    `json:"fields"`
	Types   map[string]string `json:"types"`
	Aliases map[string]string `json:"aliases"`
	Sub     map[string]string `json:"sub"`
	Own     []string          `json:"own"`    // validators of the base class that it replaces
	Padded  []string          `json:"padded"` // modules that are nn.Embedding with pad_token_id as padding_idx
}

// Config reads a config.json, or an object inside one, with the class's defaults behind it. Its methods end the import with
// an error that names the key when a value is missing or of the wrong kind.
type Config struct {
	values    map[string]any
	class     class
	path      string // of the object inside config.json, "" for the whole
	modelType string // its own
}

// object parses a config.json.
func object(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return nil, &graph.Error{Code: graph.CodeSyntax, Path: "config.json", Message: "not a JSON object: " + err.Error()}
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, &graph.Error{Code: graph.CodeSyntax, Path: "config.json", Message: "text follows the object"}
	}
	if v == nil {
		return nil, &graph.Error{Code: graph.CodeSyntax, Path: "config.json", Message: "holds null instead of an object"}
	}
	return v, nil
}

// classOf returns what is known of a model type's configuration class.
func classOf(modelType string) (class, bool) {
	text, err := defaultFiles.ReadFile("defaults/" + modelType + ".json")
	if err != nil {
		return class{}, false
	}
	var c class
	d := json.NewDecoder(bytes.NewReader(Strict(text)))
	d.UseNumber()
	if err := d.Decode(&c); err != nil {
		panic("hf: defaults of " + modelType + ": " + err.Error()) // the file is embedded and tested
	}
	return c, true
}

// newConfig puts the class's defaults behind the values. Other names of a field count as the field; two that disagree are refused.
func newConfig(values map[string]any, modelType, path string) *Config {
	c, ok := classOf(modelType)
	if !ok {
		fail(CodeArchitecture, path, "the defaults of model_type %q are not known", modelType)
	}
	out := &Config{values: values, class: c, path: path, modelType: modelType}
	if f := families[modelType]; out.Given("per_layer_config") && (f == nil || !f.PerLayer) { // any class takes it since transformers 5.17
		fail(CodeConfig, out.at("per_layer_config"), "sizes of single layers are not modelled")
	}
	var renamed map[string]any
	for _, alias := range sortedKeys(c.Aliases) {
		field := c.Aliases[alias]
		if d, declared := c.Fields[alias]; declared && c.Fields[field] == nil {
			c.Fields[field] = d // a class may declare a field under either name
		}
		v, given := values[alias]
		if !given || v == nil || alias == field {
			continue
		}
		if renamed == nil {
			renamed = make(map[string]any, len(values))
			for k, v := range values {
				renamed[k] = v
			}
			out.values = renamed
		}
		if old, both := values[field]; both && old != nil && fmt.Sprint(old) != fmt.Sprint(v) {
			fail(CodeContradiction, out.at(field), "%s is %v but %s, another name of it, is %v", field, old, alias, v)
		}
		renamed[field] = v
	}
	out.validate()
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// at is the path of a key, for messages.
func (c *Config) at(key string) string {
	if c.path == "" {
		return "config." + key
	}
	return c.path + "." + key
}

// value is what the config says of a key, under this name or another, else the class's default, else nil.
func (c *Config) value(key string) any {
	if v, ok := c.values[key]; ok {
		return v
	}
	if field := c.class.Aliases[key]; field != "" {
		if v, ok := c.values[field]; ok {
			return v
		}
		if c.class.Fields[key] == nil {
			return c.class.Fields[field]
		}
	}
	return c.class.Fields[key]
}

// Given says whether the config itself has the key and not null there.
func (c *Config) Given(key string) bool { return c.values[key] != nil }

// Has says whether the key has a value that is not null, from the config or by default.
func (c *Config) Has(key string) bool { return c.value(key) != nil }

// Is says whether a key holds a text of this value.
func (c *Config) Is(key, text string) bool {
	s, ok := c.value(key).(string)
	return ok && s == text
}

func (c *Config) missing(key string) {
	fail(graph.CodeMissing, c.at(key), "is missing, and %s has no default for it", c.class.Class)
}

// maxSize is beyond every size that a model has, and small enough that a product of two cannot overflow.
const maxSize = 1 << 31

// Int reads an integer.
func (c *Config) Int(key string) int64 {
	v := c.value(key)
	if v == nil {
		c.missing(key)
	}
	return c.integer(key, v)
}

// Or reads an integer that another value stands in for when it is null or missing.
func (c *Config) Or(key string, otherwise int64) int64 {
	if v := c.value(key); v != nil {
		return c.integer(key, v)
	}
	return otherwise
}

func (c *Config) integer(key string, v any) int64 {
	n, ok := v.(json.Number)
	if !ok {
		fail(graph.CodeType, c.at(key), "is %s but takes an integer", written(v))
	}
	i, err := n.Int64()
	if err != nil {
		f, ferr := n.Float64()
		if i = int64(f); ferr != nil || float64(i) != f {
			fail(graph.CodeType, c.at(key), "is %s but takes an integer", n)
		}
	}
	if i > maxSize || i < -maxSize {
		fail(graph.CodeNumber, c.at(key), "is %s, beyond %d", n, int64(maxSize))
	}
	return i
}

// Size reads an integer of at least 1.
func (c *Config) Size(key string) int64 {
	n := c.Int(key)
	if n < 1 {
		fail(CodeConfig, c.at(key), "is %d but takes an integer of at least 1", n)
	}
	return n
}

// SizeOr is Size where another value stands in for null.
func (c *Config) SizeOr(key string, otherwise int64) int64 {
	if c.Has(key) {
		return c.Size(key)
	}
	return otherwise
}

// Bool reads a truth value; null and missing are false.
func (c *Config) Bool(key string) bool {
	switch v := c.value(key).(type) {
	case nil:
		return false
	case bool:
		return v
	case json.Number:
		return v.String() != "0"
	default:
		fail(graph.CodeType, c.at(key), "is %s but takes true or false", written(v))
		return false
	}
}

// Float reads a number.
func (c *Config) Float(key string) float64 {
	v := c.value(key)
	if v == nil {
		c.missing(key)
	}
	n, ok := v.(json.Number)
	if !ok {
		fail(graph.CodeType, c.at(key), "is %s but takes a number", written(v))
	}
	f, err := n.Float64()
	if err != nil {
		fail(graph.CodeNumber, c.at(key), "is %s, which is no number that fits", n)
	}
	return f
}

// Str reads a text; null and missing are empty.
func (c *Config) Str(key string) string {
	switch v := c.value(key).(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		fail(graph.CodeType, c.at(key), "is %s but takes a text", written(v))
		return ""
	}
}

// list reads a list; null and missing are none.
func (c *Config) list(key string) []any {
	switch v := c.value(key).(type) {
	case nil:
		return nil
	case []any:
		return v
	default:
		fail(graph.CodeType, c.at(key), "is %s but takes a list", written(v))
		return nil
	}
}

// Ints reads a list of integers.
func (c *Config) Ints(key string) []int64 {
	items := c.list(key)
	out := make([]int64, len(items))
	for i, v := range items {
		out[i] = c.integer(fmt.Sprintf("%s[%d]", key, i), v)
	}
	return out
}

// Pair reads an integer that stands for two, or a list of two: a height and a width.
func (c *Config) Pair(key string) (int64, int64) {
	if _, ok := c.value(key).([]any); !ok {
		n := c.Int(key)
		return n, n
	}
	two := c.Ints(key)
	if len(two) != 2 {
		fail(graph.CodeType, c.at(key), "has %d numbers but takes one or two", len(two))
	}
	return two[0], two[1]
}

// Strs reads a list of texts.
func (c *Config) Strs(key string) []string {
	items := c.list(key)
	out := make([]string, len(items))
	for i, v := range items {
		s, ok := v.(string)
		if !ok {
			fail(graph.CodeType, c.at(fmt.Sprintf("%s[%d]", key, i)), "is %s but takes a text", written(v))
		}
		out[i] = s
	}
	return out
}

// Bools reads a list of truth values.
func (c *Config) Bools(key string) []bool {
	items := c.list(key)
	out := make([]bool, len(items))
	for i, v := range items {
		b, ok := v.(bool)
		if n, num := v.(json.Number); num {
			b, ok = n.String() != "0", true
		}
		if !ok {
			fail(graph.CodeType, c.at(fmt.Sprintf("%s[%d]", key, i)), "is %s but takes true or false", written(v))
		}
		out[i] = b
	}
	return out
}

// Sub reads the config of a part. The model type is what the object itself says, else what the class declares, else otherwise.
func (c *Config) Sub(key, otherwise string) *Config {
	values, modelType := map[string]any{}, c.class.Sub[key]
	switch v := c.value(key).(type) {
	case nil:
	case map[string]any:
		values = v
		if t, ok := v["model_type"].(string); ok && t != "" {
			if _, known := classOf(t); known || modelType == "" {
				modelType = t
			}
		}
	default:
		fail(graph.CodeType, c.at(key), "is %s but takes an object", written(v))
	}
	if _, known := classOf(modelType); !known {
		modelType = otherwise
	}
	return newConfig(values, modelType, c.at(key))
}

// ModelType is the model type that an object names, or "".
func (c *Config) ModelType() string {
	t, _ := c.values["model_type"].(string)
	return t
}

// refuseNull refuses null in a key that the class does not declare, so that nothing derives it. The modules read such a key with
// getattr, whose own default stands in for a key that is left out, and not for null.
func (c *Config) refuseNull(key string) {
	if v, given := c.values[key]; given && v == nil && c.class.Types[key] == "" {
		fail(graph.CodeMissing, c.at(key), "is null, and %s does not derive it: leave it out, or give an integer", c.class.Class)
	}
}

// ignoreNull is the config of modules that read null in a key as if it was left out: getattr(config, key, None) or a default.
func (c *Config) ignoreNull(key string) *Config {
	if v, given := c.values[key]; !given || v != nil {
		return c
	}
	out := *c
	out.values = maps.Clone(c.values)
	delete(out.values, key)
	return &out
}

// written is a value as a message shows it.
func written(v any) string {
	text, err := json.Marshal(v)
	if err != nil || len(text) > 80 {
		return "a " + strings.TrimPrefix(fmt.Sprintf("%T", v), "*")
	}
	return string(text)
}
