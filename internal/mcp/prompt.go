package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/report/annotate"
)

// prompt is a task that a person can start, with what is known of it filled in.
type prompt struct {
	name, title, doc string
	arguments        []*sdk.PromptArgument
	text             func(s *Server, ctx context.Context, args map[string]string) (string, error)
}

var modelArgument = &sdk.PromptArgument{Name: "model", Description: "path inside the root; the file that the server was given where left out"}

var prompts = []prompt{
	{"review", "Review a design", "Reads a model as a reviewer of a pull request would.", []*sdk.PromptArgument{modelArgument, {Name: "base", Description: "path of the version before"}}, reviewPrompt},
	{"shrink", "Shrink to a card", "Finds the least change that makes training fit one card.", []*sdk.PromptArgument{modelArgument, {Name: "gpu", Description: "such as T4 or H100", Required: true}}, shrinkPrompt},
	{"explain", "Explain a finding", "Explains what a rule found, why it matters and what to do.", []*sdk.PromptArgument{{Name: "rule", Description: "id of the rule", Required: true}, modelArgument}, explainPrompt},
}

func (s *Server) addPrompts() {
	for _, p := range prompts {
		s.sdk.AddPrompt(&sdk.Prompt{Name: p.name, Title: p.title, Description: p.doc, Arguments: p.arguments}, func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			text, err := p.text(s, ctx, req.Params.Arguments)
			if err != nil {
				s.logFault("prompts/get", err)
				return nil, fmt.Errorf("%w", sayFailure(err))
			}
			return &sdk.GetPromptResult{Description: p.doc, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: annotate.Harmless(text)}}}}, nil
		})
	}
}

// sayFailure is an error with the sentence that a tool would answer.
func sayFailure(err error) error {
	if content, ok := failure(err).Content[0].(*sdk.TextContent); ok {
		return fmt.Errorf("%s", content.Text)
	}
	return err
}

// named reads the model of an argument.
func (s *Server) named(ctx context.Context, ref string) (*model, error) {
	var raw json.RawMessage
	if ref != "" {
		raw, _ = json.Marshal(ref) // a string can always be written
	}
	a := &arguments{server: s, raw: json.RawMessage("{}"), members: map[string]json.RawMessage{action.Model: raw}}
	if ref == "" {
		delete(a.members, action.Model)
	}
	return a.model(ctx)
}

func reviewPrompt(s *Server, ctx context.Context, args map[string]string) (string, error) {
	m, err := s.named(ctx, args["model"])
	if err != nil {
		return "", err
	}
	q := &plan.Request{Model: m.graph.Clone()}
	if args["base"] != "" {
		base, err := s.named(ctx, args["base"])
		if err != nil {
			return "", err
		}
		q.Base = base.graph
	}
	r := check.Run(&check.Request{Model: m.graph})
	return "Review this neural network as you would a pull request. Say first whether it runs and what it costs, then what you would change and why, the most important first. " +
		"Look closer with the tools describe, lint and catalog; do not guess numbers that they can give you. Repair what blocks by the edits of the findings.\n\n" +
		"check says: " + r.Verdict + ": " + r.Summary + "\n" + findings(r.Findings) + "\nplan says:\n" + plan.Run(q).Text, nil
}

func shrinkPrompt(s *Server, ctx context.Context, args map[string]string) (string, error) {
	gpu := hardware.Lookup(args["gpu"])
	if gpu == nil {
		return "", refuse(action.CodeValue, "gpu", fmt.Sprintf("there is no card %q", clip(args["gpu"])), "Use one of "+strings.Join(hardware.Names(), ", ")+".")
	}
	m, err := s.named(ctx, args["model"])
	if err != nil {
		return "", err
	}
	r := plan.Run(&plan.Request{Model: m.graph})
	return fmt.Sprintf("Make training of this neural network fit one %s, with the least change to what it can learn. Call plan with training {\"gpu\":%q}: its fixes are changes of the run "+
		"(batch, precision, checkpointing, optimizer) that make it fit; prefer those. Only if none does, change the model: describe shows the heaviest components. Call plan with base after every change, "+
		"and say at the end what you changed, what it saves and what it gives up.\n\nplan says now:\n%s", gpu.Name, gpu.Name, r.Text), nil
}

func explainPrompt(s *Server, ctx context.Context, args map[string]string) (string, error) {
	page, err := rulePage(args["rule"])
	if err != nil {
		return "", err
	}
	text := "Explain this finding to the one who drew the model: what is wrong, what PyTorch would do, and the one change that you recommend. Use the numbers of the finding.\n\nThe rule:\n" + page
	if args["model"] == "" && s.file == "" {
		return text, nil
	}
	m, err := s.named(ctx, args["model"])
	if err != nil {
		return "", err
	}
	var found []action.Finding
	for _, f := range check.Run(&check.Request{Model: m.graph}).Findings {
		if f.RuleID == args["rule"] {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return text + "\nThis model has no finding of the rule.\n", nil
	}
	return text + "\nWhat it found:\n" + findings(found), nil
}
