package action

import (
	"errors"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

const tiny = `"model":{"components":[{"id":"x","type":"input","params":{"shape":[4]}}]}`

func TestAModelIsRequiredAndItsInputsHaveSizes(t *testing.T) {
	for _, c := range []struct{ body, code, path string }{
		{`{}`, graph.CodeMissing, "model"},
		{`{"model":null}`, graph.CodeMissing, "model"},
		{`{"model":{"components":[{"type":"input","params":{"shape":[3,0]}}]}}`, CodeShape, "model.components[0].params.shape[1]"},
		{`{"model":{"components":[{},{"type":"InputLayer","params":{"input_shape":[-1]}}]}}`, CodeShape, "model.components[1].params.input_shape[0]"},
		{`{"model":{"components":[{"type":"linear","params":{"shape":[0]}}]}}`, "", ""},
		{`{"model":{"components":[{"type":"input","params":{"shape":[]}}]}}`, "", ""},
		{`{"model":{"components":[{"type":"input","params":{"shape":[0.5]}}]}}`, "", ""}, // a finding, as every other wrong parameter
		{`{"model":{"components":[]}}`, "", ""},
	} {
		f := Read([]byte(c.body), graph.ServiceLimits, Model)
		g := f.Model()
		var e *graph.Error
		if errors.As(f.Err(), &e) != (c.code != "") || e != nil && (e.Code != c.code || e.Path != c.path) {
			t.Errorf("%s: %v, want %s at %s", c.body, f.Err(), c.code, c.path)
		}
		if c.code == "" && g == nil {
			t.Errorf("%s: no graph", c.body)
		}
	}
}

func TestFieldsAreCheckedForTypeAndRange(t *testing.T) {
	for _, c := range []struct{ member, code, path string }{
		{`"n":3`, "", ""}, {`"n":3.0`, "", ""}, {`"n":null`, "", ""},
		{`"n":0`, CodeRange, "n"}, {`"n":2.5`, graph.CodeType, "n"}, {`"n":"3"`, graph.CodeType, "n"}, {`"n":1e300`, graph.CodeType, "n"},
		{`"word":"a"`, "", ""}, {`"word":""`, CodeValue, "word"}, {`"word":"c"`, CodeValue, "word"}, {`"word":7`, graph.CodeType, "word"},
		{`"flag":true`, "", ""}, {`"flag":"true"`, graph.CodeType, "flag"},
		{`"object":{"n":1}`, "", ""}, {`"object":{"n":0}`, CodeRange, "object.n"}, {`"object":[]`, graph.CodeType, "object"}, {`"object":{"n":[1]}`, graph.CodeType, "object.n"},
		{`"policy":{"max_params":"200M"}`, "", ""}, {`"policy":{"max_parms":"200M"}`, "unknown-key", "policy.max_parms"}, {`"policy":[]`, graph.CodeType, "policy"},
		{`"policy":{"must_fit":"a100_40"}`, "", ""}, {`"policy":{"must_fit":"H1000"}`, CodeValue, "policy.must_fit"},
	} {
		f := Read([]byte(`{`+tiny+`,`+c.member+`}`), graph.ServiceLimits, Model)
		f.Int("n", 1)
		f.Enum("word", "a", "b")
		f.Bool("flag")
		if o := f.Object("object"); o != nil {
			o.Int("n", 1)
			f.Close(o)
		}
		f.Policy()
		var e *graph.Error
		if errors.As(f.Err(), &e) != (c.code != "") || e != nil && (e.Code != c.code || e.Path != c.path) {
			t.Errorf("%s: %v, want %s at %s", c.member, f.Err(), c.code, c.path)
		}
	}
}

func TestTheFirstErrorIsKept(t *testing.T) {
	f := Read([]byte(`{"n":0,"flag":1}`), graph.ServiceLimits, Model)
	f.Bool("flag")
	f.Int("n", 1)
	f.Model()
	var e *graph.Error
	if !errors.As(f.Err(), &e) || e.Path != "flag" {
		t.Errorf("%v", f.Err())
	}
}

func TestMembersOfOtherActionsAreIgnored(t *testing.T) {
	body := []byte(`{` + tiny + `,"base":7,"candidates":[7]}`)
	f := Read(body, graph.ServiceLimits, Model)
	if f.Model(); f.Err() != nil {
		t.Error(f.Err())
	}
	for _, name := range []string{Base, Candidates} {
		if f := Read(body, graph.ServiceLimits, Model, name); f.Err() == nil {
			t.Errorf("%s is not read", name)
		}
	}
}
