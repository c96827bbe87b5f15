package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// durable is something that is acknowledged and must then survive: writing the n-th, and finding it again.
type durable struct {
	name  string
	write func(ctx context.Context, s *Store, n int) error
	find  func(ctx context.Context, s *Store, n int) error
}

var durables []durable

// survives adds one. A file of tests adds its own.
func survives(name string, write, find func(ctx context.Context, s *Store, n int) error) bool {
	durables = append(durables, durable{name, write, find})
	return true
}

var (
	_ = survives("account", func(ctx context.Context, s *Store, n int) error {
		id := strconv.Itoa(n)
		return s.Accounts().Write(ctx, func(tx account.Tx) error {
			return errors.Join(tx.PutOrganisation(account.Organisation{ID: id, Name: id}), tx.PutPerson(account.Person{ID: id, Email: id + "@example.com"}),
				tx.PutMembership(account.Membership{Org: id, Person: id, Role: account.Owner}), tx.PutSession(account.Session{Hash: secret.Of(id), Person: id}))
		})
	}, func(ctx context.Context, s *Store, n int) error {
		id := strconv.Itoa(n)
		return s.Accounts().Read(ctx, func(tx account.Tx) error {
			_, a := tx.Organisation(id)
			_, b := tx.Person(id)
			_, c := tx.Membership(id, id)
			_, d := tx.Session(secret.Of(id))
			return errors.Join(a, b, c, d)
		})
	})
	_ = survives("key", func(ctx context.Context, s *Store, n int) error {
		id := "key" + strconv.Itoa(n)
		return s.Accounts().Write(ctx, func(tx account.Tx) error {
			return errors.Join(tx.PutOrganisation(account.Organisation{ID: id, Name: id}), tx.PutKey(account.Key{ID: id, Org: id, Hash: secret.Of(id)}))
		})
	}, func(ctx context.Context, s *Store, n int) error {
		_, err := s.Accounts().Key(ctx, secret.Of("key"+strconv.Itoa(n)))
		return err
	})
)

const crashChild = "STORE_CRASH_CHILD"

// child writes and acknowledges on its standard output until it is killed.
func child(address string) {
	first, _ := strconv.Atoi(os.Getenv(crashChild))
	s, err := Open(context.Background(), address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for n := first; ; n++ {
		d := durables[n%len(durables)]
		if err := d.write(context.Background(), s, n); err != nil {
			fmt.Fprintf(os.Stderr, "%s %d: %v\n", d.name, n, err)
			os.Exit(1)
		}
		fmt.Println(n)
	}
}

// crash runs the child, ends something at a drawn moment behind its first acknowledgement, and returns how far it came.
func crash(t *testing.T, address string, first int, chance *rand.Rand, end func(*exec.Cmd)) (next int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), crashChild+"="+strconv.Itoa(first), "STORE_ADDRESS="+address)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	next = first
	for lines.Scan() {
		if next == first {
			time.AfterFunc(time.Duration(chance.Int64N(150))*time.Millisecond, func() { end(cmd) })
		}
		n, err := strconv.Atoi(lines.Text())
		if err != nil || n != next {
			t.Fatalf("acknowledged %q, %d is next", lines.Text(), next)
		}
		next++
	}
	_ = cmd.Wait()
	if next == first {
		t.Fatalf("nothing was acknowledged: %s", stderr.String())
	}
	return next
}

// found wants everything that was acknowledged.
func found(t *testing.T, s *Store, upTo int) {
	t.Helper()
	for n := range upTo {
		if d := durables[n%len(durables)]; d.find(t.Context(), s, n) != nil {
			t.Errorf("%s %d was acknowledged and is gone: %v", d.name, n, d.find(t.Context(), s, n))
		}
	}
}

func kill(c *exec.Cmd) { _ = c.Process.Kill() }

func TestNothingAcknowledgedIsLostWhenAProcessIsKilled(t *testing.T) {
	rounds := 10
	if testing.Short() {
		rounds = 2
	}
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			address := "sqlite:" + filepath.Join(t.TempDir(), "data.db")
			if kind == "postgres" {
				address = pgtest.Start(t).Database(t)
			}
			s := open(t, address)
			if kind == "sqlite" { // the child has the file to itself, as a server does
				_ = s.Close()
			}
			next, chance := 0, rand.New(rand.NewPCG(1, 2))
			for range rounds {
				// What was under way may be there or not: numbers are not used again.
				next = crash(t, address, next, chance, kill)
				s := open(t, address)
				found(t, s, next)
				if kind == "sqlite" {
					sound(t, s)
				}
				_ = s.Close()
				next += len(durables)
				fillGap(t, address, next-len(durables), next)
			}
			t.Logf("%d writes were acknowledged in %d rounds", next, rounds)
		})
	}
}

// fillGap writes what the killed process may have been writing, so that the next check can ask for every number.
func fillGap(t *testing.T, address string, from, to int) {
	t.Helper()
	s := open(t, address)
	defer func() { _ = s.Close() }()
	for n := from; n < to; n++ {
		d := durables[n%len(durables)]
		if d.find(t.Context(), s, n) == nil {
			continue
		}
		// PostgreSQL outlives the process, and may commit what it was sent after we have looked.
		if err := d.write(t.Context(), s, n); err != nil && d.find(t.Context(), s, n) != nil {
			t.Fatalf("%s %d is there by half: %v", d.name, n, err)
		}
	}
}

// sound asks SQLite to read the whole file.
func sound(t *testing.T, s *Store) {
	t.Helper()
	for _, check := range []string{"integrity_check", "foreign_key_check"} {
		err := s.reading(t.Context()).each(func(scan func(...any) error) error {
			var says string
			if err := scan(&says); err != nil || says != "ok" {
				t.Errorf("%s: %s, %v", check, says, err)
			}
			return nil
		}, "PRAGMA "+check)
		if err != nil {
			t.Error(err)
		}
	}
}

func TestNothingAcknowledgedIsLostWhenPostgresIsKilled(t *testing.T) {
	rounds := 3
	if testing.Short() {
		rounds = 1
	}
	server := pgtest.Start(t)
	address := server.Database(t)
	s := open(t, address) // stays open over the crashes
	next, chance := 0, rand.New(rand.NewPCG(1, 2))
	for range rounds {
		next = crash(t, address, next, chance, func(*exec.Cmd) { server.Kill() })
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, s)
		found(t, s, next)
		next += len(durables)
		fillGap(t, address, next-len(durables), next)
	}
	t.Logf("%d writes were acknowledged in %d rounds", next, rounds)
}

// waitFor waits until the database answers again, without opening it anew.
func waitFor(t *testing.T, s *Store) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := s.Ping(t.Context())
		if err == nil {
			return
		}
		if !errors.Is(err, ErrUnavailable) || time.Now().After(deadline) {
			t.Fatalf("while it is away: %v", err)
		}
	}
}
