package conformance

import "testing"

func TestMatchFindsWhatDiffers(t *testing.T) {
	for _, c := range []struct {
		by           By
		want, answer string
		differences  int
	}{
		{Hand, `{"a":1}`, `{"a":1.0}`, 0},
		{Hand, `{"a":1}`, `{"a":2}`, 1},
		{Hand, `{"a":1}`, `{"a":"1"}`, 1},
		{Hand, `{"a":1}`, `{}`, 1},
		{Hand, `{"a":1}`, `{"a":1,"b":2}`, 1},
		{Hand, `{"a":1,"*":"more"}`, `{"a":1,"b":2}`, 0},
		{Hand, `{"a":null}`, `{}`, 1},
		{Hand, `{"a":"*absent*"}`, `{}`, 0},
		{Hand, `{"a":"*absent*"}`, `{"a":null}`, 1},
		{Hand, `{"a":"*null|absent*"}`, `{"a":null}`, 0},
		{Hand, `"*number*"`, `1.5`, 0},
		{Hand, `"*int*"`, `1.5`, 1},
		{Hand, `"*string*"`, `1`, 1},
		{Hand, `"*boolean*"`, `null`, 1},
		{Hand, `"*any*"`, `null`, 0},
		{Hand, `"*object*"`, `[]`, 1},
		{Hand, `"*hex8*"`, `"0123abcd"`, 0},
		{Hand, `"*hex8*"`, `"0123ABCD"`, 1},
		{Hand, `"*=ok|=warn*"`, `"warn"`, 0},
		{Hand, `"*=ok|=warn*"`, `"block"`, 1},
		{Hand, `"*#0|#1*"`, `2`, 1},
		{Hand, `"*contains a|b*"`, `"xa|by"`, 0},
		{Hand, `"*contains a|b*"`, `"a"`, 1},
		{Hand, `"*prefix model.*"`, `"a model."`, 1},
		{Hand, `["*each*",1]`, `[]`, 1},
		{Hand, `["*each*",1]`, `[1,2,3]`, 2},
		{Hand, `["*each 2*",1]`, `[1,1,1]`, 1},
		{Hand, `["*some*",1]`, `[3,1]`, 0},
		{Hand, `["*some*",1]`, `[3]`, 1},
		{Hand, `[1,2]`, `[2,1]`, 2},
		{Hand, `[1,2]`, `[1]`, 1},
		{Hand, `[]`, `{}`, 1},
		{Recorded, `{"a": 1}`, `{"a":1}`, 0},
		{Recorded, `{"a": 1}`, `{"a":1.0}`, 1},
		{Recorded, `{"a":1,"b":2}`, `{"b":2,"a":1}`, 1},
		{Recorded, `"*string*"`, `"x"`, 1},
	} {
		got := (&Case{By: c.by, Response: []byte(c.want)}).Match([]byte(c.answer))
		if len(got) != c.differences {
			t.Errorf("%s %s against %s: %q, want %d differences", c.by, c.want, c.answer, got, c.differences)
		}
	}
}

func TestBodyWritesRepetitionsOut(t *testing.T) {
	c := &Case{Request: []byte(`{"list": [0, {"*repeat*": 2, "item": {"id": "c#"}}], "long": {"*repeat*": 3, "text": "ab"}}`)}
	got, err := c.Body()
	if want := `{"list":[0,{"id":"c0"},{"id":"c1"}],"long":"ababab"}`; err != nil || string(got) != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
}
