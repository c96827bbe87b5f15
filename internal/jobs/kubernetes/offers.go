package kubernetes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	faults "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/jobs"
)

// asked is how long an answer of the cluster about its nodes holds, and its silence, too.
const asked = 30 * time.Second

// Offers are the cards of nodes that are ready, whether they are busy or not: the cluster has a queue.
func (b *Backend) Offers(ctx context.Context) (jobs.Offers, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := time.Now(); b.seen.IsZero() || now.Sub(b.seen) > asked {
		labels, err := b.ask(ctx)
		if ctx.Err() != nil {
			return jobs.Offers{}, ctx.Err() // who asked went away, which says nothing about the cluster
		}
		o := jobs.Offers{CPU: b.config.CPU, Datasets: slices.Clone(b.config.Datasets)}
		for _, card := range hardware.Names() {
			if labels[card] != "" {
				o.Cards = append(o.Cards, card)
			}
		}
		b.seen, b.offers, b.labels, b.err = now, o, labels, err
	}
	if b.err != nil {
		return jobs.Offers{}, b.err
	}
	o := b.offers
	o.Cards, o.Datasets = slices.Clone(o.Cards), slices.Clone(o.Datasets)
	return o, nil
}

// ask finds the cards of the nodes, and the value of the label that each has. Where the service may not look at nodes, the cards are those
// of the configuration.
func (b *Backend) ask(ctx context.Context) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	there := map[string]bool{}
	for next := ""; ; {
		nodes, err := b.core.Nodes().List(ctx, meta.ListOptions{LabelSelector: b.config.Label, Limit: 500, Continue: next})
		if faults.IsForbidden(err) {
			return maps.Clone(b.config.Cards), nil
		}
		if err != nil {
			return nil, fmt.Errorf("kubernetes: %w", err)
		}
		for i := range nodes.Items {
			if n := &nodes.Items[i]; b.takes(n) {
				there[n.Labels[b.config.Label]] = true
			}
		}
		if next = nodes.Continue; next == "" {
			break
		}
	}
	labels := map[string]string{}
	if len(b.config.Cards) > 0 {
		for card, value := range b.config.Cards {
			if there[value] {
				labels[card] = value
			}
		}
		return labels, nil
	}
	for _, value := range slices.Sorted(maps.Keys(there)) {
		if card := cardOf(value); card != "" && labels[card] == "" {
			labels[card] = value
		}
	}
	return labels, nil
}

// takes says whether a node is ready for new pods, and has a card at all.
func (b *Backend) takes(n *core.Node) bool {
	if n.Spec.Unschedulable {
		return false
	}
	if q, ok := n.Status.Allocatable[core.ResourceName(b.config.Resource)]; !ok || q.Sign() <= 0 {
		return false
	}
	return slices.ContainsFunc(n.Status.Conditions, func(c core.NodeCondition) bool { return c.Type == core.NodeReady && c.Status == core.ConditionTrue })
}

// cardOf is the card that NVIDIA's feature discovery names, such as NVIDIA-A100-SXM4-80GB or Tesla-T4. Slices of a card, and cards that
// several share, are none.
func cardOf(product string) string {
	if strings.Contains(product, "MIG") || strings.HasSuffix(product, "-SHARED") {
		return ""
	}
	words := strings.Split(product, "-")
	memory := ""
	for _, w := range words {
		if strings.HasSuffix(w, "GB") {
			memory = w
		}
	}
	for _, w := range words {
		for _, spelling := range []string{w + "-" + memory, w} {
			if g := hardware.Lookup(strings.TrimSuffix(spelling, "-")); g != nil {
				return g.Name
			}
		}
	}
	return ""
}

// labelOf is the value of the label of nodes with a card.
func (b *Backend) labelOf(ctx context.Context, card string) (string, error) {
	if v := b.config.Cards[card]; v != "" {
		return v, nil
	}
	if _, err := b.Offers(ctx); err != nil {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if v := b.labels[card]; v != "" {
		return v, nil
	}
	return "", &jobs.RefusedError{Reason: "Kubernetes: no node that is ready has a " + card}
}
