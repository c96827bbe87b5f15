package hostedapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/training"
)

// Job is a training job as its owner sees it. What has not come about is absent. Backend, GPU, Config, Source, Reason, Attempts and
// StartedAt are additions to the specification.
type Job struct {
	JobID        string            `json:"job_id"`
	Status       string            `json:"status"`
	Mode         string            `json:"mode"`
	Dataset      string            `json:"dataset"`
	Epochs       []training.Epoch  `json:"epochs"`
	Metrics      []Scalar          `json:"metrics"`
	WallSec      *quantity.Decimal `json:"wall_sec,omitempty"` // once it was begun
	EstCostUSD   quantity.Decimal  `json:"est_cost_usd"`       // what it came to; before its end what is reserved
	CreatedAt    string            `json:"created_at"`
	CompletedAt  string            `json:"completed_at,omitempty"`
	Fingerprint  string            `json:"fingerprint"`
	Ledger       string            `json:"ledger,omitempty"`
	ModelTrained *bool             `json:"model_trained,omitempty"` // once it has ended
	ModelReason  string            `json:"model_reason,omitempty"`
	ModelFormat  string            `json:"model_format,omitempty"`
	ModelURL     string            `json:"model_url,omitempty"`

	Backend   string          `json:"backend"`
	GPU       string          `json:"gpu,omitempty"`
	Config    training.Config `json:"config"`
	Source    *train.Source   `json:"source,omitempty"`
	Reason    string          `json:"reason,omitempty"` // why it ended in error
	Attempts  int             `json:"attempts"`
	StartedAt string          `json:"started_at,omitempty"`
}

// Scalar is one figure of a run.
type Scalar struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// jobsPage is the body of GET /train without a job.
type jobsPage struct {
	Jobs []Job  `json:"jobs"`           // newest first, without their epochs
	Next string `json:"next,omitempty"` // to ask for as after; absent at the end
}

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
	page := &jobsPage{Jobs: []Job{}}
	if s.jobs == nil {
		return httpapi.OK(page)
	}
	found, err := s.jobs.List(c.Request().Context(), caller.Org, c.Request().URL.Query().Get("after"), jobsPerPage+1)
	if err != nil {
		return s.failed(c, err)
	}
	if len(found) > jobsPerPage {
		found = found[:jobsPerPage]
		page.Next = found[jobsPerPage-1].ID
	}
	for _, j := range found {
		page.Jobs = append(page.Jobs, s.show(j))
	}
	return httpapi.OK(page)
}

// show writes a job down.
func (s *Server) show(j jobs.Job) Job {
	out := Job{JobID: j.ID, Status: string(j.Status), Mode: string(j.Mode), Dataset: j.Dataset, Epochs: j.Epochs, Metrics: metrics(j.Epochs), EstCostUSD: quantity.USD(j.Dollars()),
		CreatedAt: stamp(j.CreatedAt), StartedAt: stamp(j.StartedAt), CompletedAt: stamp(j.CompletedAt), Fingerprint: j.Fingerprint, Ledger: j.Ledger, Backend: j.Backend, GPU: j.GPU,
		Config: j.Config, Reason: j.Reason, Attempts: j.Attempts}
	if out.Epochs == nil {
		out.Epochs = []training.Epoch{}
	}
	if !j.StartedAt.IsZero() {
		out.WallSec = new(quantity.Round(j.Wall(s.config.Clock()).Seconds(), 3))
	}
	if j.Source != (jobs.Source{}) {
		out.Source = &train.Source{Repo: j.Source.Repo, PR: j.Source.PR}
	}
	if j.Status.Ended() {
		out.ModelTrained, out.ModelReason, out.ModelFormat = new(j.Weights.Trained), j.Weights.Reason, j.Weights.Format
	}
	return out
}

// metrics sums a run up: what the last epoch left.
func metrics(epochs []training.Epoch) []Scalar {
	if len(epochs) == 0 {
		return []Scalar{}
	}
	last := epochs[len(epochs)-1]
	return []Scalar{{jobs.Metric, last.ValAcc}, {"valLoss", last.ValLoss}, {"trainLoss", last.TrainLoss}}
}

// stamp writes a time, nothing for one that has not come.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
