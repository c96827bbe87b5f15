package graph

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// requestGraphs says where the requests of the service have graphs.
func requestGraphs(path string) bool {
	return path == "model" || path == "base" || strings.HasPrefix(path, "candidates[") && strings.HasSuffix(path, "].model")
}

func TestDecodeBodyKeepsGraphsApartFromTheRest(t *testing.T) {
	const doc = `{ "model": {"name":"m","components":[{"id":"a"}]}, "base": null, "seq_len": 128,
		"policy": {"max_params": "2M", "forbid_types": ["lstm"], "note": null},
		"candidates": [{"id":"x","model":{"components":[]}}, {}, {"model":null}] }`
	b, err := DecodeBody([]byte(doc), ServiceLimits, requestGraphs)
	if err != nil {
		t.Fatal(err)
	}
	if m := b.Member("model"); m == nil || m.Graph == nil || m.Graph.Name != "m" {
		t.Errorf("the model is %+v", m)
	}
	if b.Member("base") != nil || b.Member("share") != nil {
		t.Error("a null and a missing member are there")
	}
	if v, err := b.Member("seq_len").Value("seq_len"); err != nil || v.Int() != 128 {
		t.Errorf("seq_len is %v, %v", v, err)
	}
	fields, bad := b.Member("policy").Fields("policy")
	if bad != nil || fmt.Sprint(fields) != `[{max_params "2M"} {forbid_types ["lstm"]}]` {
		t.Errorf("the policy is %v, %v", fields, bad)
	}
	c := b.Member("candidates")
	if len(c.Items) != 3 || FindMember(c.Items[0], "model").Graph == nil || FindMember(c.Items[0], "id").Raw != `"x"` || FindMember(c.Items[2], "model") != nil {
		t.Errorf("the candidates are %+v", c.Items)
	}
}

func TestDecodeBodyRefusesWithCodeAndPath(t *testing.T) {
	many := `{"candidates":[` + strings.Repeat(`{},`, 20) + `{}]}`
	for _, c := range []struct {
		name, in, code, path string
		limit                int64
	}{
		{"nothing", ``, CodeSyntax, "", 0},
		{"a list", `[]`, CodeType, "", 0},
		{"a model twice", `{"model":{"components":[]},"model":{"components":[]}}`, CodeDuplicate, "model", 0},
		{"a model that is a string", `{"model":"x"}`, CodeType, "model", 0},
		{"a model without components", `{"model":{}}`, CodeMissing, "model", 0},
		{"a component of the base", `{"base":{"components":[{},{"type":3}]}}`, CodeType, "base.components[1].type", 0},
		{"a component of a candidate", `{"candidates":[{},{},{},{"model":{"components":[{"type":1}]}}]}`, CodeType, "candidates[3].model.components[0].type", 0},
		{"a candidate that is a number", `{"candidates":[{},7]}`, CodeType, "candidates[1]", 0},
		{"21 candidates", many, CodeCandidates, "candidates", 20},
		{"a key twice in a member that nobody reads", `{"x":[{"a":1,"a":2}]}`, CodeDuplicate, "x[0].a", 0},
		{"an integer beyond 64 bits in it", `{"x":{"n":9223372036854775808}}`, CodeNumber, "x.n", 0},
		{"deep nesting in it", `{"x":` + deep(64) + `}`, CodeDepth, "x" + strings.Repeat("[0]", 63), 64},
		{"a wide object in it", `{"x":` + object(1025) + `}`, CodeKeys, "x", 1024},
		{"something behind the body", `{} {}`, CodeSyntax, "", 0},
	} {
		_, err := DecodeBody([]byte(c.in), ServiceLimits, requestGraphs)
		var e *Error
		if !errors.As(err, &e) || e.Code != c.code || e.Path != c.path || e.Limit != c.limit {
			t.Errorf("%s: %#v, want %s at %q", c.name, err, c.code, c.path)
		}
	}
	small := Limits{Bytes: 10}
	if _, err := DecodeBody(make([]byte, 11), small, requestGraphs); err == nil || err.(*Error).Code != CodeBytes {
		t.Errorf("11 bytes: %v", err)
	}
	small = Limits{Components: 1}
	var e *Error
	if _, err := DecodeBody([]byte(`{"base":{"components":[{},{}]}}`), small, requestGraphs); !errors.As(err, &e) || e.Code != CodeComponents || e.Path != "base.components" {
		t.Errorf("2 components: %v", err)
	}
}

func FuzzDecodeBody(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"model":{"components":[]}}`, `{"candidates":[{"model":{"components":[{}]},"id":"a"}],"tieBreak":"cost"}`,
		`{"model":null,"base":{"components":[{"params":{"a":[1,2]}}]},"policy":{"max_params":"1.5B","x":[[],{}]},"seq_len":1e3}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := DecodeBody(data, ServiceLimits, requestGraphs)
		if err != nil {
			checkError(t, err, "")
			return
		}
		for i := range b.Members {
			m := &b.Members[i]
			if m.Raw == "" {
				continue
			}
			if _, err := m.Value(m.Name); err != nil && err.Code != CodeValues {
				t.Fatalf("%s was read and is refused now: %v", m.Name, err)
			}
			if _, err := m.Fields(m.Name); err != nil && err.Code != CodeValues && err.Code != CodeType {
				t.Fatalf("%s was read and is refused now: %v", m.Name, err)
			}
		}
	})
}
