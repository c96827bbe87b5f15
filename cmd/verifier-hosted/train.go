package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"time"

	"github.com/modelverifier/verifier/internal/blob"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/store"
)

// trainConfig is what the options say about training.
type trainConfig struct {
	weights   string // address of the objects
	keep      time.Duration
	lease     time.Duration
	simulated bool
}

// read makes it of the values, or says which option is wrong.
func (c *trainConfig) read(value func(string) string, number func(name string, least, most int64) int64) (string, error) {
	c.weights = value("weights-url")
	if c.weights == "" {
		folder, err := filepath.Abs(filepath.Join(value("data"), "weights"))
		if err != nil {
			return "data", err
		}
		c.weights = folder
	}
	c.keep = time.Duration(number("weights-days", 1, 36500)) * day
	var err error
	if c.lease, err = time.ParseDuration(value("worker-lease")); err != nil || c.lease < time.Second || c.lease > time.Hour {
		return "worker-lease", fmt.Errorf("must be from 1s to 1h, not %q", value("worker-lease"))
	}
	if c.simulated, err = strconv.ParseBool(value("allow-simulated")); err != nil {
		return "allow-simulated", fmt.Errorf("must be true or false, not %q", value("allow-simulated"))
	}
	return "", nil
}

// trainer is the service of jobs, and where their objects are.
type trainer struct {
	*jobs.Service
	objects *blob.Bucket
}

// training makes it over a store that has been migrated.
func (p *program) training(ctx context.Context, s *store.Store, url string) (*trainer, error) {
	secret, err := s.LinkSecret(ctx)
	if err != nil {
		return nil, err
	}
	objects, err := blob.Open(ctx, p.train.weights, blob.Signer{Secret: secret, Base: url})
	if err != nil {
		return nil, usageError{fmt.Errorf("--weights-url: %w", err)}
	}
	return &trainer{&jobs.Service{Store: s.Jobs(), Blobs: objects, Clock: s.Clock(ctx, clock), Log: p.log, Server: url,
		AllowSimulated: p.train.simulated, LeaseFor: p.train.lease, WeightsFor: p.train.keep}, objects}, nil
}

// begin does what must happen later until the service has answered its last request, which is when the function that it returns
// is called.
func (t *trainer) begin(ctx context.Context, s *store.Store, log *slog.Logger) (end func()) {
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() { t.work(working, s, log); close(ended) }()
	return func() { stop(); <-ended }
}

// workAgain is how long to wait before the queue is tried again, where the database was away.
const workAgain = 2 * time.Second

// work does what must happen later, until the context ends.
func (t *trainer) work(ctx context.Context, s *store.Store, log *slog.Logger) {
	begun := false
	for ctx.Err() == nil {
		err := error(nil)
		if !begun {
			err = t.Begin(ctx)
			begun = err == nil
		}
		if err == nil {
			err = s.Work(ctx, t.Service, slog.New(quiet{log.Handler()}))
		}
		if err != nil && ctx.Err() == nil {
			log.Warn("the queue of training jobs stands still", "error", err)
			select {
			case <-time.After(workAgain):
			case <-ctx.Done():
			}
		}
	}
}

// quiet lets River say what is wrong, and not what it does.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}

// operate runs a command of the operator on the service of jobs.
func (p *program) operate(ctx context.Context, f func(s *store.Store, j *jobs.Service) error) (err error) {
	s, err := p.ready(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return f(s, &jobs.Service{Store: s.Jobs(), Clock: s.Clock(ctx, clock)})
}

// limits prints the limits of an organisation, or changes some.
func limits(ctx context.Context, p *program, args []string) error {
	return p.operate(ctx, func(s *store.Store, j *jobs.Service) error {
		found, err := s.Organisations(ctx, args[0])
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			return usageError{fmt.Errorf("no organisation has the id or the name %q", args[0])}
		case len(found) > 1:
			return usageError{fmt.Errorf("several organisations are called %q: name one by its id, of %v", args[0], found)}
		}
		l, use, err := j.Limits(ctx, found[0])
		if err != nil {
			return err
		}
		for _, line := range args[1:] {
			if err := l.Set(line); err != nil {
				return usageError{err}
			}
		}
		if len(args) > 1 {
			if err := j.SetLimits(ctx, found[0], l); err != nil {
				return err
			}
		}
		const dollar = 1e6
		fmt.Fprint(p.stdout, l)
		fmt.Fprintf(p.stdout, "\n%s uses %d in flight, %d today, $%.2f today\n", found[0], use.InFlight, use.Today, float64(use.Dollars)/dollar)
		return nil
	})
}

func workerAdd(ctx context.Context, p *program, args []string) error {
	return p.operate(ctx, func(_ *store.Store, j *jobs.Service) error {
		token, err := j.AddWorker(ctx, args[0])
		if err != nil && !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrFull) {
			err = usageError{err}
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "The token of %s, which is shown once:\n\n  %s\n\n", args[0], token)
		return nil
	})
}

func workerRevoke(ctx context.Context, p *program, args []string) error {
	return p.operate(ctx, func(_ *store.Store, j *jobs.Service) error {
		err := j.RevokeWorker(ctx, args[0])
		if errors.Is(err, jobs.ErrNotFound) {
			return usageError{fmt.Errorf("there is no worker %q", args[0])}
		}
		return err
	})
}

// workers lists them, a line each.
func workers(ctx context.Context, p *program, _ []string) error {
	return p.operate(ctx, func(_ *store.Store, j *jobs.Service) error {
		all, err := j.Workers(ctx)
		if err != nil {
			return err
		}
		for _, w := range all {
			fmt.Fprintln(p.stdout, describe(w))
		}
		return nil
	})
}

func describe(w jobs.Worker) string {
	seen := "never seen"
	if !w.Seen.IsZero() {
		seen = "seen " + w.Seen.Format(time.RFC3339)
	}
	if !w.RevokedAt.IsZero() {
		seen += ", revoked " + w.RevokedAt.Format(time.RFC3339)
	}
	on := w.Offer.Cards
	if w.Offer.CPU {
		on = append(on, "cpu")
	}
	if w.Offer.Simulate {
		on = append(on, "simulates")
	}
	return fmt.Sprintf("%-20s %-8s %s  %v %v  torch %q", w.Name, w.Backend, seen, on, w.Offer.Datasets, w.Offer.Torch)
}
