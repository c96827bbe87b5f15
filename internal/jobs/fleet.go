package jobs

import (
	"context"
	"slices"
	"strings"
)

// fleet is the backend of workers that ask by themselves.
type fleet struct{ s *Service }

func (f fleet) Name() string { return Fleet }

// Offers are those of workers that called within two minutes. A card that is in use can be had too, later.
func (f fleet) Offers(ctx context.Context) (Offers, error) { return f.s.OffersOf(ctx, Fleet) }

// Start has nothing to do: a worker will ask.
func (f fleet) Start(context.Context, Ticket) (string, error) { return "", nil }

// Stop has nothing to do: the worker is told with its next heartbeat.
func (f fleet) Stop(context.Context, string) error { return nil }

// Gone knows nothing that the lease does not.
func (f fleet) Gone(context.Context, string) (string, error) { return "", nil }

// OffersOf is what the workers of a backend offer that called within two minutes.
func (s *Service) OffersOf(ctx context.Context, backend string) (Offers, error) {
	all, err := s.Workers(ctx)
	if err != nil {
		return Offers{}, err
	}
	o := Offers{Datasets: []string{}}
	now := s.now()
	for _, w := range all {
		if age := now.Sub(w.Seen); w.Backend != backend || !w.RevokedAt.IsZero() || w.Seen.IsZero() || age > seenFor || age < -seenFor {
			continue
		}
		if w.Offer.Simulate && !s.AllowSimulated {
			continue
		}
		for _, name := range w.Offer.Datasets {
			if !slices.Contains(o.Datasets, name) {
				o.Datasets = append(o.Datasets, name)
			}
		}
		if w.Offer.Simulate {
			o.Simulated = true
			continue
		}
		o.CPU = o.CPU || w.Offer.CPU
		o.Cards = cards(append(o.Cards, w.Offer.Cards...))
	}
	return o, nil
}

// Has says whether a job on a dataset that needs a card, or none, can be run there.
func (o Offers) Has(gpu, dataset string) bool {
	if o.Datasets != nil && !slices.Contains(o.Datasets, dataset) {
		return false
	}
	return o.Simulated || gpu == "" && o.CPU || gpu != "" && slices.Contains(o.Cards, gpu)
}

// Place is a backend and what it offers now.
type Place struct {
	Backend string
	Offers
}

// Available lists the backends that have something, in the order in which they are preferred. A cluster that fails has nothing.
func (s *Service) Available(ctx context.Context) ([]Place, error) {
	var all []Place
	for _, b := range s.backends() {
		o, err := b.Offers(ctx)
		if err != nil {
			if b.Name() == Fleet || ctx.Err() != nil { // the store, or who asks, is away
				return nil, err
			}
			s.warn("a backend does not say what it offers", "backend", b.Name(), "error", err)
			continue
		}
		if o.CPU || o.Simulated || len(o.Cards) > 0 {
			all = append(all, Place{b.Name(), o})
		}
	}
	return all, nil
}

// order is that in which backends are preferred.
const order = Local + " " + Fleet + " slurm kubernetes"

// backends are all of them, in order.
func (s *Service) backends() []Backend {
	all := append([]Backend{fleet{s}}, s.Backends...)
	slices.SortStableFunc(all, func(a, b Backend) int { return strings.Index(order, a.Name()) - strings.Index(order, b.Name()) })
	return all
}

func (s *Service) backend(name string) Backend {
	for _, b := range s.backends() {
		if b.Name() == name {
			return b
		}
	}
	return nil
}
