package graph

import (
	"math"
	"testing"
)

func TestValueAnswersForItsOwnKindOnly(t *testing.T) {
	values := []Value{{}, BoolValue(true), IntValue(-3), FloatValue(2.5), StringValue("s"), IntsValue(1, 2), objectValue(`{"a":1}`)}
	for i, v := range values {
		if v.Kind() != Kind(i) {
			t.Errorf("%v is %v", v, v.Kind())
		}
		if got := v.Bool(); got != (i == int(Bool)) {
			t.Errorf("%v: Bool %v", v, got)
		}
		if got := v.Int(); got != 0 && i != int(Int) {
			t.Errorf("%v: Int %v", v, got)
		}
		if got := v.Float(); got != 0 && i != int(Int) && i != int(Float) {
			t.Errorf("%v: Float %v", v, got)
		}
		if got := v.Str(); got != "" && i != int(String) {
			t.Errorf("%v: Str %q", v, got)
		}
		if got := v.List(); got != nil && i != int(List) {
			t.Errorf("%v: List %v", v, got)
		}
		for j, w := range values {
			if v.Equal(w) != (i == j) {
				t.Errorf("%v equal to %v: %v", v, w, v.Equal(w))
			}
		}
	}
}

func TestValueString(t *testing.T) {
	for want, v := range map[string]Value{
		"null": {}, "true": BoolValue(true), "false": BoolValue(false), "-3": IntValue(-3), "1.0": FloatValue(1), "-0.0": FloatValue(math.Copysign(0, -1)),
		"1e+21": FloatValue(1e21), "1e-05": FloatValue(1e-5), `"a\"b"`: StringValue(`a"b`), `""`: StringValue(""), "[]": ListValue(), "[1,[2.5]]": ListValue(IntValue(1), ListValue(FloatValue(2.5))),
	} {
		if got := v.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, f := range []float64{math.Inf(1), math.NaN()} {
		if got := FloatValue(f).String(); got != "null" {
			t.Errorf("%v became %s", f, got)
		}
	}
}

func TestParamCountsNullAsLeftOut(t *testing.T) {
	c := Component{ID: "id", Params: []Param{{"a", Value{}}, {"b", IntValue(1)}}}
	if _, ok := c.Param("a"); ok {
		t.Error("a null was given")
	}
	if v, ok := c.Param("b"); !ok || v.Int() != 1 {
		t.Error("b was not given")
	}
	if _, ok := c.Param("c"); ok {
		t.Error("c was given")
	}
	if c.Label() != "id" {
		t.Errorf("the label of a component without name is %q", c.Label())
	}
}
