package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/graph"
)

// TestWeightsBeyondCountingAreAFinding where components behind them have weights of their own, which nobody counts any more.
func TestWeightsBeyondCountingAreAFinding(t *testing.T) {
	nodes, wires := `{"id":"0","type":"input","params":{"shape":[64,8,8]}}`, ""
	const most = "9223372036854775807"
	for i, n := range []string{most, most, "64", most, most, "64"} {
		nodes += fmt.Sprintf(`,{"id":"%d","type":"prelu","params":{"numParameters":%s}}`, i+1, n)
		wires += fmt.Sprintf(`,{"from":"%d","to":"%d"}`, i, i+1)
	}
	q, err := check.Decode([]byte(`{"model":{"components":[`+nodes+`],"connections":[`+strings.TrimPrefix(wires, ",")+`]}}`), graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, f := range check.Run(q).Findings {
		found[f.RuleID] = true
	}
	if !found["size-overflow"] && !found["channel-mismatch"] {
		t.Errorf("%v", found)
	}
}
