package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/corpus"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

const corpusChild = "STORE_CORPUS_CHILD"

// corpusWriter adds a new row every few milliseconds, and says so, until it is killed.
func corpusWriter(address string) {
	s, err := Open(context.Background(), address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	w := corpus.NewWriter(s.Corpus(), func(err error) { fmt.Fprintln(os.Stderr, err) })
	go func() { _ = w.Run(context.Background()) }()
	for n := 0; ; n++ {
		w.Add(structure(n))
		fmt.Println(n)
		time.Sleep(2 * time.Millisecond)
	}
}

// TestAKilledProcessLosesTheLastSecondOfTheCorpusAtMost kills a writer. What it lost is the newest rows and no others. How much
// that is depends on how fast the disk is at that moment, so only one of three rounds has to keep the second.
func TestAKilledProcessLosesTheLastSecondOfTheCorpusAtMost(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for seconds")
	}
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			least, chance := time.Hour, rand.New(rand.NewPCG(1, 2))
			for range 3 {
				address := "sqlite:" + filepath.Join(t.TempDir(), "data.db")
				if kind == "postgres" {
					address = pgtest.New(t)
				}
				s := open(t, address)
				if kind == "sqlite" {
					_ = s.Close()
				}
				added, killed := killCorpusWriter(t, address, 1500*time.Millisecond+time.Duration(chance.Int64N(1000))*time.Millisecond)
				lost := killed.Sub(added[kept(t, open(t, address), len(added))])
				t.Logf("%d rows were added, those of the last %v are lost", len(added), lost.Round(time.Millisecond))
				if least = min(least, lost); least < time.Second {
					return
				}
			}
			t.Errorf("rows of %v are lost", least)
		})
	}
}

// killCorpusWriter kills the process some time behind its first row. It returns when each row was added, and when that was.
func killCorpusWriter(t *testing.T, address string, after time.Duration) (added []time.Time, killed time.Time) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), corpusChild+"="+address)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if n, err := strconv.Atoi(lines.Text()); err != nil || n != len(added) {
			t.Fatalf("%q behind %d rows", lines.Text(), len(added))
		}
		added = append(added, time.Now())
		if killed.IsZero() && time.Since(added[0]) > after {
			killed = time.Now()
			kill(cmd)
		}
	}
	_ = cmd.Wait()
	return added, killed
}

// kept returns how many of the first rows are there, and wants no other ones.
func kept(t *testing.T, s *Store, added int) int {
	t.Helper()
	n := 0
	err := s.reading(t.Context()).each(func(scan func(...any) error) error {
		var fingerprint string
		var calls int
		err := scan(&fingerprint, &calls)
		if fingerprint != fmt.Sprintf("%08x", n) || calls != 1 {
			t.Errorf("row %d is %s and came %d times", n, fingerprint, calls)
		}
		n++
		return err
	}, "SELECT fingerprint, calls FROM corpus_line ORDER BY fingerprint")
	if err != nil {
		t.Fatal(err)
	}
	if r := report(t, s); n > added+1 || int64(n) != r.Rows || int64(n) != r.Structures {
		t.Errorf("%d lines, %d added, %+v", n, added, r)
	}
	return min(n, added-1)
}
