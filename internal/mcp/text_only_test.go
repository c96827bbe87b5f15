package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestABlockOfASoundNamesTheCallWithTextAlone: an agent is told the way that a person is told at the command line.
func TestABlockOfASoundNamesTheCallWithTextAlone(t *testing.T) {
	s := connect(t, folder(t), nil)
	for tool, c := range map[string]struct{ args, way string }{
		"check": {`{"model":"hears"}`, "(textOnly)"}, "lint": {`{"model":"hears"}`, "(textOnly)"}, "plan": {`{"model":"hears"}`, "(textOnly)"},
		"fit": {`{"model":"hears","data":{"seq_len":16}}`, "(textOnly of check)"}, "rank": {`{"candidates":[{"model":"right.json"},{"model":"hears"}]}`, "(textOnly of check)"},
		"describe": {`{"model":"hears"}`, "(textOnly of check)"},
	} {
		r := call(t, s, tool, c.args)
		body, err := json.Marshal(r.body)
		if err != nil {
			t.Fatal(err)
		}
		if want := "called with text alone " + c.way + ", the model runs"; !strings.Contains(string(body), want) {
			t.Errorf("%s: %q is not in %.600s", tool, want, body)
		}
	}
	if r := call(t, s, "check", `{"model":"hears"}`); !strings.Contains(r.text, "(textOnly)") {
		t.Errorf("the text does not name textOnly: %s", r.text)
	}
}
