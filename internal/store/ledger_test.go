package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/ledger"
)

// organisations adds some.
func organisations(ctx context.Context, s *Store, ids ...string) error {
	return s.Accounts().Write(ctx, func(tx account.Tx) error {
		var err error
		for _, id := range ids {
			err = errors.Join(err, tx.PutOrganisation(account.Organisation{ID: id, Name: id}))
		}
		return err
	})
}

func outcome(fingerprint string, at time.Time, value float64) ledger.Outcome {
	return ledger.Outcome{Fingerprint: fingerprint, Row: ledger.Row{At: at, Metric: "val_acc", Value: value, Epochs: new(int64(3)), WallSec: new(12.5), EstCostUSD: new(0.25), Source: "api"}}
}

var (
	_ = exercise("outcomes are kept once, listed newest first, at most twenty, and to their organisation only", func(t *testing.T, s *Store) {
		ok(t, organisations(t.Context(), s, "a", "b"))
		l := ledger.Ledger{Store: s.Outcomes()}
		write := func(org string, o ledger.Outcome, want string) {
			t.Helper()
			if got, err := l.Write(t.Context(), org, o); err != nil || got != want {
				t.Errorf("%s, %v, want %s", got, err, want)
			}
		}
		for i := range 25 {
			write("a", outcome("0000000a", day.Add(time.Duration(i)*time.Second), 1/float64(i+3)), ledger.Written)
		}
		write("a", outcome("0000000a", day, 1/3.0), ledger.Already)
		write("b", outcome("0000000a", day, 1/3.0), ledger.Written)
		write("a", outcome("0000000b", day, 1/3.0), ledger.Written)
		undated := outcome("0000000c", day, 0.5)
		undated.Undated = true
		write("a", undated, ledger.Written)
		undated.Row.At = day.Add(time.Hour)
		write("a", undated, ledger.Already)

		rows, err := l.List(t.Context(), "a", "0000000a")
		if err != nil || len(rows) != ledger.Most {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for i, r := range rows {
			if want := outcome("", day.Add(time.Duration(24-i)*time.Second), 1/float64(24-i+3)).Row; !reflect.DeepEqual(r, want) {
				t.Errorf("row %d is %+v, want %+v", i, r, want)
			}
		}
		for _, c := range []struct {
			org, fingerprint string
			n                int
		}{{"b", "0000000a", 1}, {"b", "0000000b", 0}, {"c", "0000000a", 0}, {"a", "0000000d", 0}} {
			if rows, err := l.List(t.Context(), c.org, c.fingerprint); err != nil || len(rows) != c.n || rows == nil {
				t.Errorf("%s %s: %v, %v, want %d rows", c.org, c.fingerprint, rows, err, c.n)
			}
		}
	})
	_ = exercise("numbers of outcomes come back to the last bit", func(t *testing.T, s *Store) {
		ok(t, organisations(t.Context(), s, "a"))
		l := ledger.Ledger{Store: s.Outcomes()}
		values := []float64{0, 1, -1, 0.1, math.Pi, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53, 1e22}
		for i, v := range values {
			_, err := l.Write(t.Context(), "a", outcome("0000000a", day.Add(-time.Duration(i)*time.Second), v))
			ok(t, err)
		}
		rows, err := l.List(t.Context(), "a", "0000000a")
		ok(t, err)
		for i, r := range rows {
			if r.Value != values[i] {
				t.Errorf("%v came back as %v", values[i], r.Value)
			}
		}
	})
	_ = exercise("what was left out of an outcome stays absent, and a zero stays one", func(t *testing.T, s *Store) {
		ok(t, organisations(t.Context(), s, "a"))
		l := ledger.Ledger{Store: s.Outcomes()}
		bare := ledger.Row{At: day, Metric: "m", Value: 1}
		zero := bare
		zero.At, zero.Epochs, zero.WallSec, zero.EstCostUSD = day.Add(time.Second), new(int64(0)), new(0.0), new(0.0)
		for _, row := range []ledger.Row{bare, zero} {
			if what, err := l.Write(t.Context(), "a", ledger.Outcome{Fingerprint: "0000000a", Row: row}); err != nil || what != ledger.Written {
				t.Errorf("%s, %v", what, err)
			}
		}
		rows, err := l.List(t.Context(), "a", "0000000a")
		if err != nil || !reflect.DeepEqual(rows, []ledger.Row{zero, bare}) {
			t.Errorf("%+v, %v", rows, err)
		}
	})
	_ = exercise("an outcome that many send at the same time is written by one of them", func(t *testing.T, s *Store) {
		ok(t, organisations(t.Context(), s, "a"))
		l := ledger.Ledger{Store: s.Outcomes()}
		const callers = 8
		said := make(chan string)
		for range callers {
			go func() {
				word, err := l.Write(t.Context(), "a", outcome("0000000a", day, 1))
				said <- fmt.Sprint(word, err)
			}()
		}
		var all []string
		for range callers {
			all = append(all, <-said)
		}
		slices.Sort(all)
		if all[0] != "already<nil>" || all[callers-2] != "already<nil>" || all[callers-1] != "written<nil>" {
			t.Errorf("%q", all)
		}
	})

	_ = fills(func(t *testing.T, s *Store) {
		_, err := ledger.Ledger{Store: s.Outcomes()}.Write(t.Context(), "o1", outcome("0000000a", day, 1/3.0))
		ok(t, err)
		_, err = ledger.Ledger{Store: s.Outcomes()}.Write(t.Context(), "o1", ledger.Outcome{Fingerprint: "0000000a", Row: ledger.Row{At: day, Metric: "m"}})
		ok(t, err)
	})
	_ = survives("outcome", func(ctx context.Context, s *Store, n int) error {
		if err := organisations(ctx, s, "outcomes"); err != nil {
			return err
		}
		_, err := ledger.Ledger{Store: s.Outcomes()}.Write(ctx, "outcomes", outcome(fmt.Sprintf("%08x", n), day, float64(n)))
		return err
	}, func(ctx context.Context, s *Store, n int) error {
		rows, err := ledger.Ledger{Store: s.Outcomes()}.List(ctx, "outcomes", fmt.Sprintf("%08x", n))
		if err == nil && len(rows) != 1 {
			err = errors.New(strconv.Itoa(len(rows)) + " rows")
		}
		return err
	})
)
