package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/report/annotate"
)

var _ = define(tool{
	name: "job", title: "Show, list or cancel training jobs",
	doc:    `A training job with its epochs and, once it has ended, a link to its weights that works for ten minutes; without id the organisation's jobs, newest first. Ask again after some seconds while status is queued or running.`,
	input:  `"id":{"type":"string"},"cancel":{"type":"boolean"},"after":{"type":"string","description":"list those behind this id"}`,
	output: []string{"job_id", "status", "mode", "dataset", "epochs", "metrics", "model_url", "reason", "jobs", "next"},
	remote: true, writes: true,
	run: func(s *Server, ctx context.Context, a *arguments) (*answer, error) {
		f, err := a.fields()
		if err != nil {
			return nil, err
		}
		id, after, cancel := f.Str("id"), f.Str("after"), f.Bool("cancel")
		if err := f.Err(); err != nil {
			return nil, err
		}
		switch {
		case id == "" && cancel:
			return nil, action.Errorf(graph.CodeMissing, "id", "is missing: cancel takes the id of a job")
		case id == "":
			page, body, err := s.config.Remote.Jobs(ctx, after)
			if err != nil {
				return nil, remoteError(err)
			}
			return &answer{body: json.RawMessage(body), text: jobLines(page)}, nil
		}
		read := s.config.Remote.Job
		if cancel {
			read = s.config.Remote.Cancel
		}
		job, body, err := read(ctx, id)
		if err != nil {
			return nil, remoteError(err)
		}
		return &answer{body: json.RawMessage(body), text: annotate.Harmless(summed(job))}, nil
	},
})

// summed is a job in a few lines.
func summed(j *train.Job) string {
	text := fmt.Sprintf("%s: %s on %s (%s), %d of %d epochs", j.JobID, j.Status, j.Dataset, j.Mode, len(j.Epochs), j.Config.Epochs)
	if n := len(j.Epochs); n > 0 {
		e := j.Epochs[n-1]
		text += fmt.Sprintf("\nvalAcc %.4f, valLoss %.4f, trainLoss %.4f", e.ValAcc, e.ValLoss, e.TrainLoss)
	}
	if j.Reason != "" {
		text += "\n" + j.Reason
	}
	if j.ModelURL != "" {
		text += "\nweights, for ten minutes: " + j.ModelURL
	}
	return text
}

// jobLines is a page of jobs, a line each.
func jobLines(p *train.Page) string {
	if len(p.Jobs) == 0 {
		return "no jobs"
	}
	text := ""
	for i := range p.Jobs {
		j := &p.Jobs[i]
		text += fmt.Sprintf("%s %s %s %s\n", j.JobID, j.Status, j.Dataset, j.CreatedAt)
	}
	return annotate.Harmless(text)
}
