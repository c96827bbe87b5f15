package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/share"
)

var _ = register("shared_plan", "id text", "org text", "created_at integer", "request bytes", "removal bytes")

// plans is the store of package share.
type plans struct{ s *Store }

// Plans returns the store of shared plans.
func (s *Store) Plans() share.Store { return plans{s} }

func (p plans) Put(ctx context.Context, plan share.Plan) error {
	_, err := p.s.writing(ctx).exec("INSERT INTO shared_plan (id, org, created_at, request, removal) VALUES (?, ?, ?, ?, ?)",
		plan.ID, plan.Org, seconds(plan.CreatedAt), plan.Request, plan.Removal[:])
	return err
}

func (p plans) Get(ctx context.Context, id string) (share.Plan, error) {
	plan := share.Plan{ID: id}
	var created int64
	var removal []byte
	err := p.s.reading(ctx).one("SELECT org, created_at, request, removal FROM shared_plan WHERE id = ?", []any{id},
		&plan.Org, &created, &plan.Request, &removal)
	if errors.Is(err, sql.ErrNoRows) {
		return share.Plan{}, share.ErrNotFound
	}
	plan.CreatedAt = moment(created)
	copy(plan.Removal[:], removal)
	return plan, err
}

func (p plans) ListByOrg(ctx context.Context, org string, most int) ([]share.Plan, error) {
	list := []share.Plan{}
	err := p.s.reading(ctx).each(func(scan func(...any) error) error {
		plan := share.Plan{Org: org}
		var created int64
		err := scan(&plan.ID, &created)
		plan.CreatedAt = moment(created)
		list = append(list, plan)
		return err
	}, "SELECT id, created_at FROM shared_plan WHERE org = ? ORDER BY created_at DESC, id LIMIT ?", org, most)
	return list, err
}

func (p plans) RemoveByOrg(ctx context.Context, org, id string) error {
	return p.remove(ctx, "DELETE FROM shared_plan WHERE id = ? AND org = ?", id, org)
}

func (p plans) RemoveBySecret(ctx context.Context, id string, removal secret.Hash) error {
	return p.remove(ctx, "DELETE FROM shared_plan WHERE id = ? AND org = '' AND removal = ?", id, removal[:])
}

func (p plans) remove(ctx context.Context, query string, args ...any) error {
	n, err := p.s.writing(ctx).exec(query, args...)
	switch {
	case err != nil:
		return err
	case n == 0:
		return share.ErrNotFound
	}
	p.s.scrub(ctx)
	return nil
}

// scrub brings a removal into SQLite's file, where it overwrites what was removed, and empties the log, which still has it. A
// reader of the old state, such as a backup, is not waited for: the log is then overwritten later, as it always is. The removal
// itself is done, so that nothing that goes wrong here is the caller's concern.
func (s *Store) scrub(ctx context.Context) {
	if s.kind != sqlite {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callMost)
	defer cancel()
	c, err := s.write.Conn(ctx)
	if err != nil {
		return
	}
	defer func() { _ = c.Close() }()
	for _, pragma := range []string{"busy_timeout(0)", "wal_checkpoint(TRUNCATE)", fmt.Sprintf("busy_timeout(%d)", busyMillis)} {
		_, _ = c.ExecContext(ctx, "PRAGMA "+pragma)
	}
}
