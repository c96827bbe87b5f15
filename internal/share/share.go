// Package share keeps plans that their callers chose to publish, under addresses that cannot be guessed.
//
// It knows no SQL and no HTTP. Nothing is kept of a plan that was not shared, and of one that was only what makes it again.
package share

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/secret"
)

// ErrNotFound is returned for a plan that is not there, or is not the caller's.
var ErrNotFound = errors.New("no such plan")

// Plan is a shared plan: what it was asked with. The plan is made from it again for each reader.
type Plan struct {
	ID        string
	Org       string    // empty for a caller without a key
	CreatedAt time.Time // a day
	Request   []byte
	Removal   secret.Hash // of the secret that removes it; zero where an organisation owns it
}

// Store keeps plans.
type Store interface {
	Put(ctx context.Context, p Plan) error
	Get(ctx context.Context, id string) (Plan, error)
	// ListByOrg returns an organisation's plans without their requests, newest first, at most so many.
	ListByOrg(ctx context.Context, org string, most int) ([]Plan, error)
	// RemoveByOrg removes a plan if the organisation owns it.
	RemoveByOrg(ctx context.Context, org, id string) error
	// RemoveBySecret removes a plan that no organisation owns if the digest is that of its secret.
	RemoveBySecret(ctx context.Context, id string, removal secret.Hash) error
}

const (
	// MostBytes is how large a request may be that is kept: ten times what 2,000 components take.
	MostBytes = 4 << 20
	// Most is how many plans of an organisation are listed.
	Most = 200
)

// Shares publishes plans. It may be used by many at the same time.
type Shares struct{ Store Store }

// Create keeps a request. A caller without an organisation gets the secret that removes it, this once.
func (s Shares) Create(ctx context.Context, org string, request []byte, now time.Time) (p Plan, removal string, err error) {
	kept, err := Kept(request)
	if err != nil {
		return Plan{}, "", err
	}
	p = Plan{ID: secret.ID(), Org: org, CreatedAt: now.UTC().Truncate(24 * time.Hour), Request: kept}
	if org == "" {
		removal = secret.New()
		p.Removal = secret.Of(removal)
	}
	if err := s.Store.Put(ctx, p); err != nil {
		return Plan{}, "", err
	}
	return p, removal, nil
}

// Get returns a plan to whoever knows its id.
func (s Shares) Get(ctx context.Context, id string) (Plan, error) {
	if !isID(id) {
		return Plan{}, ErrNotFound
	}
	return s.Store.Get(ctx, id)
}

// List returns an organisation's plans without their requests, newest first.
func (s Shares) List(ctx context.Context, org string) ([]Plan, error) {
	if org == "" { // plans without an owner are nobody's to list
		return nil, ErrNotFound
	}
	return s.Store.ListByOrg(ctx, org, Most)
}

// Remove removes a plan of the organisation.
func (s Shares) Remove(ctx context.Context, org, id string) error {
	if org == "" || !isID(id) {
		return ErrNotFound
	}
	return s.Store.RemoveByOrg(ctx, org, id)
}

// RemoveWith removes a plan that has no owner, with the secret that its creator was given.
func (s Shares) RemoveWith(ctx context.Context, id, removal string) error {
	if !isID(id) || !secret.WellFormed("", removal) {
		return ErrNotFound
	}
	return s.Store.RemoveBySecret(ctx, id, secret.Of(removal))
}

// isID says whether a text has the form of an id. What has not need not be looked up.
func isID(s string) bool {
	return len(s) == 26 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// members are those of a plan's request that are kept. The version before and whatever else was sent are not published.
var members = []string{action.Model, "policy", "attention", "seq_len", "training", "inference", "source"}

// Kept returns the part of a plan's request that is published, without white space.
func Kept(request []byte) ([]byte, error) {
	body, err := graph.DecodeBody(request, graph.ServiceLimits, func(string) bool { return false })
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, m := range body.Members {
		if !slices.Contains(members, m.Name) {
			continue
		}
		separator := byte(',')
		if out.Len() == 0 {
			separator = '{'
		}
		out.WriteByte(separator)
		out.WriteString(`"` + m.Name + `":`) // one of ours: nothing to escape
		if err := json.Compact(&out, []byte(m.Raw)); err != nil {
			return nil, action.Errorf(graph.CodeSyntax, m.Name, "%v", err)
		}
	}
	if body.Member(action.Model) == nil {
		return nil, action.Errorf(graph.CodeMissing, action.Model, "must be an object with a list named components")
	}
	if out.WriteByte('}'); out.Len() > MostBytes {
		e := action.Errorf(graph.CodeBytes, "", "a plan of %d bytes cannot be shared: the most are %d", out.Len(), MostBytes)
		e.Limit = MostBytes
		return nil, e
	}
	return out.Bytes(), nil
}
