package interp

import (
	"reflect"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// Mentions reports whether a method of the class names something.
func (c *Class) Mentions(name string) bool {
	for _, n := range c.order {
		f, ok := c.attrs[n].(*Func)
		if ok && mentions(reflect.ValueOf(f.Body), name, 0) {
			return true
		}
	}
	return false
}

var nameType = reflect.TypeOf(&python.Name{})

// mentions looks for a name in a syntax tree.
func mentions(v reflect.Value, name string, depth int) bool {
	if depth > 500 {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return false
		}
		if v.Type() == nameType {
			return v.Interface().(*python.Name).ID == name
		}
		return mentions(v.Elem(), name, depth+1)
	case reflect.Interface:
		return !v.IsNil() && mentions(v.Elem(), name, depth+1)
	case reflect.Slice:
		for i := range v.Len() {
			if mentions(v.Index(i), name, depth+1) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanInterface() && mentions(v.Field(i), name, depth+1) {
				return true
			}
		}
	}
	return false
}
