// Package config reads what the config.json of a Hugging Face model says: its keys under each of their names, the
// defaults of transformers' configuration class behind them, and what that class refuses. Class defaults are in
// defaults/, which truth/hf_defaults.py writes.
//
// It knows no model: which keys are read, and what is built of them, is for the families to say. It never guesses: a
// key that is needed and that it cannot have is an error that names it.
package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// Config reads a config.json, or an object inside one, with the class's defaults behind it. Its methods end the
// import with an error that names the key when a value is missing or of the wrong kind.
type Config struct {
	values    map[string]any
	class     Class
	path      string // of the object inside config.json, "" for the whole
	modelType string // its own
	lists     *lists // that were read, nil where none is asked for twice
}

// maxValues is how many values a config.json may hold: those that name 21,000 classes have some 40,000.
const maxValues = 500_000

// tooMany reports whether a text has more values than that, by the commas between them.
func tooMany(text []byte) bool {
	commas, inText := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case c == ',' && !inText:
			commas++
		}
	}
	return commas >= maxValues
}

// Parse parses a config.json.
func Parse(text []byte) (map[string]any, error) {
	if tooMany(text) {
		return nil, &graph.Error{Code: graph.CodeValues, Path: "config.json", Message: fmt.Sprintf("holds more than %d values", maxValues), Limit: maxValues}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return nil, &graph.Error{Code: graph.CodeSyntax, Path: "config.json",
			Message: "not a JSON object: " + err.Error()}
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, &graph.Error{Code: graph.CodeSyntax, Path: "config.json", Message: "text follows the object"}
	}
	if v == nil {
		return nil, &graph.Error{Code: graph.CodeSyntax, Path: "config.json",
			Message: "holds null instead of an object"}
	}
	return v, nil
}

// New puts the class's defaults behind the values. Other names of a field count as the field; two that disagree are
// refused.
func New(values map[string]any, modelType, path string) *Config {
	c, ok := ClassOf(modelType)
	if !ok {
		Fail(CodeArchitecture, path, "the defaults of model_type %q are not known", modelType)
	}
	out := &Config{values: values, class: c, path: path, modelType: modelType, lists: &lists{}}
	if out.Given("per_layer_config") && !perLayer[modelType] { // any class takes it since transformers 5.17
		Fail(CodeConfig, out.At("per_layer_config"), "sizes of single layers are not modelled")
	}
	var renamed map[string]any
	for _, alias := range SortedKeys(c.Aliases) {
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
			Fail(CodeContradiction, out.At(field), "%s is %v but %s, another name of it, is %v", field, old, alias, v)
		}
		renamed[field] = v
	}
	validate(out)
	return out
}

// At is the path of a key, for messages.
func (c *Config) At(key string) string {
	if c.path == "" {
		return "config." + key
	}
	return c.path + "." + key
}

