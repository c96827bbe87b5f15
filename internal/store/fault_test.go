package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

func TestADatabaseThatGoesAwayIsUsedAgainWhenItIsBack(t *testing.T) {
	server := pgtest.Start(t)
	s := open(t, server.Database(t))
	write := func() error {
		return s.Accounts().Write(t.Context(), func(tx account.Tx) error { return tx.PutOrganisation(account.Organisation{ID: secret.ID()}) })
	}
	read := func() error {
		_, err := s.Accounts().Key(t.Context(), secret.Of("x"))
		if errors.Is(err, account.ErrNotFound) {
			return nil
		}
		return err
	}
	for i, stop := range []func(){server.Stop, server.Kill} {
		ok(t, write())
		stop()
		for name, f := range map[string]func() error{"write": write, "read": read, "ping": func() error { return s.Ping(t.Context()) }} {
			began := time.Now()
			if err := f(); !errors.Is(err, ErrUnavailable) {
				t.Errorf("%d: %s while it is away: %v", i, name, err)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%d: %s took %v to say so", i, name, took)
			}
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, s)
		ok(t, write())
		ok(t, read())
	}
}

// TestAConnectionThatIsCutIsReplaced has the server end every connection, as a proxy or an operator may.
func TestAConnectionThatIsCutIsReplaced(t *testing.T) {
	s := open(t, pgtest.New(t))
	for range 20 {
		if err := s.Ping(t.Context()); err != nil && !errors.Is(err, ErrUnavailable) {
			t.Error(err)
		}
		_, err := s.writing(t.Context()).exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		if err != nil && !errors.Is(err, ErrUnavailable) {
			t.Error(err)
		}
	}
	waitFor(t, s)
}

// growing writes until the disk is full, and returns the ids that were acknowledged.
func growing(t *testing.T, s *Store) (ids []string, err error) {
	t.Helper()
	for range 10_000 {
		id, name := secret.ID(), strings.Builder{}
		for range 50 { // what cannot be compressed
			name.WriteString(secret.New())
		}
		err = s.Accounts().Write(t.Context(), func(tx account.Tx) error {
			return tx.PutOrganisation(account.Organisation{ID: id, Name: name.String()})
		})
		if err != nil {
			return ids, err
		}
		ids = append(ids, id)
	}
	t.Fatal("the disk does not fill")
	return nil, nil
}

// whole wants every acknowledged id.
func whole(t *testing.T, s *Store, ids []string) {
	t.Helper()
	err := s.Accounts().Read(t.Context(), func(tx account.Tx) error {
		for _, id := range ids {
			if _, err := tx.Organisation(id); err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
		}
		return nil
	})
	ok(t, err)
}

// tiny mounts a disk of so many bytes, or skips and says why.
func tiny(t *testing.T, size string) (dir string, grow func(size string)) {
	t.Helper()
	dir, err := pgtest.Folder("tiny") // a server's tablespace is here
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		_ = os.Remove(dir)
		t.Skipf("no disk of %s can be mounted here: %v; TestAFullSQLiteFileIsReported has a file that may not grow instead", size, err)
	}
	t.Cleanup(func() { _, _ = syscall.Unmount(dir, syscall.MNT_DETACH), os.Remove(dir) })
	return dir, func(size string) {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size="+size); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAFullDiskUnderSQLiteIsReportedAndHarmsNothing(t *testing.T) {
	dir, grow := tiny(t, "1m")
	address := "sqlite:" + filepath.Join(dir, "data.db")
	s := open(t, address)
	ids, err := growing(t, s)
	if !errors.Is(err, ErrFull) {
		t.Fatalf("a full disk after %d writes: %v", len(ids), err)
	}
	t.Logf("%d writes, then: %v", len(ids), err)
	whole(t, s, ids)
	sound(t, s)
	_ = s.Close()
	s, err = Open(t.Context(), address) // while the disk is still full
	if err != nil && !errors.Is(err, ErrFull) {
		t.Errorf("opened on a full disk: %v", err)
	}
	if err == nil {
		whole(t, s, ids)
		_ = s.Close()
	}
	grow("8m")
	s = open(t, address)
	whole(t, s, ids)
	sound(t, s)
	ok(t, s.Accounts().Write(t.Context(), func(tx account.Tx) error { return tx.PutOrganisation(account.Organisation{ID: "again"}) }))
}

// TestAFullSQLiteFileIsReported stands in for a full disk where none can be mounted: the file may not grow beyond some pages.
func TestAFullSQLiteFileIsReported(t *testing.T) {
	s := open(t, "sqlite:"+filepath.Join(t.TempDir(), "data.db"))
	if _, err := s.write.Exec("PRAGMA max_page_count = 100"); err != nil {
		t.Fatal(err)
	}
	ids, err := growing(t, s)
	if !errors.Is(err, ErrFull) {
		t.Fatalf("after %d writes: %v", len(ids), err)
	}
	whole(t, s, ids)
	sound(t, s)
	if _, err := s.write.Exec("PRAGMA max_page_count = 10000"); err != nil {
		t.Fatal(err)
	}
	ok(t, s.Accounts().Write(t.Context(), func(tx account.Tx) error { return tx.PutOrganisation(account.Organisation{ID: "again"}) }))
}

// TestAFullDiskUnderPostgresIsReported puts a database on a small disk.
func TestAFullDiskUnderPostgresIsReported(t *testing.T) {
	if testing.Short() {
		t.Skip("has one goroutine, and takes seconds")
	}
	server := pgtest.Start(t)
	dir, grow := tiny(t, "16m")
	s := open(t, server.DatabaseIn(t, dir))
	ids, err := growing(t, s)
	if !errors.Is(err, ErrFull) {
		t.Fatalf("after %d writes: %v", len(ids), err)
	}
	t.Logf("%d writes, then: %v", len(ids), err)
	whole(t, s, ids)
	grow("64m")
	ok(t, s.Accounts().Write(t.Context(), func(tx account.Tx) error { return tx.PutOrganisation(account.Organisation{ID: "again"}) }))
}

func TestAFileThatIsNoDatabaseIsNotTouched(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.db")
	text := []byte(strings.Repeat("these are my notes\n", 500))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(context.Background(), "sqlite:"+path)
	if err == nil {
		err = s.Migrate(t.Context())
		_ = s.Close()
	}
	if err == nil || errors.Is(err, ErrUnavailable) {
		t.Errorf("opened: %v", err)
	}
	if now, _ := os.ReadFile(path); string(now) != string(text) {
		t.Error("the file was changed")
	}
}
