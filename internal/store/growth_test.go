package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// grown is how large a database is made.
type grown struct{ orgs, outcomes, lines, structures, plans, jobs int64 }

// fullSize is the size at which the service is measured (docs/scale.md): what a busy one has behind some years.
var fullSize = grown{orgs: 10_000, outcomes: 1_000_000, lines: 10_000_000, structures: 2_000_000, plans: 100_000, jobs: 100_000}

func (g grown) scaled(by float64) grown {
	n := func(of int64) int64 { return max(1, int64(float64(of)*by)) }
	return grown{n(g.orgs), n(g.outcomes), n(g.lines), n(g.structures), n(g.plans), n(g.jobs)}
}

// firstDay is that of the oldest line, days how many there are.
const firstDay, days = 20_000, 730

// words are what the two databases have different ones for. Both make their rows themselves, from the numbers of a series.
type words struct {
	series      func(from, to int64) string
	id, digest  func(number string) string // 26 characters, in the order of the numbers; 16 bytes
	fingerprint func(number string) string
	bytes       func(number string, count int) string
	none        string // no bytes
}

var dialects = map[kind]words{
	postgres: {
		series: func(from, to int64) string {
			return fmt.Sprintf("generate_series(%d::bigint, %d::bigint) AS n(i)", from, to)
		},
		id:          func(n string) string { return "lpad((" + n + ")::text, 26, 'a')" },
		digest:      func(n string) string { return "decode(md5((" + n + ")::text), 'hex')" },
		fingerprint: func(n string) string { return "md5((" + n + ")::text)" },
		bytes: func(n string, count int) string {
			return fmt.Sprintf("convert_to(repeat(md5((%s)::text), %d), 'UTF8')", n, count/32)
		},
		none: "''::bytea",
	},
	sqlite: {
		series: func(from, to int64) string {
			return fmt.Sprintf("(WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i FROM n)", from, to)
		},
		id:     func(n string) string { return "printf('%026d', " + n + ")" },
		digest: func(string) string { return "randomblob(16)" },
		fingerprint: func(n string) string {
			return "printf('%08x%024x', ((" + n + ") * 2654435761) % 4294967296, " + n + ")"
		},
		bytes: func(_ string, count int) string { return fmt.Sprintf("randomblob(%d)", count) },
		none:  "x''",
	},
}

// sowing is how a table is filled: so many rows, whose columns are made from the number i. What is not named is empty or zero.
type sowing struct {
	table   string
	count   int64
	columns map[string]string
}

func (g grown) sowings(w words) []sowing {
	org := w.id(fmt.Sprintf("i %% %d", g.orgs))
	each := func(number string) map[string]string { return map[string]string{"id": w.id(number)} }
	with := func(columns map[string]string, more ...string) map[string]string {
		for i := 0; i < len(more); i += 2 {
			columns[more[i]] = more[i+1]
		}
		return columns
	}
	day := fmt.Sprintf("%d + (i * %d) / %d", firstDay, days, g.lines)
	structure := w.fingerprint(fmt.Sprintf("(i * 7919) %% %d", g.structures))
	seconds := fmt.Sprint(firstDay * 86400)
	return []sowing{
		{"organisation", g.orgs, with(each("i"), "name", "'Organisation'", "created_at", seconds)},
		{"person", g.orgs, with(each("i"), "email", w.id("i"), "name", "'Somebody'", "password", w.fingerprint("i"))},
		{"membership", g.orgs, map[string]string{"org": w.id("i"), "person": w.id("i"), "role": "'owner'"}},
		{"session", g.orgs, map[string]string{"hash": w.digest("i"), "person": w.id("i"), "expires_at": "4000000000 + i"}},
		{"token", g.orgs, with(each("i"), "hash", w.digest("i"), "kind", "'invite'", "org", org, "person", w.id("i"), "created_by", w.id("i"), "expires_at", "4000000000 + i")},
		{"api_key", 2 * g.orgs, with(each("i"), "org", org, "name", "'ci'", "hash", w.digest("i"))},
		{"event", 20 * g.orgs, with(each("i"), "at", "i", "org", org, "person", org, "action", "'create-key'")},
		{"outcome", g.outcomes, map[string]string{"org": org, "fingerprint": w.fingerprint(fmt.Sprintf("(i / %d) %% 50", g.orgs)), "digest": w.digest("i"),
			"at": seconds + " + i", "metric": "'val_acc'", "value": "0.9", "epochs": "10", "source": "'api'"}},
		{"corpus_line", g.lines, map[string]string{"day": day, "digest": w.digest("i"), "fingerprint": structure, "edges": "40 + i % 200",
			"types": "'batchNorm2d:20 conv2d:20 input:1 linear:1 output:1 relu:17'", "fired": "CASE WHEN i % 3 = 0 THEN 'dead-end:warn' ELSE '' END", "calls": "1 + i % 7"}},
		{"corpus_group", 460, map[string]string{"kind": "CASE WHEN i = 0 THEN 'total' WHEN i < 4 THEN 'verdict' WHEN i < 204 THEN 'rule' ELSE 'type' END",
			"name": "CASE WHEN i = 0 THEN '' ELSE " + w.id("i") + " END", "amount": fmt.Sprint(g.lines), "structures": fmt.Sprintf("CASE WHEN i = 0 THEN %d ELSE 5 END", g.structures)}},
		{"corpus_member", g.structures, map[string]string{"kind": "'total'", "fingerprint": w.fingerprint("i")}},
		{"shared_plan", g.plans, with(each("i"), "org", "CASE WHEN i % 4 = 0 THEN '' ELSE "+org+" END", "created_at", seconds+" + i", "request", w.bytes("i", 2048),
			"removal", w.digest("i"), "expires_at", "CASE WHEN i % 4 = 0 THEN 4000000000 + i ELSE 0 END")},
		{"share_room", g.orgs, map[string]string{"org": w.id("i"), "bytes": "20480"}},
		{"rate_window", 2 * g.orgs, map[string]string{"bucket": w.id("i"), "began": "0", "ends": "4000000000000 + i"}},
		{"job", g.jobs, with(each("i"), "org", org, "status", "'completed'", "mode", "'cpu'", "backend", "'workers'", "dataset", "'mnist'", "fingerprint", w.fingerprint("i % 50"),
			"created_at", "i * 1000000", "completed_at", "i * 1000000 + 1", "epochs", "5")},
		{"job_epoch", 5 * g.jobs, map[string]string{"job": w.id("i / 5"), "epoch": "i % 5"}},
		{"job_limits", g.orgs / 10, map[string]string{"org": w.id("i")}},
		{"agent_use", g.orgs / 10, map[string]string{"org": w.id("i")}},
		{"worker", max(1, g.orgs/100), with(each("i"), "name", w.id("i"), "hash", w.digest("i"), "backend", "'workers'", "offer", "'{}'")},
	}
}

