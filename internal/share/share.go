// Package share keeps plans that their callers chose to publish, under addresses that cannot be guessed.
//
// It knows no SQL and no HTTP. Nothing is kept of a plan that was not shared, and of one that was only what makes it again.
package share

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	ExpiresAt time.Time // zero: when somebody removes it
	Request   []byte
	Removal   secret.Hash // of the secret that removes it; zero where an organisation owns it
}

// RoomError is returned where a plan would take more room than there is for those of its owner.
type RoomError struct {
	Org   string // empty: all callers without a key
	Limit int64  // bytes
}

func (e *RoomError) Error() string {
	if e.Org == "" {
		return fmt.Sprintf("the %d bytes for plans that are shared without a key are used up: share it with a key, or later", e.Limit)
	}
	return fmt.Sprintf("the shared plans of this organisation take the %d bytes that they may: remove some first", e.Limit)
}

// Limits bound what is kept. Zero stands for no bound.
type Limits struct {
	PlanBytes  int64         // of one plan that is shared without a key
	TotalBytes int64         // of all plans that were shared without a key
	OrgBytes   int64         // of all plans of one organisation
	Lasts      time.Duration // how long a plan is kept that was shared without a key
}

// Defaults are the limits of the service. A plan of 2,000 components takes 400 KB.
var Defaults = Limits{PlanBytes: 512 << 10, TotalBytes: 256 << 20, OrgBytes: 256 << 20, Lasts: 90 * 24 * time.Hour}

// Store keeps plans.
type Store interface {
	// Put keeps a plan, unless its owner's would then take more than so many bytes: a RoomError. Zero is no bound.
	Put(ctx context.Context, p Plan, most int64) error
	Get(ctx context.Context, id string) (Plan, error)
	// ListByOrg returns an organisation's plans without their requests, newest first, at most so many.
	ListByOrg(ctx context.Context, org string, most int) ([]Plan, error)
	// RemoveByOrg removes a plan if the organisation owns it.
	RemoveByOrg(ctx context.Context, org, id string) error
	// RemoveBySecret removes a plan that no organisation owns if the digest is that of its secret.
	RemoveBySecret(ctx context.Context, id string, removal secret.Hash) error
	// Expire removes plans whose time is over. Those that nobody owns and that have no end get one.
	Expire(ctx context.Context, now, end time.Time) error
}

const (
	// MostBytes is how large a request may be that is kept: ten times what 2,000 components take.
	MostBytes = 4 << 20
	// Most is how many plans of an organisation are listed.
	Most = 200
)

// Shares publishes plans. It may be used by many at the same time.
type Shares struct {
	Store  Store
	Limits Limits
	Clock  func() time.Time // nil: time.Now
	// Admit is asked for the room that a plan without a key takes, before it is kept; nil: nobody is.
	Admit func(ctx context.Context, bytes int64) error
}

// Create keeps a request. A caller without an organisation gets the secret that removes it, this once.
func (s Shares) Create(ctx context.Context, org string, request []byte, now time.Time) (p Plan, removal string, err error) {
	kept, err := Kept(request)
	if err != nil {
		return Plan{}, "", err
	}
	p = Plan{ID: secret.ID(), Org: org, CreatedAt: now.UTC().Truncate(24 * time.Hour), Request: kept}
	most := s.Limits.OrgBytes
	if org == "" {
		most = s.Limits.TotalBytes
		if removal, err = s.keyless(ctx, &p); err != nil {
			return Plan{}, "", err
		}
	}
	if err := s.Store.Put(ctx, p, most); err != nil {
		return Plan{}, "", err
	}
	return p, removal, nil
}

// keyless gives a plan that nobody owns its end and the secret that removes it before, if it is small enough.
func (s Shares) keyless(ctx context.Context, p *Plan) (removal string, err error) {
	if size, most := int64(len(p.Request)), s.Limits.PlanBytes; most > 0 && size > most {
		e := action.Errorf(graph.CodeBytes, "", "a plan of %d bytes cannot be shared without a key: the most are %d", size, most)
		e.Limit = most
		return "", e
	}
	if s.Admit != nil {
		if err := s.Admit(ctx, int64(len(p.Request))); err != nil {
			return "", err
		}
	}
	if s.Limits.Lasts > 0 {
		p.ExpiresAt = p.CreatedAt.Add(s.Limits.Lasts + 24*time.Hour) // the day on which it was shared does not count
	}
	removal = secret.New()
	p.Removal = secret.Of(removal)
	return removal, nil
}

func (s Shares) now() time.Time {
	if s.Clock == nil {
		return time.Now()
	}
	return s.Clock()
}

// Get returns a plan to whoever knows its id.
func (s Shares) Get(ctx context.Context, id string) (Plan, error) {
	if !isID(id) {
		return Plan{}, ErrNotFound
	}
	p, err := s.Store.Get(ctx, id)
	if err == nil && !p.ExpiresAt.IsZero() && !s.now().Before(p.ExpiresAt) {
		return Plan{}, ErrNotFound
	}
	return p, err
}

// Sweep removes plans whose time is over. They are not shown before either.
func (s Shares) Sweep(ctx context.Context) error {
	if s.Limits.Lasts == 0 {
		return nil
	}
	now := s.now().UTC()
	return s.Store.Expire(ctx, now, now.Add(s.Limits.Lasts))
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

// Members of a graph and of a component, beside those that the specification names, that change a plan.
var (
	ofGraph     = []string{"config"}
	ofComponent = []string{graph.AsMember, graph.ImplementationMember, "scope"} // the last but one is refused, and not left out in silence
)

// read returns a model without what a plan does not read: notes, positions and whatever else an editor or a caller puts there.
func read(model string) (string, error) {
	g, err := graph.Decode([]byte(model), action.Model, graph.ServiceLimits)
	if err != nil {
		return "", err
	}
	g.Extra = only(g.Extra, ofGraph)
	for i := range g.Components {
		g.Components[i].Extra = only(g.Components[i].Extra, ofComponent)
	}
	for i := range g.Connections {
		g.Connections[i].Extra = nil
	}
	return string(g.AppendJSON(nil)), nil
}

func only(members []graph.Member, names []string) []graph.Member {
	return slices.DeleteFunc(slices.Clone(members), func(m graph.Member) bool { return !slices.Contains(names, m.Name) })
}

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
		if m.Name == action.Model {
			model, err := read(m.Raw)
			if err != nil {
				return nil, err
			}
			m.Raw = model
		}
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
