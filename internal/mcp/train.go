package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/client"
	"github.com/modelverifier/verifier/internal/report/annotate"
	"github.com/modelverifier/verifier/internal/training"
)

var _ = define(tool{
	name: "train", title: "Train a model on the hosted service",
	doc: `Plans a run and books it on the organisation's account: it costs money, so ask the person first. A model that does not run or does not fit the dataset is refused with its plan, and nothing is booked. Follow it with job.`,
	input: modelLikeCheck + `,"dataset":{"enum":["` + strings.Join(training.DatasetNames(), `","`) + `"]},` +
		`"config":{"type":"object","description":"epochs 1 to 20, batchSize 8 to 512, lr 1e-5 to 1, optimizer adam, adamw or sgd; clamped"},` +
		`"gpu":{"type":"string","description":"left out: the cheapest that holds the run"},` + options("source", `"object"`, "repo", "pr"),
	required: []string{"dataset"},
	output:   []string{"job_id", "mode", "backend", "config", "plan", "text", "error"},
	remote:   true, writes: true,
	run: func(s *Server, ctx context.Context, a *arguments) (*answer, error) {
		body, err := a.request(ctx)
		if err != nil {
			return nil, err
		}
		sent, err := s.config.Remote.Train(ctx, body, nil)
		if blocked := (*client.Blocked)(nil); errors.As(err, &blocked) {
			return &answer{body: json.RawMessage(blocked.Body), text: annotate.Harmless("blocked, and nothing was booked\n" + blocked.Text)}, nil
		}
		if err != nil {
			return nil, remoteError(err)
		}
		return &answer{body: json.RawMessage(sent.Body), text: annotate.Harmless("job " + sent.JobID + " is queued on " + sent.Backend + " (" + sent.Mode + ")\n" + sent.Text)}, nil
	},
})

// remoteError is what the hosted service refused, or that it did not answer.
func remoteError(err error) error {
	e := (*client.Error)(nil)
	if !errors.As(err, &e) {
		return refuse("server", "", err.Error(), "Tell the person who started this server.")
	}
	code := e.Code
	if code == "" {
		code = "refused"
	}
	out := refuse(code, "", e.Error(), "Correct what is named and call again.")
	var body action.ErrorBody
	if json.Unmarshal(e.Body, &body) == nil {
		out.Path, out.Allowed = body.Path, body.Allowed
	}
	return out
}
