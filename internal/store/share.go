package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/share"
)

var (
	_ = register("shared_plan", "id text", "org text", "created_at integer", "request bytes", "removal bytes", "expires_at integer")
	_ = register("share_room", "org text", "bytes integer")
)

// plans is the store of package share.
type plans struct{ s *Store }

// Plans returns the store of shared plans.
func (s *Store) Plans() share.Store { return plans{s} }

// Put needs no more than that its statements see what was committed: the first one locks the room of the owner.
func (p plans) Put(ctx context.Context, plan share.Plan, most int64) error {
	if err := p.s.room(ctx); err != nil {
		return err
	}
	return p.s.retry(ctx, sql.LevelReadCommitted, func(a at) error {
		if taken, err := takeRoom(a, plan.Org, int64(len(plan.Request))); err != nil {
			return err
		} else if most > 0 && taken > most {
			return &share.RoomError{Org: plan.Org, Limit: most}
		}
		_, err := a.exec("INSERT INTO shared_plan (id, org, created_at, request, removal, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
			plan.ID, plan.Org, seconds(plan.CreatedAt), plan.Request, plan.Removal[:], seconds(plan.ExpiresAt))
		return err
	})
}

// takeRoom adds to what the plans of an owner take, or gives back where it is less than nothing, and returns what they take.
func takeRoom(a at, org string, bytes int64) (taken int64, err error) {
	err = a.one(`INSERT INTO share_room (org, bytes) VALUES (?, ?)
		ON CONFLICT (org) DO UPDATE SET bytes = share_room.bytes + excluded.bytes RETURNING bytes`, []any{org, bytes}, &taken)
	return taken, err
}

func (p plans) Get(ctx context.Context, id string) (share.Plan, error) {
	plan := share.Plan{ID: id}
	var created, expires int64
	var removal []byte
	err := p.s.reading(ctx).one("SELECT org, created_at, expires_at, request, removal FROM shared_plan WHERE id = ?", []any{id},
		&plan.Org, &created, &expires, &plan.Request, &removal)
	if errors.Is(err, sql.ErrNoRows) {
		return share.Plan{}, share.ErrNotFound
	}
	plan.CreatedAt, plan.ExpiresAt = moment(created), moment(expires)
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
	return p.remove(ctx, org, "DELETE FROM shared_plan WHERE id = ? AND org = ? RETURNING LENGTH(request)", id, org)
}

func (p plans) RemoveBySecret(ctx context.Context, id string, removal secret.Hash) error {
	return p.remove(ctx, "", "DELETE FROM shared_plan WHERE id = ? AND org = '' AND removal = ? RETURNING LENGTH(request)", id, removal[:])
}

func (p plans) remove(ctx context.Context, org, query string, args ...any) error {
	err := p.s.freeing(ctx, func() error {
		return p.s.retry(ctx, sql.LevelReadCommitted, func(a at) error {
			var size int64
			if err := a.one(query, args, &size); errors.Is(err, sql.ErrNoRows) {
				return share.ErrNotFound
			} else if err != nil {
				return err
			}
			_, err := takeRoom(a, org, -size)
			return err
		})
	})
	if err == nil {
		p.s.scrub(ctx)
	}
	return err
}

// expireTogether is how many plans one transaction removes.
const expireTogether = 100

func (p plans) Expire(ctx context.Context, now, end time.Time) error {
	if _, err := p.s.writing(ctx).exec("UPDATE shared_plan SET expires_at = ? WHERE org = '' AND expires_at = 0", seconds(end)); err != nil {
		return err
	}
	removed := false
	for {
		var n int64
		err := p.s.freeing(ctx, func() error {
			return p.s.retry(ctx, sql.LevelReadCommitted, func(a at) (err error) {
				n, err = expire(a, now)
				return err
			})
		})
		if err != nil {
			return err
		}
		if n < expireTogether {
			if removed || n > 0 {
				p.s.scrub(ctx)
			}
			return nil
		}
		removed = true
	}
}

// expire removes some plans whose time is over, and returns how many.
func expire(a at, now time.Time) (n int64, err error) {
	freed := map[string]int64{}
	err = a.each(func(scan func(...any) error) error {
		var org string
		var size int64
		err := scan(&org, &size)
		freed[org] += size
		n++
		return err
	}, `DELETE FROM shared_plan WHERE id IN (SELECT id FROM shared_plan WHERE expires_at > 0 AND expires_at <= ? ORDER BY expires_at, id LIMIT ?)
		RETURNING org, LENGTH(request)`, seconds(now), expireTogether)
	for _, org := range slices.Sorted(maps.Keys(freed)) {
		if err == nil {
			_, err = takeRoom(a, org, -freed[org])
		}
	}
	return n, err
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
