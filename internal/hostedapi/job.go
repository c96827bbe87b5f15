package hostedapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/training"
)

// jobsPerPage is how many jobs are listed at once.
const jobsPerPage = 50

// poll answers with one job. The first poll that reads it completed writes its outcome.
func (s *Server) poll(c *httpapi.Call, caller account.Caller) httpapi.Reply {
	return s.about(c, func(id string) (jobs.Job, error) { return s.jobs.Get(c.Request().Context(), caller.Org, id) })
}

// cancel asks for the end of a job, and answers as poll does.
func (s *Server) cancel(c *httpapi.Call, caller account.Caller) httpapi.Reply {
	return s.about(c, func(id string) (jobs.Job, error) { return s.jobs.Cancel(c.Request().Context(), caller.Org, id) })
}

// about answers with the job that is named. One of another owner is as unknown as one that never was.
func (s *Server) about(c *httpapi.Call, find func(id string) (jobs.Job, error)) httpapi.Reply {
	ids := c.Request().URL.Query()["job"]
	if s.jobs == nil || len(ids) != 1 {
		return noJob()
	}
	job, err := find(ids[0])
	if errors.Is(err, jobs.ErrNotFound) {
		return noJob()
	}
	if err != nil {
		return s.failed(c, err)
	}
	out := s.show(job)
	if out.ModelURL, err = s.jobs.Link(c.Request().Context(), job); err != nil {
		return s.failed(c, err)
	}
	return httpapi.OK(&out)
}

func noJob() httpapi.Reply {
	return httpapi.Explained(http.StatusNotFound, "no-job", &bareError{"No such job under this key."})
}

// list answers with the organisation's jobs.
func (s *Server) list(c *httpapi.Call, caller account.Caller) httpapi.Reply {
	if s.jobs == nil {
		return httpapi.OK(&train.Page{Jobs: []train.Job{}})
	}
	found, next, err := s.jobsOf(c.Request().Context(), caller.Org, c.Request().URL.Query().Get("after"))
	if err != nil {
		return s.failed(c, err)
	}
	page := &train.Page{Jobs: []train.Job{}, Next: next}
	for _, j := range found {
		page.Jobs = append(page.Jobs, s.show(j))
	}
	return httpapi.OK(page)
}

// jobsOf is a part of an organisation's jobs, newest first, and what to ask for the next with.
func (s *Server) jobsOf(ctx context.Context, org, after string) (found []jobs.Job, next string, err error) {
	found, err = s.jobs.List(ctx, org, after, jobsPerPage+1)
	if len(found) > jobsPerPage {
		found = found[:jobsPerPage]
		next = found[jobsPerPage-1].ID
	}
	return found, next, err
}

// show writes a job down.
func (s *Server) show(j jobs.Job) train.Job {
	out := train.Job{JobID: j.ID, Status: string(j.Status), Mode: string(j.Mode), Dataset: j.Dataset, Epochs: j.Epochs, Metrics: metrics(j.Epochs), EstCostUSD: float64(j.Dollars()) / microDollars,
		CreatedAt: stamp(j.CreatedAt), StartedAt: stamp(j.StartedAt), CompletedAt: stamp(j.CompletedAt), Fingerprint: j.Fingerprint, Ledger: j.Ledger, Backend: j.Backend, GPU: j.GPU,
		Config: j.Config, Reason: j.Reason, Attempts: j.Attempts}
	if out.Epochs == nil {
		out.Epochs = []training.Epoch{}
	}
	if !j.StartedAt.IsZero() {
		out.WallSec = new(float64(j.Wall(s.config.Clock()).Milliseconds()) / milliSeconds)
	}
	if j.Source != (jobs.Source{}) {
		out.Source = &train.Source{Repo: j.Source.Repo, PR: j.Source.PR}
	}
	if j.Status.Ended() {
		out.ModelTrained, out.ModelReason, out.ModelFormat = new(j.Weights.Trained), j.Weights.Reason, j.Weights.Format
	}
	return out
}

// Parts of what is counted in whole numbers.
const (
	microDollars = 1e6
	milliSeconds = 1e3
)

// metrics sums a run up: what the last epoch left.
func metrics(epochs []training.Epoch) []train.Scalar {
	if len(epochs) == 0 {
		return []train.Scalar{}
	}
	last := epochs[len(epochs)-1]
	return []train.Scalar{{Name: jobs.Metric, Value: last.ValAcc}, {Name: "valLoss", Value: last.ValLoss}, {Name: "trainLoss", Value: last.TrainLoss}}
}

// stamp writes a time, nothing for one that has not come.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
