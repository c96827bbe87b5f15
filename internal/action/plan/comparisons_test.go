package plan

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// layers writes the longest model that a request may have, of linear layers whose paths are of a decoder's length, or of another.
func layers(path func(i int) string) string {
	nodes := []string{`{"id":"x","type":"input","params":{"shape":[8]}}`}
	var wires []string
	for i := range 1999 {
		nodes = append(nodes, fmt.Sprintf(`{"id":"n%d","type":"linear","params":{"inFeatures":8,"outFeatures":8},"scope":%q}`, i, path(i)))
		from := "x"
		if i > 0 {
			from = fmt.Sprint("n", i-1)
		}
		wires = append(wires, fmt.Sprintf(`{"from":%q,"to":"n%d"}`, from, i))
	}
	return `{"components":[` + strings.Join(nodes, ",") + `],"connections":[` + strings.Join(wires, ",") + `]}`
}

// TestPatternsAreBoundedByWhatTheyCost asks for targets of a service, where a plan has 200 ms: those that trainers write are compared
// with the longest model, and those that would take minutes are refused by one limit for all of them together.
func TestPatternsAreBoundedByWhatTheyCost(t *testing.T) {
	usual := layers(func(i int) string { return fmt.Sprintf("model.layers.%d.self_attn.q_proj", i) })
	long := layers(func(i int) string { return fmt.Sprintf("%s.%d", strings.Repeat("a", 290), i) })
	many := func(pattern string) string { return `["q_proj"` + strings.Repeat(`,"`+pattern+`"`, 63) + `]` }
	for _, c := range []struct {
		name, model, training string
		refused               bool
	}{
		{"names", usual, `{"lora":{"rank":8,"targets":["q_proj"]}}`, false},
		{"a regular expression", usual, `{"lora":{"rank":8,"targets":[".*\\.layers\\.\\d+\\.self_attn\\.(q_proj|k_proj|v_proj|o_proj)"]}}`, false},
		{"stars", usual, `{"frozen":["model.layers.*","n*","model.layers.1?.self_attn"]}`, false},
		{"64 regular expressions", long, `{"lora":{"rank":8,"targets":` + many("(a|aa)*(a|aa)*b") + `}}`, true},
		{"64 patterns of ?", long, `{"frozen":` + many("*"+strings.Repeat("?", 280)+"b") + `}`, true},
	} {
		_, err := Decode([]byte(`{"model":`+c.model+`,"training":`+c.training+`}`), graph.ServiceLimits)
		var e *graph.Error
		switch {
		case !c.refused && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.refused && (!errors.As(err, &e) || e.Limit != graph.ServiceLimits.Comparisons):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
