package datasets

// Value says what a part of a row is: the JSON schema and the table of a dataset's page both follow from it.
type Value struct {
	kind   map[string]any // keywords of JSON schema
	fields []Field        // of an object
	items  *Value         // of a list
}

// Field is a member of an object.
type Field struct {
	Name  string
	Doc   string
	Value *Value

	optional bool
}

// Meaning is a line of the table of a dataset's page.
type Meaning struct{ Field, Doc string }

func kind(keywords map[string]any) *Value { return &Value{kind: keywords} }

var (
	text    = kind(map[string]any{"type": "string", "minLength": 1})
	words   = kind(map[string]any{"type": "string"}) // which may be empty
	boolean = kind(map[string]any{"type": "boolean"})
	number  = kind(map[string]any{"type": "number"})
	share   = kind(map[string]any{"type": "number", "minimum": 0, "maximum": 1})
	whole   = kind(map[string]any{"type": "integer", "minimum": 0})
	print8  = kind(map[string]any{"type": "string", "pattern": "^[0-9a-f]{8}$"})
	path    = kind(map[string]any{"type": "string", "pattern": "^/[a-z]/[^/]+$"})
	model   = kind(map[string]any{"type": "object", "required": []string{"components"}})
	object  = kind(map[string]any{"type": "object"})
	counts  = kind(map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "integer",
		"minimum": 1}})
	texts = kind(map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}})
	shape = list(kind(map[string]any{"type": "integer", "minimum": 1}))
)

// one is a string of a few.
func one(of ...string) *Value { return kind(map[string]any{"enum": of}) }

// list is a list of values.
func list(of *Value) *Value { return &Value{kind: map[string]any{"type": "array"}, items: of} }

// members is an object with these fields and no others.
func members(fields ...Field) *Value {
	return &Value{kind: map[string]any{"type": "object"}, fields: fields}
}

// null is a value, or null.
func null(v *Value) *Value {
	out := *v
	out.kind = map[string]any{}
	for k, keyword := range v.kind {
		out.kind[k] = keyword
	}
	out.kind["type"] = []any{v.kind["type"], "null"}
	return &out
}

// field is a member that every row has.
func field(name string, v *Value, doc string) Field { return Field{Name: name, Doc: doc, Value: v} }

// maybe is a member that a row can lack.
func maybe(name string, v *Value, doc string) Field {
	return Field{Name: name, Doc: doc, Value: v, optional: true}
}

// schema writes the value as JSON schema.
func (v *Value) schema() map[string]any {
	out := map[string]any{}
	for k, keyword := range v.kind {
		out[k] = keyword
	}
	if v.items != nil {
		out["items"] = v.items.schema()
	}
	if v.fields == nil {
		return out
	}
	properties, required := map[string]any{}, []string{}
	for _, f := range v.fields {
		s := f.Value.schema()
		if f.Doc != "" {
			s["description"] = f.Doc
		}
		properties[f.Name] = s
		if !f.optional {
			required = append(required, f.Name)
		}
	}
	out["properties"], out["required"], out["additionalProperties"] = properties, required, false
	return out
}

// Meanings are the members of a row and of what is inside of it, each with what it means.
func (v *Value) Meanings() []Meaning { return v.meanings("") }

func (v *Value) meanings(prefix string) []Meaning {
	var out []Meaning
	for _, f := range v.fields {
		name, inner := prefix+f.Name, f.Value
		if f.Doc != "" {
			out = append(out, Meaning{name, f.Doc})
		}
		for inner.items != nil {
			name, inner = name+"[]", inner.items
		}
		out = append(out, inner.meanings(name+".")...)
	}
	return out
}