// sowTogether is how many rows one transaction adds.
const sowTogether = 250_000

// sow fills an empty store.
func (g grown) sow(ctx context.Context, s *Store) error {
	w := dialects[s.kind]
	for _, f := range g.sowings(w) {
		at := slices.IndexFunc(tables, func(t table) bool { return t.name == f.table })
		if at < 0 {
			return fmt.Errorf("there is no table %s", f.table)
		}
		empty := map[string]string{asText: "''", asInteger: "0", asReal: "0", asBytes: w.none, maybeInteger: "NULL", maybeReal: "NULL"}
		var values []string
		for _, c := range tables[at].columns {
			values = append(values, cmp.Or(f.columns[c.name], empty[c.holds]))
		}
		for from := int64(0); from < f.count; from += sowTogether {
			statement := "INSERT INTO " + f.table + " (" + tables[at].names() + ") SELECT " + strings.Join(values, ", ") + " FROM " + w.series(from, min(from+sowTogether, f.count)-1)
			if _, err := s.long(s.write).ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", f.table, err)
			}
		}
	}
	_, err := s.long(s.write).ExecContext(ctx, "ANALYZE")
	return err
}

// TestTheGeneratorFillsEveryTable holds that growth means all tables: one that is added later must be sown too.
func TestTheGeneratorFillsEveryTable(t *testing.T) {
	if testing.Short() {
		t.Skip("has one goroutine, and takes seconds")
	}
	both(t, func(t *testing.T, s *Store) {
		if err := fullSize.scaled(1e-3).sow(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		for _, table := range tables {
			var n int64
			if err := s.read.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table.name).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n == 0 && table.name != "job_model" && table.name != "rate_secret" { // a model goes with its job; the secrets are two
				t.Errorf("%s is empty", table.name)
			}
		}
		groups, since, err := s.Corpus().Groups(t.Context())
		if err != nil || len(groups) != 460 || since != firstDay {
			t.Errorf("%d groups since %d: %v", len(groups), since, err)
		}
	})
}

// quantiles are the middle and the slowest of a hundred times that something took.
type quantiles struct{ p50, p99 time.Duration }

func measure(times int, f func(i int) error) (quantiles, error) {
	took := make([]time.Duration, times)
	for i := range took {
		began := time.Now()
		if err := f(i); err != nil {
			return quantiles{}, err
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return quantiles{took[times/2], took[times*99/100]}, nil
}

func (q quantiles) String() string {
	return fmt.Sprintf("p50 %v, p99 %v", q.p50.Round(10*time.Microsecond), q.p99.Round(10*time.Microsecond))
}

// busy runs a statement on the patient pool and returns how long it took.
func busy(t *testing.T, db *sql.DB, statement string) time.Duration {
	t.Helper()
	began := time.Now()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return time.Since(began)
}
