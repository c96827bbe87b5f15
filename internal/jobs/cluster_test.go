package jobs_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/jobs"
)

// refusing is a cluster that has everything and takes nothing.
type refusing struct{ asked int }

func (*refusing) Name() string { return "slurm" }
func (*refusing) Offers(context.Context) (jobs.Offers, error) {
	return jobs.Offers{Cards: []string{"T4"}}, nil
}
func (r *refusing) Start(context.Context, jobs.Ticket) (string, error) {
	r.asked++
	return "", &jobs.RefusedError{Reason: "Slurm: Invalid account"}
}
func (*refusing) Stop(context.Context, string) error           { return nil }
func (*refusing) Gone(context.Context, string) (string, error) { return "", nil }

func TestAJobThatItsClusterRefusesEndsWithTheReason(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		cluster := &refusing{}
		d.Backends = []jobs.Backend{cluster}
		sub := submission()
		sub.Backend = "slurm"
		j, err := d.Submit(t.Context(), sub)
		must(t, err)
		for range 2 {
			if again, err := d.Dispatch(t.Context(), j.ID, 1); again != 0 || err != nil {
				t.Fatal(again, err)
			}
		}
		j, err = d.Get(t.Context(), org, j.ID)
		must(t, err)
		if j.Status != jobs.Failed || !strings.Contains(j.Reason, "Slurm: Invalid account") || cluster.asked != 1 || j.Cost != 0 {
			t.Errorf("%s %q, asked %d times, %d", j.Status, j.Reason, cluster.asked, j.Cost)
		}
	})
}
