package jobs

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/training"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// behind applies events one after the other, a minute apart.
func behind(t *testing.T, j Job, events ...Event) Job {
	t.Helper()
	for i, e := range events {
		var err error
		if j, err = Apply(j, e, noon.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatalf("%T: %v", e, err)
		}
	}
	return j
}

func queued() Job {
	return Job{ID: "j", Status: Queued, Mode: GPU, GPU: "H100", Config: training.Config{Epochs: 3}, Runtime: time.Hour, Reserved: 5}
}

func lease(id string) Leased { return Leased{Lease: id, Worker: "w", Lasts: time.Minute} }

// TestTransitions lists every state with every event: where it leads, or that it cannot happen.
func TestTransitions(t *testing.T) {
	running := behind(t, queued(), lease("a"))
	stopping := behind(t, running, CancelAsked{})
	third := behind(t, queued(), lease("x"), Lost{"x", "w"}, lease("y"), Lost{"y", "w"}, lease("a"))
	completed := behind(t, running, Finished{Lease: "a", Status: Completed})
	failed := behind(t, running, Finished{Lease: "a", Status: Failed})
	cancelled := behind(t, queued(), CancelAsked{})
	begun := behind(t, queued(), Begun{"7"})
	events := map[string]Event{
		"lease": lease("b"), "beat": Beaten{"a", time.Minute}, "other beat": Beaten{"b", time.Minute}, "epoch": Measured{"a", nil},
		"checkpoint": Checkpointed{"a", Object{Epoch: 1}}, "upload": Uploaded{"a", Object{Key: "k"}}, "completed": Finished{Lease: "a", Status: Completed},
		"error": Finished{Lease: "a", Status: Failed}, "cancelled": Finished{Lease: "a", Status: Cancelled}, "nonsense": Finished{Lease: "a", Status: "x"},
		"lost": Lost{"a", "w"}, "cancel": CancelAsked{}, "overran": Overran{"a"}, "begun": Begun{"7"}, "vanished": Vanished{"7", "w"},
		"given up": GivenUp{"w"}, "recorded": Recorded{"written"}, "removed": Removed{},
	}
	for name, c := range map[string]struct {
		from Job
		to   map[string]Status // events that are not listed cannot happen
	}{
		"queued":    {queued(), map[string]Status{"lease": Running, "cancel": Cancelled, "begun": Queued, "given up": Failed}},
		"begun":     {begun, map[string]Status{"lease": Running, "cancel": Cancelled, "begun": Queued, "vanished": Queued, "given up": Failed}},
		"running":   {running, map[string]Status{"beat": Running, "epoch": Running, "checkpoint": Running, "upload": Running, "completed": Completed, "error": Failed, "cancelled": Queued, "lost": Queued, "cancel": Running, "overran": Failed, "begun": Running}},
		"stopping":  {stopping, map[string]Status{"beat": Running, "epoch": Running, "checkpoint": Running, "upload": Running, "completed": Completed, "error": Failed, "cancelled": Cancelled, "lost": Cancelled, "cancel": Running, "overran": Failed, "begun": Running}},
		"third":     {third, map[string]Status{"beat": Running, "epoch": Running, "checkpoint": Running, "upload": Running, "completed": Completed, "error": Failed, "cancelled": Failed, "lost": Failed, "cancel": Running, "overran": Failed, "begun": Running}},
		"completed": {completed, map[string]Status{"cancel": Completed, "recorded": Completed, "removed": Completed}},
		"error":     {failed, map[string]Status{"cancel": Failed, "removed": Failed}},
		"cancelled": {cancelled, map[string]Status{"cancel": Cancelled, "removed": Cancelled}},
	} {
		for what, e := range events {
			after, err := Apply(c.from, e, noon.Add(time.Hour))
			want, may := c.to[what]
			switch {
			case may && (err != nil || after.Status != want):
				t.Errorf("%s, %s: %s, %v, want %s", name, what, after.Status, err, want)
			case !may && err == nil:
				t.Errorf("%s, %s: can happen, and leads to %s", name, what, after.Status)
			case !may && after.Status != c.from.Status:
				t.Errorf("%s, %s: is refused and changes the job", name, what)
			}
			if after.Status.Ended() != !after.CompletedAt.IsZero() {
				t.Errorf("%s, %s: %s and completed at %v", name, what, after.Status, after.CompletedAt)
			}
		}
	}
}

