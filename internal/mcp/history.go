package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/client"
	"github.com/modelverifier/verifier/internal/report/annotate"
)

var _ = define(tool{
	name: "history", title: "What became of earlier runs",
	doc:    `Outcomes of the organisation's runs of the same structure, newest first. The fingerprint is sent, and nothing else of the model.`,
	input:  modelLikeCheck,
	output: []string{"fingerprint", "rows"},
	remote: true,
	run: func(s *Server, ctx context.Context, a *arguments) (*answer, error) {
		m, err := a.model(ctx)
		if err != nil {
			return nil, err
		}
		out := historyBody{Fingerprint: action.Examine(m.graph).Walked.Fingerprint(), Rows: []client.Outcome{}}
		rows, err := s.config.Remote.History(ctx, out.Fingerprint)
		if err != nil {
			return nil, remoteError(err)
		}
		out.Rows = append(out.Rows, rows...)
		return &answer{body: out, text: annotate.Harmless(out.text())}, nil
	},
})

type historyBody struct {
	Fingerprint string           `json:"fingerprint"`
	Rows        []client.Outcome `json:"rows"`
}

func (h *historyBody) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "structure %s: %d runs\n", h.Fingerprint, len(h.Rows))
	for _, r := range h.Rows[:min(len(h.Rows), mostFindings)] {
		line := fmt.Sprintf("%s: %s %g", r.At, r.Metric, r.Value)
		if r.Epochs != nil {
			line += fmt.Sprintf(" after %d epochs", *r.Epochs)
		}
		bullet(&b, line)
	}
	return b.String()
}