// Value is what the config says of a key, under this name or another, else the class's default, else nil.
func (c *Config) Value(key string) any {
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
func (c *Config) Has(key string) bool { return c.Value(key) != nil }

// Is reports whether a key has this string as its value.
func (c *Config) Is(key, text string) bool {
	s, ok := c.Value(key).(string)
	return ok && s == text
}

// Missing refuses a config without a key that the model needs.
func (c *Config) Missing(key string) {
	Fail(graph.CodeMissing, c.At(key), "is missing, and %s has no default for it", c.class.Class)
}

// MaxSize is beyond every size that a model has, and small enough that a product of two cannot overflow.
const MaxSize = 1 << 31

// Int reads an integer.
func (c *Config) Int(key string) int64 {
	v := c.Value(key)
	if v == nil {
		c.Missing(key)
	}
	return c.Integer(key, v)
}

// Or reads an integer that another value stands in for when it is null or missing.
func (c *Config) Or(key string, otherwise int64) int64 {
	if v := c.Value(key); v != nil {
		return c.Integer(key, v)
	}
	return otherwise
}

// Integer reads a value of a key as an integer.
func (c *Config) Integer(key string, v any) int64 {
	n, ok := v.(json.Number)
	if !ok {
		Fail(graph.CodeType, c.At(key), "is %s but takes an integer", Written(v))
	}
	i, err := n.Int64()
	if err != nil {
		f, ferr := n.Float64()
		if i = int64(f); ferr != nil || float64(i) != f {
			Fail(graph.CodeType, c.At(key), "is %s but takes an integer", n)
		}
	}
	if i > MaxSize || i < -MaxSize {
		Fail(graph.CodeNumber, c.At(key), "is %s, beyond %d", n, int64(MaxSize))
	}
	return i
}

// Size reads an integer of at least 1.
func (c *Config) Size(key string) int64 {
	n := c.Int(key)
	if n < 1 {
		Fail(CodeConfig, c.At(key), "is %d but takes an integer of at least 1", n)
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
	switch v := c.Value(key).(type) {
	case nil:
		return false
	case bool:
		return v
	case json.Number:
		return v.String() != "0"
	default:
		Fail(graph.CodeType, c.At(key), "is %s but takes true or false", Written(v))
		return false
	}
}

// Float reads a number.
func (c *Config) Float(key string) float64 {
	v := c.Value(key)
	if v == nil {
		c.Missing(key)
	}
	n, ok := v.(json.Number)
	if !ok {
		Fail(graph.CodeType, c.At(key), "is %s but takes a number", Written(v))
	}
	f, err := n.Float64()
	if err != nil {
		Fail(graph.CodeNumber, c.At(key), "is %s, which is no number that fits", n)
	}
	return f
}

// Str reads a text; null and missing are empty.
func (c *Config) Str(key string) string {
	switch v := c.Value(key).(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		Fail(graph.CodeType, c.At(key), "is %s but takes a text", Written(v))
		return ""
	}
}

// List reads a list; null and missing are none.
func (c *Config) List(key string) []any {
	switch v := c.Value(key).(type) {
	case nil:
		return nil
	case []any:
		return v
	default:
		Fail(graph.CodeType, c.At(key), "is %s but takes a list", Written(v))
		return nil
	}
}

// Pair reads an integer that stands for two, or a list of two: a height and a width.
func (c *Config) Pair(key string) (int64, int64) {
	if _, ok := c.Value(key).([]any); !ok {
		n := c.Int(key)
		return n, n
	}
	two := c.Ints(key)
	if len(two) != 2 {
		Fail(graph.CodeType, c.At(key), "has %d numbers but takes one or two", len(two))
	}
	return two[0], two[1]
}

// Sub reads the config of a part. The model type is what the object itself says, else what the class declares, else
// otherwise.
func (c *Config) Sub(key, otherwise string) *Config {
	values, modelType := map[string]any{}, c.class.Sub[key]
	switch v := c.Value(key).(type) {
	case nil:
	case map[string]any:
		values = v
		if t, ok := v["model_type"].(string); ok && t != "" {
			if _, known := ClassOf(t); known || modelType == "" {
				modelType = t
			}
		}
	default:
		Fail(graph.CodeType, c.At(key), "is %s but takes an object", Written(v))
	}
	if _, known := ClassOf(modelType); !known {
		modelType = otherwise
	}
	return New(values, modelType, c.At(key))
}

// NamedType is the model type that an object names, or "".
func (c *Config) NamedType() string {
	t, _ := c.values["model_type"].(string)
	return t
}

// RefuseNull refuses null in a key that the class does not declare, so that nothing derives it. The modules read such
// a key with getattr, whose own default stands in for a key that is left out, and not for null.
func (c *Config) RefuseNull(key string) {
	if v, given := c.values[key]; given && v == nil && c.class.Types[key] == "" {
		Fail(graph.CodeMissing, c.At(key), "is null, and %s does not derive it: leave it out, or give an integer",
			c.class.Class)
	}
}

// IgnoreNull is the config of modules that read null in a key as if it was left out: getattr(config, key, None) or a
// default.
func (c *Config) IgnoreNull(key string) *Config {
	if v, given := c.values[key]; !given || v != nil {
		return c
	}
	out := *c
	out.values = maps.Clone(c.values)
	delete(out.values, key)
	return &out
}

// Declares says whether the configuration class has a field of this name.
func (c *Config) Declares(key string) bool {
	_, ok := c.class.Fields[key]
	return ok
}

// Keys are the keys that the config itself has, sorted.
func (c *Config) Keys() []string { return SortedKeys(c.values) }

// Null says whether the config itself has the key, and null there.
func (c *Config) Null(key string) bool {
	v, given := c.values[key]
	return given && v == nil
}

// Type is the model type whose class the config is read as.
func (c *Config) Type() string { return c.modelType }

// Where is the path of the object inside config.json, "" for the whole.
func (c *Config) Where() string { return c.path }

// LabelCount is how many labels id2label names, and whether it is there.
func (c *Config) LabelCount() (n int64, named bool) {
	labels, named := c.values["id2label"].(map[string]any)
	return int64(len(labels)), named
}

// Padded says whether a module is an nn.Embedding that gets pad_token_id as its padding_idx.
func (c *Config) Padded(module string) bool { return slices.Contains(c.class.Padded, module) }

// Written is a value as a message shows it.
func Written(v any) string {
	text, err := json.Marshal(v)
	if err != nil || len(text) > 80 {
		return "a " + strings.TrimPrefix(fmt.Sprintf("%T", v), "*")
	}
	return string(text)
}
