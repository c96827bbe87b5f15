package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/corpus"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/share"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// reportBar is what making a report may take, whatever the corpus has.
const reportBar = 50 * time.Millisecond

// TestGrowth fills both databases to VERIFIER_GROWTH times the whole size, and prints how long everything takes then. make growth runs it.
func TestGrowth(t *testing.T) {
	scale, err := strconv.ParseFloat(os.Getenv("VERIFIER_GROWTH"), 64)
	if err != nil {
		t.Skip("make growth runs it")
	}
	size := fullSize.scaled(scale)
	t.Logf("%+v", size)
	on := os.Getenv("VERIFIER_GROWTH_ON")
	t.Run("postgres", func(t *testing.T) {
		if on == "sqlite" {
			t.Skip("only SQLite is asked for")
		}
		server := pgtest.Archiving(t, "max_wal_size=4GB", "shared_buffers=512MB", "maintenance_work_mem=256MB")
		address := server.Database(t)
		s := open(t, address)
		grow(t, s, size)
		t.Logf("VACUUM (ANALYZE): %v", busy(t, s.long(s.write), "VACUUM (ANALYZE)").Round(time.Millisecond))
		archived(t, s)
		recovering(t, server, address, s)
	})
	t.Run("sqlite", func(t *testing.T) {
		if on == "postgres" {
			t.Skip("only PostgreSQL is asked for")
		}
		s := open(t, "sqlite:"+filepath.Join(t.TempDir(), "data.db"))
		grow(t, s, size)
		t.Logf("PRAGMA optimize: %v", busy(t, s.write, "PRAGMA optimize").Round(time.Millisecond))
		archived(t, s)
	})
}