func TestTheTimeOfAllLeasesIsPaidOnceAndAtMostTheCeiling(t *testing.T) {
	j := queued()
	steps := []struct {
		e     Event
		after time.Duration
	}{{lease("a"), 0}, {Lost{"a", "w"}, 10 * time.Minute}, {lease("b"), 20 * time.Minute}, {Finished{Lease: "b", Status: Completed}, 35 * time.Minute}}
	for _, s := range steps {
		var err error
		if j, err = Apply(j, s.e, noon.Add(s.after)); err != nil {
			t.Fatal(err)
		}
	}
	// The first lease was good for a minute and never renewed: what was lost behind it is not paid for.
	if want := 16 * time.Minute; j.Used != want || j.Cost != Price(GPU, "H100", want) || j.Cost == 0 {
		t.Errorf("%v used, %d micro-dollars, want %v and %d", j.Used, j.Cost, want, Price(GPU, "H100", want))
	}
	long := behind(t, queued(), lease("a"))
	long, err := Apply(long, Overran{"a"}, noon.Add(3*time.Hour))
	if err != nil || long.Cost != Price(GPU, "H100", time.Hour) {
		t.Errorf("a run beyond its ceiling costs %d, want %d, %v", long.Cost, Price(GPU, "H100", time.Hour), err)
	}
	for mode, gpu := range map[Mode]string{CPU: "", Simulated: "H100"} {
		if p := Price(mode, gpu, time.Hour); p != 0 {
			t.Errorf("mode %s costs %d", mode, p)
		}
	}
}

func TestEpochsComeInOrderOnceAndAsNumbers(t *testing.T) {
	j := behind(t, queued(), lease("a"))
	row := func(n int64, loss float64) training.Epoch {
		return training.Epoch{Epoch: n, TrainLoss: loss, ValLoss: 1, ValAcc: 0.5}
	}
	j = behind(t, j, Measured{"a", []training.Epoch{row(1, 1)}}, Measured{"a", []training.Epoch{row(1, 9), row(2, 2)}})
	if len(j.Epochs) != 2 || j.Epochs[0].TrainLoss != 1 || j.Epochs[1].TrainLoss != 2 {
		t.Errorf("%+v", j.Epochs)
	}
	for _, c := range []struct {
		row  training.Epoch
		says string
	}{{row(4, 1), "from 1 to 3"}, {row(0, 1), "from 1 to 3"}, {row(3, math.NaN()), "no finite number"}, {row(3, math.Inf(1)), "no finite number"},
		{training.Epoch{Epoch: 3, ValAcc: 1.5}, "from 0 to 1"}} {
		if _, err := Apply(j, Measured{"a", []training.Epoch{c.row}}, noon); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.row, err, c.says)
		}
	}
	gap := behind(t, queued(), lease("a"))
	if _, err := Apply(gap, Measured{"a", []training.Epoch{row(2, 1)}}, noon); err == nil || !strings.Contains(err.Error(), "1 is the next") {
		t.Errorf("a row is missing: %v", err)
	}
}

func TestWhatWasSimulatedStaysSo(t *testing.T) {
	j := behind(t, queued(), Leased{Lease: "a", Lasts: time.Minute, Simulated: true}, Lost{"a", "w"})
	if j.Mode != Simulated || j.Takes(false) || !j.Takes(true) {
		t.Errorf("mode %s", j.Mode)
	}
	if _, err := Apply(j, lease("b"), noon); !errors.Is(err, ErrTransition) {
		t.Errorf("a worker that computes goes on with made-up figures: %v", err)
	}
	real := behind(t, queued(), lease("a"), Lost{"a", "w"})
	if _, err := Apply(real, Leased{Lease: "b", Simulated: true}, noon); !errors.Is(err, ErrTransition) {
		t.Errorf("a worker that simulates goes on with measured figures: %v", err)
	}
	j = behind(t, j, Leased{Lease: "c", Lasts: time.Minute, Simulated: true}, Uploaded{"c", Object{Key: "k", SHA256: "s"}}, Finished{Lease: "c", Status: Completed, Trained: true, SHA256: "s"})
	if j.Weights.Trained || j.Weights.Reason == "" || j.Weights.Key != "" || j.Cost != 0 {
		t.Errorf("a simulated run has weights: %+v", j.Weights)
	}
}

// rows are the figures of so many epochs.
func rows(n int64) (out []training.Epoch) {
	for i := range n {
		out = append(out, training.Epoch{Epoch: i + 1, TrainLoss: 1, ValLoss: 1, ValAcc: 0.5})
	}
	return out
}

func TestARunIsCompletedWithAllOfItsEpochs(t *testing.T) {
	for n := range int64(4) {
		for _, trained := range []bool{false, true} {
			j := behind(t, queued(), lease("a"), Measured{"a", rows(n)}, Uploaded{"a", Object{Key: "k", SHA256: "s"}})
			_, err := Apply(j, Finished{Lease: "a", Status: Completed, Trained: trained, SHA256: "s"}, noon)
			if whole := n == 3 || n == 0 && !trained; whole != (err == nil) {
				t.Errorf("%d of 3 epochs, weights %v: %v", n, trained, err)
			}
		}
	}
}

