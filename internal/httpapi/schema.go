package httpapi

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/quantity"
)

// object is a JSON object of the document. Its members are written in the order of their names.
type object map[string]any

// schemas makes a JSON Schema from every type that an answer is made of, so that the document cannot say anything else than
// the code does. Types with a name become components.
type schemas object

// alternatives are the types behind a member that is any of several.
var alternatives = map[reflect.Type][]reflect.Type{
	reflect.TypeFor[check.Stage](): {
		reflect.TypeFor[check.PreflightData](), reflect.TypeFor[check.DataData](), reflect.TypeFor[check.TrainData](),
		reflect.TypeFor[check.EvaluateData](), reflect.TypeFor[check.DeployData](),
	},
}

var (
	shape     = reflect.TypeFor[catalog.Shape]()
	decimal   = reflect.TypeFor[quantity.Decimal]()
	marshaler = reflect.TypeFor[json.Marshaler]()
)

// of returns the schema of a type.
func (s schemas) of(t reflect.Type) object {
	switch {
	case t == decimal:
		return object{"type": "number"}
	case t == shape: // null where it is not known, [] for a scalar per sample
		return object{"type": []string{"array", "null"}, "items": object{"type": "integer"}}
	case t.Implements(marshaler) || t.Kind() == reflect.Interface:
		return object{} // any value
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.Pointer:
		return object{"anyOf": []any{s.of(t.Elem()), object{"type": "null"}}}
	case reflect.Slice, reflect.Array:
		return object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		return s.named(t)
	}
	panic("httpapi: no schema for " + t.String()) // of a type that no answer has: New would fail in every test
}

// named adds a type to the components, once, and refers to it.
func (s schemas) named(t reflect.Type) object {
	if t.Name() == "" {
		return s.fields(t)
	}
	name := t.String() // package.Type
	if _, done := s[name]; !done {
		s[name] = nil // ends a type that holds itself
		s[name] = s.fields(t)
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// fields is the object that encoding/json writes for a type.
func (s schemas) fields(t reflect.Type) object {
	properties, required := object{}, []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct { // its members are those of the object
			inner := s.fields(f.Type)
			maps.Copy(properties, inner["properties"].(object))
			required = append(required, inner["required"].([]string)...)
			continue
		}
		if name == "" {
			name = f.Name
		}
		typ, optional := f.Type, strings.Contains(options, "omit")
		if optional && typ.Kind() == reflect.Pointer {
			typ = typ.Elem() // is left out instead of being null
		}
		properties[name] = s.of(typ)
		if typ.Kind() == reflect.Interface && alternatives[t] != nil {
			properties[name] = object{"anyOf": s.each(alternatives[t])}
		}
		if !optional {
			required = append(required, name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}

func (s schemas) each(types []reflect.Type) []any {
	var out []any
	for _, t := range types {
		out = append(out, s.of(t))
	}
	return out
}
