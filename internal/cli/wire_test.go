package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/lint"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/action/rank"
	"github.com/modelverifier/verifier/internal/graph"
)

// onWire runs an action as the HTTP service does.
func onWire[Q, R any](decode func([]byte, graph.Limits) (*Q, error), run func(*Q) *R) func(body string) any {
	return func(body string) any {
		q, err := decode([]byte(body), graph.ServiceLimits)
		if err != nil {
			return action.Explain(err)
		}
		return run(q)
	}
}

func TestJSONIsTheBodyOnTheWire(t *testing.T) {
	const (
		good = `{"name":"a<b","components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"l","type":"linear","params":{"outFeatures":2}},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"l"},{"from":"l","to":"o"}]}`
		bad  = `{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"l","type":"linear","params":{"inFeatures":3,"outFeatures":2}},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"l"},{"from":"l","to":"o"}]}`
	)
	actions := map[string]func(string) any{
		"check": onWire(check.Decode, check.Run), "lint": onWire(lint.Decode, lint.Run), "plan": onWire(plan.Decode, plan.Run), "rank": onWire(rank.Decode, rank.Run),
	}
	cases := []struct {
		action, body string
		exit         int
	}{
		{"check", `{"model":` + good + `}`, exitClean},
		{"check", `{"model":` + bad + `,"policy":{"max_layers":0}}`, exitGated},
		{"lint", `{"model":` + good + `,"policy":{"max_cost_usd":0}}`, exitClean},
		{"lint", `{"model":` + bad + `}`, exitGated},
		{"plan", `{"model":` + bad + `,"base":` + good + `,"attention":"flash","training":{"samples":7}}`, exitGated},
		{"plan", `{"model":` + good + `,"base":` + good + `,"source":{"kind":"hf","target":"x"}}`, exitClean},
		{"rank", `{"candidates":[{"model":` + good + `},{"id":"b","model":` + bad + `}],"tieBreak":"cost"}`, exitClean},
		{"lint", `[]`, exitUsage},
		{"lint", `{}`, exitUsage},
		{"lint", `{"model":[]}`, exitUsage},
		{"plan", `{"model":` + good + `,"attention":"fast"}`, exitUsage},
		{"rank", `{"candidates":[{}]}`, exitUsage},
	}
	for _, c := range cases {
		var want, stdout, stderr bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(actions[c.action](c.body)); err != nil {
			t.Fatal(err)
		}
		exit := Main([]string{c.action, "--json", "--request", "--policy", "none", "-"}, strings.NewReader(c.body), &stdout, &stderr)
		if exit != c.exit || stdout.String() != want.String() {
			t.Errorf("%s %s: exit %d, want %d\n got %s\nwant %s", c.action, c.body, exit, c.exit, &stdout, &want)
		}
	}
}
