package config

import (
	"encoding/json"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// baseClass is what every configuration class inherits from.
const baseClass = "PreTrainedConfig"

// checkTypes refuses what the configuration class does not take: transformers 5 declares its fields as strict
// dataclasses, whose constructor raises StrictDataclassFieldValidationError. It checks a field under the name that
// the class declares and no other.
func checkTypes(c *Config) {
	if len(c.class.Types) == 0 {
		return
	}
	base, _ := ClassOf(baseClass)
	for _, key := range SortedKeys(c.values) {
		typ := c.class.Types[key]
		if typ == "" {
			typ = base.Types[key]
		}
		if typ == "" {
			typ = c.class.Types["_"+key] // of a property: out_features and out_indices of backbones
		}
		if v := c.values[key]; typ != "" && !fits(v, typ) {
			Fail(graph.CodeType, c.At(key), "is %s but %s takes %s", Written(v), c.class.Class, typeWords(typ))
		}
	}
}

// fits says whether a value is of a type: a bool is no int, and an int is no float.
func fits(v any, typ string) bool {
	for _, one := range alternatives(typ) {
		if fitsOne(v, one) {
			return true
		}
	}
	return false
}

func fitsOne(v any, typ string) bool {
	name, item := typ, ""
	if i := strings.IndexByte(typ, '['); i >= 0 && typ[0] != '"' {
		name, item = typ[:i], typ[i+1:len(typ)-1]
	}
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "bool"
	case string:
		return name == "str" || name == "float" && bareWord([]byte(v)) == v && v != "" || typ == Written(v)
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return name == "float"
		}
		return name == "int" || typ == v.String()
	case []any:
		return name == "list" && allFit(v, item)
	case map[string]any:
		// as transformers writes what JSON has no number for
		if text, tagged := v["__float__"].(string); tagged && len(v) == 1 {
			return fitsOne(text, typ)
		}
		values := make([]any, 0, len(v))
		for _, inner := range v {
			values = append(values, inner)
		}
		return name == "dict" && allFit(values, item)
	}
	return false
}

func allFit(items []any, typ string) bool {
	for _, v := range items {
		if typ != "" && !fits(v, typ) {
			return false
		}
	}
	return true
}

// alternatives splits a type at the bars that are not inside brackets.
func alternatives(typ string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(typ) {
		switch typ[i] {
		case '[':
			depth++
		case ']':
			depth--
		case '|':
			if depth == 0 {
				out, start = append(out, typ[start:i]), i+1
			}
		}
	}
	return append(out, typ[start:])
}

// words of types: one value, and several.
var words = map[string][2]string{
	"int": {"an integer", "integers"}, "float": {"a float, as 1.0", "floats"}, "bool": {"true or false",
		"true and false"},
	"str": {"a text", "texts"}, "list": {"a list", "lists"}, "dict": {"an object", "objects"}, "null": {"null", "null"},
}

// typeWords says a type in words.
func typeWords(typ string) string {
	var out []string
	for _, one := range alternatives(typ) {
		name, item, inside := strings.Cut(strings.TrimSuffix(one, "]"), "[")
		w, known := words[name]
		switch {
		case !known:
			out = append(out, one) // the value itself
		case inside:
			out = append(out, w[0]+" of "+words[alternatives(item)[0]][1])
		default:
			out = append(out, w[0])
		}
	}
	return strings.Join(out, " or ")
}
