package agent

import (
	"context"
	_ "embed" // the prompts
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/llm"
)

//go:embed prompt/system.md
var systemPrompt string

//go:embed prompt/user.md
var userPrompt string

var userTemplate = template.Must(template.New("user").Funcs(template.FuncMap{"inc": func(i int) int { return i + 1 }}).Parse(userPrompt))

// Provider asks a language model, and shows it what the verifier said until it passes or its tries are over.
type Provider struct {
	Client *llm.Client
	Tries  int // at the most; at least 1
	model  string
}

// MaxTries bounds how often one task is asked for.
const MaxTries = 20

// tried is an answer that did not pass, as the next question shows it.
type tried struct {
	Answer, Reason string
	Checks         []string
}

// asked is what a question says.
type asked struct {
	Task               *bench.Task
	Constraints, Start string
	Tries              []tried
}

// Name is what results call it.
func (*Provider) Name() string { return "provider" }

// Model is the model that answers, as the configuration names it.
func (p *Provider) Model() string { return p.model }

// NewProvider makes the agent for a configuration of a provider.
func NewProvider(c llm.Config, tries int) (*Provider, error) {
	if tries < 1 || tries > MaxTries {
		return nil, fmt.Errorf("the tries are %d but must be from 1 to %d", tries, MaxTries)
	}
	client, err := llm.New(c)
	if err != nil {
		return nil, err
	}
	return &Provider{Client: client, Tries: tries, model: c.Model}, nil
}

// Solve asks until an answer passes. Each answer is a step: it is for the start, so that the last one is the answer.
func (p *Provider) Solve(ctx context.Context, t *bench.Task, _ uint64, step func(Step)) ([]byte, error) {
	constraints, err := json.Marshal(t.Constraints)
	if err != nil {
		return nil, fmt.Errorf("agent: encode constraints: %w", err)
	}
	q := asked{Task: t, Constraints: string(constraints), Start: string(t.Start)}
	var answer []byte
	for range p.Tries {
		said, err := p.ask(ctx, &q)
		if err != nil {
			return nil, err
		}
		var because string
		because, answer = split(said)
		grade := bench.Score(t, answer)
		step(Step{Edits: raw(answer), Because: because, Grade: grade, Gradings: 1})
		if grade.Passed {
			break
		}
		q.Tries = append(q.Tries, tried{string(answer), grade.Reason, failing(grade)})
	}
	return answer, nil
}

// ask sends one question.
func (p *Provider) ask(ctx context.Context, q *asked) (string, error) {
	var b strings.Builder
	if err := userTemplate.Execute(&b, q); err != nil {
		return "", fmt.Errorf("agent: write the question: %w", err)
	}
	a, err := p.Client.Ask(ctx, llm.Question{System: systemPrompt, User: strings.TrimSpace(b.String()) + "\n"})
	if unavailable := (*llm.Error)(nil); errors.As(err, &unavailable) {
		return "", unavailable
	}
	if err != nil {
		return "", err
	}
	return a.Text, nil
}

// failing are the constraints that do not hold, in words.
func failing(g *bench.Grade) []string {
	var out []string
	for _, c := range g.Checks {
		if !c.Held {
			out = append(out, fmt.Sprintf("%s: want %s, got %s", c.Kind, c.Want, c.Got))
		}
	}
	return out
}

// split takes what a model said apart: the sentence before the block, and the JSON inside. What has no block is an answer as it is: it
// is graded, and fails with the reason.
func split(said string) (because string, answer []byte) {
	const open, closing = "```", "```"
	head, rest, found := strings.Cut(said, open)
	if !found {
		return "", []byte(strings.TrimSpace(said))
	}
	rest = strings.TrimPrefix(rest, "json")
	body, _, _ := strings.Cut(rest, closing)
	return strings.TrimSpace(head), []byte(strings.TrimSpace(body))
}

// raw is an answer as it can stand in JSON: as it is, or as a string where it is none.
func raw(answer []byte) json.RawMessage {
	if json.Valid(answer) {
		return answer
	}
	text, _ := json.Marshal(string(answer)) // a string can always be written
	return text
}
