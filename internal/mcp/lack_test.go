package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/models/drawn"
	"github.com/modelverifier/verifier/models/drawn/figures"
)

// TestNoToolLacksAComponentWithoutSayingSo draws models, breaks them, and reads what every tool that has figures says to an agent.
func TestNoToolLacksAComponentWithoutSayingSo(t *testing.T) {
	s := connect(t, t.TempDir(), nil)
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		drawn.Broken(t, g)
		lacks, model := figures.Of(g), string(g.AppendJSON(nil))
		c := rapid.SampledFrom([]struct{ tool, args string }{
			{"check", `{"model":MODEL,"policy":{"max_params":"1K","max_memory_gb":0.001,"max_cost_usd":0.0001}}`},
			{"lint", `{"model":MODEL,"policy":{"max_params":"1K","max_memory_gb":0.001,"max_cost_usd":0.0001}}`},
			{"plan", `{"model":MODEL,"training":{"gpu":"T4"}}`}, {"rank", `{"candidates":[{"model":MODEL}],"tieBreak":"cost"}`}, {"describe", `{"model":MODEL}`},
			{"describe", `{"model":MODEL,"component":"` + g.Components[rapid.IntRange(0, len(g.Components)-1).Draw(t, "looked into")].ID + `"}`},
			{"fit", `{"model":MODEL,"layout":{"gpu":"H100"},"serve":{"command":"vllm serve m","gpu":"H100"}}`},
		}).Draw(t, "call")
		r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: c.tool, Arguments: json.RawMessage(strings.Replace(c.args, "MODEL", model, 1))})
		if err != nil || r.IsError {
			t.Fatalf("%s: %v %v", c.tool, err, r)
		}
		body, err := json.Marshal(r.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		said := r.Content[0].(*sdk.TextContent).Text
		if c.tool == "describe" { // the lines behind the sums are of one component each
			said, _, _ = strings.Cut(said, "\n")
		}
		if err := lacks.Text(said); err != nil {
			t.Fatalf("%s: %v\n%s", c.tool, err, said)
		}
		if err := lacks.JSON(body, figures.FirstStage(body)...); err != nil {
			t.Fatalf("%s: %v", c.tool, err)
		}
	})
}
