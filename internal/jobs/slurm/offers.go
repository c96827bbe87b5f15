package slurm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/jobs"
)

// asked is how long an answer of the cluster about its cards holds, and its silence, too.
const asked = 30 * time.Second

// Offers are the cards of nodes that are up, whether they are busy or not: Slurm has a queue.
func (b *Backend) Offers(ctx context.Context) (jobs.Offers, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := time.Now(); b.seen.IsZero() || now.Sub(b.seen) > asked {
		offers, gres, err := b.ask(ctx)
		if ctx.Err() != nil {
			return jobs.Offers{}, ctx.Err() // who asked went away, which says nothing about the cluster
		}
		b.seen, b.offers, b.gres, b.err = now, offers, gres, err
	}
	o := b.offers
	o.Cards, o.Datasets = slices.Clone(o.Cards), slices.Clone(o.Datasets)
	return o, b.err
}

func (b *Backend) ask(ctx context.Context) (jobs.Offers, map[string]string, error) {
	args := []string{"--noheader", "--Node", "--format=%T|%G"}
	if b.config.Partition != "" {
		args = append(args, "--partition="+b.config.Partition)
	}
	out, err := b.command(ctx, "", "sinfo", args...)
	if err != nil {
		return jobs.Offers{}, nil, fmt.Errorf("slurm: %w", err)
	}
	have, up := nodes(out)
	gres := map[string]string{}
	if len(b.config.Cards) > 0 {
		for card, g := range b.config.Cards {
			if have[g] {
				gres[card] = g
			}
		}
	} else {
		for _, g := range slices.Sorted(maps.Keys(have)) {
			_, kind, _ := strings.Cut(g, ":")
			if card := hardware.Lookup(kind); card != nil && gres[card.Name] == "" {
				gres[card.Name] = g
			}
		}
	}
	o := jobs.Offers{CPU: b.config.CPU && up, Datasets: slices.Clone(b.config.Datasets)}
	for _, card := range hardware.Names() {
		if gres[card] != "" {
			o.Cards = append(o.Cards, card)
		}
	}
	return o, gres, nil
}

// nodes reads a line for each node: its state, and its gres such as gpu:h100:4(S:0-1),shard:8. A state may end in a sign, such as * for
// a node that does not answer.
func nodes(out string) (gres map[string]bool, up bool) {
	gres = map[string]bool{}
	for line := range strings.Lines(out) {
		state, list, _ := strings.Cut(strings.TrimSpace(line), "|")
		switch state {
		case "idle", "mixed", "allocated", "completing", "allocated+", "planned", "idle~", "idle#", "mixed#", "allocated#", "idle-", "mixed-", "allocated-":
		default:
			continue
		}
		up = true
		depth := 0
		for _, g := range strings.FieldsFunc(list, func(r rune) bool { // commas stand within brackets too
			depth += map[rune]int{'(': 1, ')': -1}[r]
			return r == ',' && depth == 0
		}) {
			g, _, _ = strings.Cut(g, "(")
			parts := strings.Split(g, ":")
			if parts[0] != "gpu" {
				continue
			}
			gres["gpu"] = true
			if len(parts) == 3 || len(parts) == 2 && !numbers.MatchString(parts[1]) {
				gres["gpu:"+parts[1]] = true
			}
		}
	}
	return gres, up
}

// gresOf is what Slurm calls a card.
func (b *Backend) gresOf(ctx context.Context, card string) (string, error) {
	if g := b.config.Cards[card]; g != "" {
		return g, nil
	}
	if _, err := b.Offers(ctx); err != nil {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if g := b.gres[card]; g != "" {
		return g, nil
	}
	return "", &jobs.RefusedError{Reason: "Slurm: no node that is up has a " + card}
}
