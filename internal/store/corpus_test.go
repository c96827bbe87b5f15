package store

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/corpus"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rate"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// structure is a row of the n-th of many structures; every third is refused.
func structure(n int) corpus.Row {
	r := corpus.Row{Day: corpus.Day(day), Fingerprint: fmt.Sprintf("%08x", n), Edges: int64(n), Types: []corpus.Count{{Type: "linear", Components: 2}, {Type: "relu", Components: 1}}}
	if n%3 == 0 {
		r.Fired = []corpus.Fired{{RuleID: "cycle", Severity: "block"}, {RuleID: "dead-end", Severity: "warn"}}
	}
	return r
}

func flush(t *testing.T, s *Store, add ...corpus.Row) {
	t.Helper()
	w := corpus.NewWriter(s.Corpus(), nil)
	for _, r := range add {
		w.Add(r)
	}
	if err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func report(t *testing.T, s *Store) *corpus.Report {
	t.Helper()
	r, err := corpus.NewReporter(s.Corpus(), time.Now).Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var (
	_ = exercise("equal rows of a day are one line with their number, and nothing else is kept", func(t *testing.T, s *Store) {
		later := structure(3)
		later.Day++
		other := structure(3)
		other.Fired = nil // as another version of the rules would say
		flush(t, s, structure(3), structure(3), later)
		flush(t, s, structure(3), other)
		var lines []string
		ok(t, s.reading(t.Context()).each(func(scan func(...any) error) error {
			var day, edges, calls int64
			var fingerprint, types, fired string
			err := scan(&day, &fingerprint, &edges, &types, &fired, &calls)
			lines = append(lines, fmt.Sprintln(day-later.Day, fingerprint, edges, types, fired, calls))
			return err
		}, "SELECT day, fingerprint, edges, types, fired, calls FROM corpus_line ORDER BY day, calls"))
		want := []string{"-1 00000003 3 linear:2 relu:1  1\n", "-1 00000003 3 linear:2 relu:1 cycle:block dead-end:warn 3\n", "0 00000003 3 linear:2 relu:1 cycle:block dead-end:warn 1\n"}
		if !slices.Equal(lines, want) {
			t.Errorf("got %q, want %q", lines, want)
		}
	})
	_ = exercise("old lines are removed, and the report stays what it was", func(t *testing.T, s *Store) {
		var all []corpus.Row
		for n := range pruneTogether + 200 {
			r := structure(n)
			r.Day += int64(n % 3) // three days
			all = append(all, r)
		}
		flush(t, s, all...)
		was := report(t, s)
		first := corpus.Day(day)
		for _, c := range []struct{ before, removed, left int64 }{{first, 0, 1200}, {first + 2, 800, 400}, {first + 2, 0, 400}, {first + 3, 400, 0}, {first + 9, 0, 0}} {
			removed, err := s.Corpus().Prune(t.Context(), c.before)
			ok(t, err)
			var left int64
			ok(t, s.reading(t.Context()).one("SELECT COUNT(*) FROM corpus_line", nil, &left))
			if removed != c.removed || left != c.left {
				t.Errorf("before day %d: %d removed and %d left, want %d and %d", c.before-first, removed, left, c.removed, c.left)
			}
			if r := report(t, s); !reflect.DeepEqual(r, was) {
				t.Errorf("the report is %+v, was %+v", r, was)
			}
		}
	})
	_ = exercise("a report counts rows and structures, and leaves small groups out", func(t *testing.T, s *Store) {
		if r := report(t, s); r.Rows != 0 || r.Since != nil || len(r.Verdicts)+len(r.Rules)+len(r.Types) != 0 {
			t.Errorf("of nothing: %+v", r)
		}
		for n := range 4 {
			flush(t, s, structure(n), structure(n))
		}
		if r := report(t, s); r.Rows != 0 || r.Structures != 0 || r.Since != nil || len(r.Types) != 0 {
			t.Errorf("of four structures: %+v", r)
		}
		for n := 4; n < 12; n++ { // 0, 3, 6 and 9 are refused: four structures
			flush(t, s, structure(n), structure(n))
		}
		r := report(t, s)
		if r.Rows != 24 || r.Structures != 12 || r.Since == nil || *r.Since != "2026-01-02" {
			t.Errorf("%+v", r)
		}
		if len(r.Verdicts) != 0 || len(r.Rules) != 0 || !slices.Equal(r.Types, []corpus.Count{{Type: "linear", Components: 48}, {Type: "relu", Components: 24}}) {
			t.Errorf("%+v", r)
		}
		flush(t, s, structure(12))
		r = report(t, s)
		if len(r.Verdicts) != 2 || r.Verdicts["block"] != 9 || r.Verdicts["ok"] != 16 || len(r.Rules) != 2 ||
			r.Rules[0] != (corpus.RuleRows{Fired: corpus.Fired{RuleID: "cycle", Severity: "block"}, Rows: 9}) {
			t.Errorf("%+v", r)
		}
	})
	_ = exercise("replicas that write the corpus at the same time lose and invent nothing", func(t *testing.T, s *Store) {
		const replicas, batches, each = 4, 5, 20
		var wait sync.WaitGroup
		for replica := range replicas {
			wait.Go(func() {
				for b := range batches {
					w := corpus.NewWriter(s.Corpus(), nil)
					for n := range each {
						w.Add(structure((n*7 + replica*3 + b) % 25))
					}
					if err := w.Flush(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wait.Wait()
		var calls, members int64
		ok(t, s.reading(t.Context()).one("SELECT SUM(calls) FROM corpus_line", nil, &calls))
		ok(t, s.reading(t.Context()).one("SELECT COUNT(*) FROM corpus_member WHERE kind <> ?", []any{corpus.GroupTotal}, &members))
		r := report(t, s)
		if calls != replicas*batches*each || r.Rows != calls || r.Structures != 25 || r.Verdicts["block"]+r.Verdicts["ok"] != calls || r.Types[0].Components != 2*calls {
			t.Errorf("%d calls, %+v", calls, r)
		}
		if members != corpus.Least*6 { // two verdicts, two rules, two types
			t.Errorf("%d structures are noted beside the total", members)
		}
	})

	_ = fills(func(t *testing.T, s *Store) { flush(t, s, structure(0), structure(1)) })
)

const (
	secretWord    = "zebrafish"
	secretAddress = "203.0.113.77"
)

// TestTheCorpusHoldsNothingOfCallersAndGraphs sends graphs that have a word wherever a caller can put one, and looks for it in
// everything that the databases have written.
func TestTheCorpusHoldsNothingOfCallersAndGraphs(t *testing.T) {
	body := strings.ReplaceAll(`{"name":"ZZ","ZZ":"ZZ","config":{"ZZ":"ZZ"},"components":[{"id":"ZZ1","type":"input","name":"ZZ","params":{"shape":[31337]}},
		{"id":"ZZ2","type":"ZZ","name":"ZZ","params":{"ZZ":"ZZ","n":31337}},{"id":"ZZ3","type":"linear","name":"ZZ","params":{"inFeatures":31337,"outFeatures":31337,"ZZ":1}},
		{"id":"ZZ4","type":"customModule","name":"ZZ","params":{"className":"ZZ"}},{"id":"ZZ5","type":"stickyNote","params":{"text":"ZZ"}}],
		"connections":[{"from":"ZZ1","to":"ZZ2"},{"from":"ZZ2","to":"ZZ3"},{"from":"ZZ1","to":"ZZ9"}]}`, "ZZ", secretWord)
	g, err := graph.Decode([]byte(body), "", graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	row := corpus.Of(action.Examine(g), corpus.Day(day))
	if len(row.Fired) == 0 || len(row.Types) != 5 {
		t.Fatalf("%+v", row)
	}
	path, address := filepath.Join(t.TempDir(), "data.db"), pgtest.New(t)
	for kind, c := range map[string]struct {
		s    *Store
		read func() []byte
	}{
		"sqlite":   {open(t, "sqlite:"+path), func() []byte { return onDisk(t, path) }},
		"postgres": {open(t, address), func() []byte { return pgtest.Dump(t, address) }},
	} {
		ok(t, organisations(t.Context(), c.s, "an-organisation"))
		flush(t, c.s, row)
		secret, err := c.s.Windows().Secret(t.Context())
		ok(t, err)
		caller := netip.MustParseAddr(secretAddress)
		_, err = c.s.Windows().Take(t.Context(), rate.Address(secret, caller), 1, 60, time.Hour, day)
		ok(t, err)
		data := c.read()
		if !bytes.Contains(data, []byte(row.Fingerprint)) || !bytes.Contains(data, []byte("unknown:1")) {
			t.Fatalf("%s: the row is not where it is looked for", kind)
		}
		for _, word := range []string{secretWord, "31337", secretAddress, string(caller.AsSlice()), hex.EncodeToString(caller.AsSlice())} {
			if bytes.Contains(bytes.ToLower(data), []byte(word)) {
				t.Errorf("%s: %s is in the database", kind, word)
			}
		}
		for _, table := range tables {
			if !strings.HasPrefix(table.name, "corpus_") {
				continue
			}
			for _, column := range table.columns {
				if !slices.Contains([]string{"day", "digest", "fingerprint", "edges", "types", "fired", "calls", "kind", "name", "severity", "amount", "structures"}, column.name) {
					t.Errorf("%s.%s is nothing that the corpus may keep", table.name, column.name)
				}
			}
		}
	}
}

// TestTheCorpusComesBackAfterTheDatabaseWasAway stops PostgreSQL under a writer.
func TestTheCorpusComesBackAfterTheDatabaseWasAway(t *testing.T) {
	server := pgtest.Start(t)
	s := open(t, server.Database(t))
	away := make(chan error, 100)
	w := corpus.NewWriter(s.Corpus(), func(err error) {
		select {
		case away <- err:
		default:
		}
	})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- w.Run(ctx) }()
	w.Add(structure(1))
	server.Stop()
	for n := range 30 {
		w.Add(structure(n))
	}
	if err := <-away; !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
	ok(t, server.Start())
	waitFor(t, s)
	stop() // writes what is left
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if r := report(t, s); r.Structures != 30 || r.Rows < 31 {
		t.Errorf("%+v", r)
	}
	if stats := w.Stats(); stats.Added != 31 || stats.Written != 31 || stats.Dropped != 0 || stats.Waiting != 0 || stats.Faults == 0 {
		t.Errorf("%+v", stats)
	}
}

func BenchmarkAppend(b *testing.B) {
	stores(b, func(b *testing.B, s *Store) {
		for _, different := range []int{1, 100, 1000} {
			b.Run(fmt.Sprint(different), func(b *testing.B) {
				n := 0
				for b.Loop() {
					w := corpus.NewWriter(s.Corpus(), nil)
					for i := range 1000 {
						w.Add(structure(n + i%different))
					}
					n += different
					if err := w.Flush(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}