// grow fills a store, and measures what answers callers and what tidies up.
func grow(t *testing.T, s *Store, size grown) {
	t.Helper()
	began := time.Now()
	if err := size.sow(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	t.Logf("filling: %v, %d MiB", time.Since(began).Round(time.Second), sizeOf(t, s))
	for _, step := range hotPaths(t.Context(), s, size) {
		took, err := measure(200, step.run)
		if err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		t.Logf("%-34s %v", step.name, took)
		if step.name == "report" && took.p99 > reportBar {
			t.Errorf("a report takes %v, the bar is %v", took.p99, reportBar)
		}
	}
	for name, f := range map[string]func() error{
		"retention of sessions and links": func() error { return (&account.Service{Store: s.Accounts(), Clock: time.Now}).Sweep(t.Context()) },
		"retention of windows":            func() error { return s.Windows().Forget(t.Context(), time.Now()) },
		"retention of plans without a key": func() error {
			return s.Plans().Expire(t.Context(), time.Unix(4_000_000_000+size.plans/10, 0), time.Now())
		},
		"retention of the corpus's last tenth": func() error { _, err := s.Corpus().Prune(t.Context(), firstDay+days/10); return err },
	} {
		began := time.Now()
		if err := f(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%-34s %v", name, time.Since(began).Round(time.Millisecond))
	}
}

type step struct {
	name string
	run  func(i int) error
}

// hotPaths are what callers wait for. Each call asks for another organisation.
func hotPaths(ctx context.Context, s *Store, size grown) []step {
	org := func(i int) string {
		n := int64(i*7919) % size.orgs
		if s.kind == sqlite {
			return fmt.Sprintf("%026d", n)
		}
		return pad(n)
	}
	plan := func(i int) share.Plan {
		return share.Plan{ID: secret.ID(), Org: org(i), CreatedAt: time.Now(), Request: make([]byte, 2048)}
	}
	read := func(f func(tx jobs.Tx, i int) error) func(int) error {
		return func(i int) error {
			err := s.Jobs().Read(ctx, func(tx jobs.Tx) error { return f(tx, i) })
			if err == jobs.ErrNotFound {
				err = nil
			}
			return err
		}
	}
	return []step{
		{"a key", func(i int) error {
			_, err := s.Accounts().Key(ctx, secret.Of(fmt.Sprint(i)))
			if err == account.ErrNotFound {
				err = nil // it is looked for all the same
			}
			return err
		}},
		{"history of a structure", func(i int) error {
			_, err := s.Outcomes().List(ctx, org(i), fmt.Sprintf("%032x", i%50), 20)
			return err
		}},
		{"an outcome", func(i int) error {
			_, err := s.Outcomes().Write(ctx, org(i), "f", secret.Of(secret.ID()), ledger.Row{At: time.Now(), Metric: "val_acc", Source: "api"})
			return err
		}},
		{"a plan is shared", func(i int) error { return s.Plans().Put(ctx, plan(i), 0) }},
		{"the plans of an organisation", func(i int) error { _, err := s.Plans().ListByOrg(ctx, org(i), 50); return err }},
		{"a limit", func(i int) error {
			_, err := s.Windows().Take(ctx, org(i), 6, 600, time.Minute, time.Now())
			return err
		}},
		{"the jobs of an organisation", read(func(tx jobs.Tx, i int) error { _, err := tx.Jobs(org(i), "", 50); return err })},
		{"the last run of a structure", read(func(tx jobs.Tx, i int) error { _, err := tx.LastRun(org(i), fmt.Sprintf("%032x", i%50)); return err })},
		{"what an organisation trains today", read(func(tx jobs.Tx, i int) error { _, err := tx.Use(org(i), time.Now()); return err })},
		{"a batch of 100 lines of the corpus", func(i int) error { return s.Corpus().Append(ctx, batch(i)) }},
		{"report", func(int) error { _, _, err := s.Corpus().Groups(ctx); return err }},
	}
}

func pad(n int64) string {
	text := strconv.FormatInt(n, 10)
	for len(text) < 26 {
		text = "a" + text
	}
	return text
}

// batch is what the writer hands over twice a second.
func batch(i int) *corpus.Batch {
	b := &corpus.Batch{Groups: []corpus.Group{{Kind: corpus.GroupTotal, Count: 100}}}
	for n := range 100 {
		fingerprint := fmt.Sprintf("batch%d-%03d", i, n)
		digest := secret.Of(fingerprint)
		b.Lines = append(b.Lines, corpus.Line{Day: firstDay + days, Digest: digest[:16], Fingerprint: fingerprint, Edges: 9, Types: "linear:1", Calls: 1})
		b.Groups[0].Fingerprints = append(b.Groups[0].Fingerprints, fingerprint)
	}
	return b
}

func sizeOf(t *testing.T, s *Store) int64 {
	t.Helper()
	f, err := s.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f.Bytes >> 20
}

// archived writes the archive of verifier-hosted backup.
func archived(t *testing.T, s *Store) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "archive"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	began := time.Now()
	rows, err := s.Backup(t.Context(), f, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("verifier-hosted backup: %v, %d rows, %d MiB", time.Since(began).Round(time.Second), rows, info.Size()>>20)
}

// recovering takes a base backup, writes on, and goes back to a moment between two writes.
func recovering(t *testing.T, server *pgtest.Server, address string, s *Store) {
	t.Helper()
	began := time.Now()
	server.BaseBackup(t)
	t.Logf("pg_basebackup: %v", time.Since(began).Round(time.Millisecond))
	moment := around(t, server, s)
	began = time.Now()
	server.RecoverTo(t, moment)
	server.Recovered(t)
	t.Logf("restored to a moment: %v", time.Since(began).Round(time.Millisecond))
	before(t, address)
}

// around writes an organisation, notes the moment behind it, and writes another.
func around(t *testing.T, server *pgtest.Server, s *Store) time.Time {
	t.Helper()
	put := func(id string) {
		err := s.Accounts().Write(t.Context(), func(tx account.Tx) error { return tx.PutOrganisation(account.Organisation{ID: id, Name: id}) })
		if err != nil {
			t.Fatal(err)
		}
	}
	put("before")
	time.Sleep(100 * time.Millisecond) // a moment is told by the clock of commits
	moment := time.Now()
	time.Sleep(100 * time.Millisecond)
	put("behind")
	server.SwitchLog(t)
	return moment
}

// before holds that the first organisation is there and the second is not.
func before(t *testing.T, address string) {
	t.Helper()
	s, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for id, want := range map[string]int{"before": 1, "behind": 0} {
		found, err := s.Organisations(t.Context(), id)
		if err != nil || len(found) != want {
			t.Errorf("%s: %v %v", id, found, err)
		}
	}
}

// TestADatabaseGoesBackToAMoment does with few rows what an operator does after a mistake: base backup, archived log, recovery.
func TestADatabaseGoesBackToAMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server twice")
	}
	server := pgtest.Archiving(t)
	address := server.Database(t)
	recovering(t, server, address, open(t, address))
}
