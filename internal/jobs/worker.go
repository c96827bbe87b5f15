package jobs

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/protocol"
)

// What tokens begin with, so that people and scanners of repositories recognise one.
const (
	WorkerPrefix = "mvw_" // of a worker
	JobPrefix    = "mvj_" // of a worker that a cluster starts for one job
)

// ErrUnauthorised is returned for a token that is missing, wrong or revoked.
var ErrUnauthorised = errors.New("the token of the worker is missing, wrong or revoked")

// Worker is a machine that runs jobs, or the right to run one job.
type Worker struct {
	ID        string
	Name      string // that the operator gave it; of a worker for one job its backend
	Hash      secret.Hash
	Backend   string // workers or local; of a worker for one job the cluster's
	Job       string // the only one that it may lease; empty: any
	CreatedAt time.Time
	RevokedAt time.Time
	Seen      time.Time // when it last called, to half a minute
	Offer     Shown     // what it said then
}

// Shown is what a worker says of itself.
type Shown struct {
	Machine  string   `json:"machine"`
	Version  string   `json:"version"`
	Torch    string   `json:"torch"`
	Cards    []string `json:"cards"`
	CPU      bool     `json:"cpu"`
	Simulate bool     `json:"simulate"`
	Datasets []string `json:"datasets"`
}

// The local backend's name, and that of the fleet: their workers ask for jobs by themselves.
const (
	Local = "local"
	Fleet = "workers"
)

var workerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

// AddWorker makes a worker of the fleet and returns its token, which is not kept and cannot be shown again.
func (s *Service) AddWorker(ctx context.Context, name string) (token string, err error) {
	return s.hire(ctx, name, Fleet, false)
}

// Hire makes a worker of a backend that starts its own, or gives the one of this name a new token.
func (s *Service) Hire(ctx context.Context, name, backend string) (token string, err error) {
	return s.hire(ctx, name, backend, true)
}

func (s *Service) hire(ctx context.Context, name, backend string, again bool) (string, error) {
	if !workerName.MatchString(name) {
		return "", fmt.Errorf("the name of a worker is %q but must be up to 63 letters, digits, dots, dashes and underscores", name)
	}
	token := WorkerPrefix + secret.New()
	err := s.Store.Write(ctx, func(tx Tx) error {
		w, err := tx.WorkerByName(name)
		switch {
		case errors.Is(err, ErrNotFound):
			w = Worker{ID: secret.ID(), Name: name}
		case err != nil:
			return err
		case !again && w.RevokedAt.IsZero():
			return fmt.Errorf("there is a worker %q already: revoke it first", name)
		}
		w.Hash, w.Backend, w.CreatedAt, w.RevokedAt = secret.Of(token), backend, s.now(), time.Time{}
		return tx.PutWorker(w)
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// RevokeWorker ends a worker's token. What it runs is given to another when its lease has ended.
func (s *Service) RevokeWorker(ctx context.Context, name string) error {
	return s.Store.Write(ctx, func(tx Tx) error {
		w, err := tx.WorkerByName(name)
		if err != nil || !w.RevokedAt.IsZero() {
			return err
		}
		w.RevokedAt = s.now()
		return tx.PutWorker(w)
	})
}

// Workers lists those that the operator and the local backend made, revoked ones too, by name.
func (s *Service) Workers(ctx context.Context) (all []Worker, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error { all, err = tx.Workers(); return err })
	return all, err
}

// Worker finds whose a token is.
func (s *Service) Worker(ctx context.Context, token string) (w Worker, err error) {
	if !secret.WellFormed(WorkerPrefix, token) && !secret.WellFormed(JobPrefix, token) {
		return Worker{}, ErrUnauthorised
	}
	hash := secret.Of(token)
	err = s.Store.Read(ctx, func(tx Tx) error { w, err = tx.Worker(hash); return err })
	if errors.Is(err, ErrNotFound) || err == nil && (!w.RevokedAt.IsZero() || !w.Hash.Equal(hash)) {
		return Worker{}, ErrUnauthorised
	}
	return w, err
}

const (
	seenEvery = 30 * time.Second // how exactly it is noted that a worker called
	seenFor   = 2 * time.Minute  // how long what it offered counts behind that
)

// shown is what an offer says, in the names of our own catalogues.
func shown(o protocol.Offer, busy []string) Shown {
	n := Shown{Machine: o.Name, Version: o.Version, Torch: o.Torch, CPU: o.CPU, Simulate: o.Simulate, Cards: cards(append(slices.Clone(o.Cards), busy...)), Datasets: []string{}}
	for _, name := range training.DatasetNames() {
		if slices.Contains(o.Datasets, name) {
			n.Datasets = append(n.Datasets, name)
		}
	}
	return n
}

// cards are the known ones among names, each once, in order.
func cards(names []string) []string {
	all := []string{}
	for _, name := range names {
		if card := hardware.Lookup(name); card != nil && !slices.Contains(all, card.Name) {
			all = append(all, card.Name)
		}
	}
	slices.Sort(all)
	return all
}

func (a Shown) equal(b Shown) bool {
	return a.Machine == b.Machine && a.Version == b.Version && a.Torch == b.Torch && a.CPU == b.CPU && a.Simulate == b.Simulate &&
		slices.Equal(a.Cards, b.Cards) && slices.Equal(a.Datasets, b.Datasets)
}

// see notes that a worker called and, where it said so, what it offers: its cards with those that it has lent to us already.
func (s *Service) see(ctx context.Context, w Worker, o *protocol.Offer) error {
	if w.Job != "" {
		return nil
	}
	now := s.now()
	fresh := func(w Worker, busy []string) bool {
		age := now.Sub(w.Seen)
		return age >= 0 && age < seenEvery && (o == nil || w.Offer.equal(shown(*o, busy)))
	}
	var busy []string
	if o != nil {
		if err := s.Store.Read(ctx, func(tx Tx) (err error) { busy, err = tx.CardsOf(w.ID); return err }); err != nil {
			return err
		}
	}
	if fresh(w, busy) {
		return nil
	}
	return s.Store.Write(ctx, func(tx Tx) error {
		w, err := tx.WorkerByName(w.Name)
		if err != nil {
			return err
		}
		w.Seen = now
		if o != nil {
			w.Offer = shown(*o, busy)
		}
		return tx.PutWorker(w)
	})
}
