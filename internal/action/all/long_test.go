package all

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// TestALongNameIsNotRepeatedByEveryFinding has components with long names, each of which gets a finding, in every action.
func TestALongNameIsNotRepeatedByEveryFinding(t *testing.T) {
	name := strings.Repeat("é", 5_000)
	var parts, edges []string
	for i := range 300 {
		parts = append(parts, fmt.Sprintf(`{"id":"c%d","type":"linear","name":%q,"params":{"inFeatures":7,"outFeatures":3}}`, i, name))
		edges = append(edges, fmt.Sprintf(`{"from":"in","to":"c%d"}`, i))
	}
	model := fmt.Sprintf(`{"name":%q,"components":[{"id":"in","type":"input","name":%q,"params":{"shape":[8]}},%s],"connections":[%s]}`,
		name, name, strings.Join(parts, ","), strings.Join(edges, ","))
	base := strings.ReplaceAll(model, `"outFeatures":3`, `"outFeatures":4`)
	for action, body := range map[string]string{
		"lint": `{"model":` + model + `}`, "check": `{"model":` + model + `}`, "plan": `{"model":` + model + `,"base":` + base + `}`,
		"rank": `{"candidates":[{"model":` + model + `}]}`,
	} {
		status, out := Answer(action, []byte(body), graph.ServiceLimits)
		if status != 200 || len(out) > 600_000 {
			t.Errorf("%s: status %d, a model of %d bytes is answered with %d", action, status, len(model), len(out))
		}
		t.Logf("%s: %d bytes", action, len(out))
	}
}
