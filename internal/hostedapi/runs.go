package hostedapi

import (
	"context"
	"errors"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/jobs"
)

// runs are the jobs of those who have signed in, as the app shows them: what a key gets, and what was planned beside
// it.
type runs struct{ *Server }

// ownRun is a job with what its plan said and what a page can do about it.
type ownRun struct {
	train.Job
	PlannedUSD float64 `json:"planned_usd"` // what the plan estimated; 0 where no card was rented
	Cancelling bool    `json:"cancelling"`  // somebody asked for its end
}

// ownPage is a part of the list.
type ownPage struct {
	Jobs []ownRun `json:"jobs"`
	Next string   `json:"next,omitempty"`
}

func (r runs) own(j jobs.Job) ownRun {
	return ownRun{r.show(j), float64(j.Reserved) / microDollars, j.Cancel && !j.Status.Ended()}
}

// List is a part of an organisation's jobs.
func (r runs) List(ctx context.Context, org, after string) (any, error) {
	found, next, err := r.jobsOf(ctx, org, after)
	page := &ownPage{Jobs: []ownRun{}, Next: next}
	for _, j := range found {
		page.Jobs = append(page.Jobs, r.own(j))
	}
	return page, err
}

// Get is one job with its epochs, and a link to its weights.
func (r runs) Get(ctx context.Context, org, id string) (any, error) {
	return r.one(ctx, func() (jobs.Job, error) { return r.jobs.Get(ctx, org, id) })
}

// Cancel asks for the end of a job.
func (r runs) Cancel(ctx context.Context, org, id string) (any, error) {
	return r.one(ctx, func() (jobs.Job, error) { return r.jobs.Cancel(ctx, org, id) })
}

func (r runs) one(ctx context.Context, find func() (jobs.Job, error)) (any, error) {
	job, err := find()
	if errors.Is(err, jobs.ErrNotFound) {
		return nil, account.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	out := r.own(job)
	out.ModelURL, err = r.jobs.Link(ctx, job)
	return &out, err
}
