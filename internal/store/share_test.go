package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/corpus"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/rate"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/share"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

const sharedRequest = `{"model":{"components":[{"id":"x","type":"input","name":"hush-hush","params":{"shape":[3]}}],"connections":[]},"seq_len":7}`

var (
	_ = exercise("a shared plan is found by its id, and removed by its owner or with its secret only", func(t *testing.T, s *Store) {
		plans := share.Shares{Store: s.Plans()}
		owned, none, err := plans.Create(t.Context(), "a", []byte(sharedRequest), day.Add(7*time.Hour))
		ok(t, err)
		free, removal, err := plans.Create(t.Context(), "", []byte(sharedRequest), day)
		ok(t, err)
		if none != "" || removal == "" || owned.ID == free.ID || !owned.CreatedAt.Equal(day.Truncate(24*time.Hour)) {
			t.Fatalf("%q, %q, %v", none, removal, owned.CreatedAt)
		}
		for _, want := range []share.Plan{owned, free} {
			got, err := plans.Get(t.Context(), want.ID)
			ok(t, err)
			if got.Org != want.Org || !got.CreatedAt.Equal(want.CreatedAt) || string(got.Request) != sharedRequest || got.Removal != want.Removal {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
		for name, remove := range map[string]func() error{
			"another organisation":    func() error { return plans.Remove(t.Context(), "b", owned.ID) },
			"no organisation":         func() error { return plans.Remove(t.Context(), "", free.ID) },
			"an organisation, free":   func() error { return plans.Remove(t.Context(), "a", free.ID) },
			"another secret":          func() error { return plans.RemoveWith(t.Context(), free.ID, secret.New()) },
			"the secret of another":   func() error { return plans.RemoveWith(t.Context(), owned.ID, removal) },
			"the digest of no secret": func() error { return s.Plans().RemoveBySecret(t.Context(), owned.ID, secret.Hash{}) },
		} {
			if err := remove(); !errors.Is(err, share.ErrNotFound) {
				t.Errorf("%s removes: %v", name, err)
			}
		}
		list, err := plans.List(t.Context(), "a")
		if err != nil || len(list) != 1 || list[0].ID != owned.ID || list[0].Request != nil {
			t.Errorf("%+v, %v", list, err)
		}
		if list, err := plans.List(t.Context(), "b"); err != nil || len(list) != 0 {
			t.Errorf("%+v, %v", list, err)
		}
		ok(t, plans.Remove(t.Context(), "a", owned.ID))
		ok(t, plans.RemoveWith(t.Context(), free.ID, removal))
		for _, id := range []string{owned.ID, free.ID, secret.ID(), "", "../x"} {
			if _, err := plans.Get(t.Context(), id); !errors.Is(err, share.ErrNotFound) {
				t.Errorf("%q: %v", id, err)
			}
		}
	})

	_ = fills(func(t *testing.T, s *Store) {
		for _, org := range []string{"", "o1"} {
			_, _, err := share.Shares{Store: s.Plans()}.Create(t.Context(), org, []byte(sharedRequest), day)
			ok(t, err)
		}
	})
	_ = survives("plan", func(ctx context.Context, s *Store, n int) error {
		return s.Plans().Put(ctx, share.Plan{ID: "plan" + strconv.Itoa(n), CreatedAt: day, Request: bytes.Repeat([]byte("plan"), 10_000)}, 0)
	}, func(ctx context.Context, s *Store, n int) error {
		p, err := s.Plans().Get(ctx, "plan"+strconv.Itoa(n))
		if err == nil && len(p.Request) != 40_000 {
			err = errors.New("is there by half")
		}
		return err
	})
)

// onDisk returns all bytes of a SQLite database: the file and its log.
func onDisk(t *testing.T, path string) []byte {
	t.Helper()
	var all []byte
	for _, suffix := range []string{"", "-wal", "-shm"} {
		b, err := os.ReadFile(path + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// TestARemovedPlanIsGoneFromTheDisk looks for it in the file and its log. PostgreSQL keeps dead rows until it cleans up; what
// can be read is gone.
func TestARemovedPlanIsGoneFromTheDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.db")
	s := open(t, "sqlite:"+path)
	address := pgtest.New(t)
	p := open(t, address)
	everything := map[*Store]func() []byte{
		s: func() []byte { return onDisk(t, path) },
		p: func() []byte { return pgtest.Dump(t, address) },
	}
	large := bytes.Replace([]byte(sharedRequest), []byte("hush-hush"), bytes.Repeat([]byte("hush-hush"), 5000), 1)
	for store, read := range everything {
		plans := share.Shares{Store: store.Plans()}
		for _, request := range [][]byte{[]byte(sharedRequest), large} {
			plan, _, err := plans.Create(t.Context(), "a", request, day)
			ok(t, err)
			if data := read(); !bytes.Contains(data, []byte("hush-hush")) && !bytes.Contains(data, []byte("687573682d68757368")) { // pg_dump writes hex
				t.Fatal("a shared plan is not where it is looked for")
			}
			ok(t, plans.Remove(t.Context(), "a", plan.ID))
			if data := read(); bytes.Contains(data, []byte("hush-hush")) || bytes.Contains(data, []byte("687573682d68757368")) {
				t.Errorf("%s: a removed plan of %d bytes is still there", store.Kind(), len(request))
			}
		}
	}
}

// TestRemovingDoesNotWaitForABackup removes a plan while a reader holds the state before.
func TestRemovingDoesNotWaitForABackup(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		plans := share.Shares{Store: s.Plans()}
		plan, _, err := plans.Create(t.Context(), "a", []byte(sharedRequest), day)
		ok(t, err)
		ok(t, s.snapshot(t.Context(), func(a at) error {
			n := 0
			if err := a.one("SELECT COUNT(*) FROM shared_plan", nil, &n); err != nil || n != 1 {
				t.Errorf("%d plans, %v", n, err)
			}
			return plans.Remove(t.Context(), "a", plan.ID)
		}))
		if _, err := plans.Get(t.Context(), plan.ID); !errors.Is(err, share.ErrNotFound) {
			t.Error(err)
		}
		plan, _, err = plans.Create(t.Context(), "a", []byte(sharedRequest), day) // the writer is as before
		ok(t, err)
		ok(t, plans.Remove(t.Context(), "a", plan.ID))
	})
}

// TestNothingOfAPlanIsKeptUnlessItIsShared does everything that a keyed call for a plan does with a store, and looks for the
// caller's words in all that the databases have written; then it shares the plan, and finds them.
func TestNothingOfAPlanIsKeptUnlessItIsShared(t *testing.T) {
	path, address := filepath.Join(t.TempDir(), "data.db"), pgtest.New(t)
	for _, c := range []struct {
		s    *Store
		read func() []byte
	}{
		{open(t, "sqlite:"+path), func() []byte { return onDisk(t, path) }},
		{open(t, address), func() []byte { return pgtest.Dump(t, address) }},
	} {
		ok(t, organisations(t.Context(), c.s, "a"))
		request, err := plan.Decode([]byte(sharedRequest), graph.ServiceLimits)
		ok(t, err)
		answer := plan.Run(request)
		if _, err := rate.New(c.s.Windows(), 600, time.Minute, time.Now).Take(t.Context(), rate.Key("k")); err != nil {
			t.Error(err)
		}
		rows, err := ledger.Ledger{Store: c.s.Outcomes()}.List(t.Context(), "a", answer.Plan.Model.Fingerprint)
		if err != nil || len(rows) != 0 {
			t.Error(rows, err)
		}
		flush(t, c.s, corpus.Of(action.Examine(request.Model), corpus.Day(day)))
		kept := func() bool {
			data := c.read()
			if !bytes.Contains(data, []byte(answer.Plan.Model.Fingerprint)) {
				t.Error("the call is not where it is looked for")
			}
			return bytes.Contains(data, []byte("hush-hush")) || bytes.Contains(data, []byte("687573682d68757368"))
		}
		if kept() {
			t.Errorf("%s: a plan that was not shared is kept", c.s.Kind())
		}
		_, _, err = share.Shares{Store: c.s.Plans()}.Create(t.Context(), "a", []byte(sharedRequest), day)
		ok(t, err)
		if !kept() {
			t.Errorf("%s: a plan that was shared is not found", c.s.Kind())
		}
	}
}