func TestOnlyWeightsThatAreHereAreTrained(t *testing.T) {
	j := behind(t, queued(), lease("a"), Measured{"a", rows(3)})
	done := Finished{Lease: "a", Status: Completed, Trained: true, SHA256: "s", Format: "onnx"}
	if _, err := Apply(j, done, noon); err == nil {
		t.Error("weights that nobody uploaded are trained")
	}
	j = behind(t, j, Uploaded{"a", Object{Key: "k", SHA256: "other"}})
	if _, err := Apply(j, done, noon); err == nil {
		t.Error("other weights are trained")
	}
	j = behind(t, j, Uploaded{"a", Object{Key: "k", SHA256: "s"}}, done)
	if !j.Weights.Trained || j.Weights.Key != "k" || j.Weights.Format != "onnx" || j.Weights.Reason != "" {
		t.Errorf("%+v", j.Weights)
	}
}

func TestTheBigTierBeginsAtTheA100With80GB(t *testing.T) {
	for gpu, want := range map[string]bool{"": false, "T4": false, "L40S": false, "A100-40GB": false, "A100-80GB": true, "H100": true, "H200": true} {
		if Big(gpu) != want {
			t.Errorf("%s: %v", gpu, !want)
		}
	}
}

func TestEachLimitSaysWhatWasHitAndWhenItResets(t *testing.T) {
	midnight := noon.Add(12 * time.Hour)
	for _, c := range []struct {
		name    string
		use     Use
		gpu     string
		reserve int64
		want    *LimitError
	}{
		{"nothing used", Use{}, "T4", 1_000_000, nil},
		{"a big card", Use{}, "H100", 0, &LimitError{CodeBigGPU, 0, 1, time.Time{}}},
		{"one in flight", Use{InFlight: 1}, "T4", 0, nil},
		{"two in flight", Use{InFlight: 2}, "T4", 0, &LimitError{CodeInFlight, 2, 2, time.Time{}}},
		{"nineteen today", Use{Today: 19}, "T4", 0, nil},
		{"twenty today", Use{Today: 20}, "T4", 0, &LimitError{CodeJobs, 20, 20, midnight}},
		{"all dollars", Use{Dollars: 24_000_000}, "T4", 1_000_000, nil},
		{"too many dollars", Use{Dollars: 24_000_000}, "T4", 1_000_001, &LimitError{CodeDollars, 25_000_000, 24_000_000, midnight}},
		{"no dollars left for what costs none", Use{Dollars: 26_000_000}, "", 0, nil},
		{"the tier comes first", Use{InFlight: 9, Today: 99, Dollars: 1 << 40}, "H200", 1, &LimitError{CodeBigGPU, 0, 1, time.Time{}}},
		{"then jobs in flight", Use{InFlight: 9, Today: 99, Dollars: 1 << 40}, "T4", 1, &LimitError{CodeInFlight, 2, 9, time.Time{}}},
		{"then jobs today", Use{Today: 99, Dollars: 1 << 40}, "T4", 1, &LimitError{CodeJobs, 20, 99, midnight}},
	} {
		var got *LimitError
		if err := DefaultLimits.allow(c.use, c.gpu, c.reserve, noon); err != nil && !errors.As(err, &got) {
			t.Fatal(err)
		}
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if got != nil && got.Error() == "" {
			t.Errorf("%s: says nothing", c.name)
		}
	}
}

func TestLimitsAreReadAsTheyAreWritten(t *testing.T) {
	l := Limits{BigGPU: true, InFlight: 3, JobsPerDay: 4, DollarsPerDay: 12_345_678, Runtime: 90 * time.Minute, AgentMessages: 5}
	var again Limits
	for line := range strings.Lines(l.String()) {
		if err := again.Set(strings.TrimSpace(line)); err != nil {
			t.Error(err)
		}
	}
	if again != l {
		t.Errorf("%+v, want %+v", again, l)
	}
	for line, says := range map[string]string{"": "big-gpu, jobs-in-flight", "colour=red": "colour", "jobs-today=-1": "from 0", "jobs-today=x": "from 0", "jobs-today": "from 0",
		"usd-today=NaN": "dollars", "usd-today=-1": "dollars", "runtime=0s": "from 1s", "runtime=x": "from 1s", "big-gpu=true": "yes or no"} {
		if err := again.Set(line); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", line, err, says)
		}
	}
	if again != l {
		t.Error("a limit that is refused is set")
	}
}

// TestTheDocumentHasTheDefaults compares docs/jobs.md with what the program has.
func TestTheDocumentHasTheDefaults(t *testing.T) {
	doc, err := os.ReadFile("../../docs/jobs.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(DefaultLimits.String()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if value = strings.TrimSuffix(value, "0m0s"); !strings.Contains(string(doc), "| `"+name+"` | "+value+" |") {
			t.Errorf("%s=%s is not in its table", name, value)
		}
	}
}
