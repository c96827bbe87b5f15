package store

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// small are tables that do not grow with callers: reading all of one is no matter.
var small = map[string]string{
	"corpus_group": "one row for each verdict, rule and type: some hundreds",
	"rate_secret":  "two rows",
	"worker":       "one row for each machine of the operator, and for each job that runs",
}

// wholly are statements that read all of a table on purpose, each with the reason. None of them answers a caller.
var wholly = map[string]string{
	"SELECT COUNT(*) FROM (SELECT 1 AS one": "restoring sees that the database is empty, and stops at the first row",
	"DELETE FROM token WHERE expires_at <=": "once an hour; links last a day or a week, so that there are few",
	"DELETE FROM token WHERE kind =":        "the operator makes a link for the first account; links are few",
	"FROM organisation WHERE id =":          "an operator names an organisation by id or by name, on the command line",
}

// ofTests are statements that only tests run.
var ofTests = []string{"SELECT COUNT(*) FROM corpus_line", "SELECT COUNT(*) FROM corpus_member WHERE kind <> ?", "SELECT COUNT(*) FROM rate_window", "SELECT SUM(calls) FROM corpus_line",
	"SELECT day, fingerprint, edges, types, fired, calls FROM corpus_line ORDER BY day, calls"}

// excused says why a statement may read everything.
func excused(query string) bool {
	for _, t := range tables {
		if query == "SELECT "+t.names()+" FROM "+t.name { // backup
			return true
		}
	}
	if slices.Contains(ofTests, query) {
		return true
	}
	for part := range wholly {
		if strings.Contains(query, part) {
			return true
		}
	}
	return false
}

// isGrown says whether a table grows with callers.
func isGrown(name string) bool {
	return small[name] == "" && slices.ContainsFunc(tables, func(t table) bool { return t.name == name })
}

// node is a step of PostgreSQL's plan.
type node struct {
	Kind     string `json:"Node Type"`
	Relation string `json:"Relation Name"`
	Index    string `json:"Index Name"`
	Cond     string `json:"Index Cond"`
	Plans    []node
}

// readsAll says which grown table a plan reads from one end to the other. A scan of a whole index below a limit ends early.
func (n node) readsAll(limited bool) string {
	limited = limited || n.Kind == "Limit"
	if n.Kind == "Seq Scan" && isGrown(n.Relation) {
		return n.Relation
	}
	if strings.HasPrefix(n.Kind, "Index") && n.Cond == "" && !limited && isGrown(n.Relation) || n.Kind == "Bitmap Index Scan" && n.Cond == "" {
		return n.Relation + " by " + n.Index
	}
	for _, below := range n.Plans {
		if found := below.readsAll(limited); found != "" {
			return found
		}
	}
	return ""
}

var parameter = regexp.MustCompile(`\$(\d+)`)

// explain asks PostgreSQL for the plan of a statement whatever its values are, where it uses an index wherever one helps.
func explain(t *testing.T, s *Store, i int, query string) (node, error) {
	t.Helper()
	c, err := s.long(s.write).Conn(t.Context())
	if err != nil {
		return node{}, err
	}
	defer c.Close()
	most := 0
	for _, m := range parameter.FindAllStringSubmatch(query, -1) {
		n, _ := strconv.Atoi(m[1])
		most = max(most, n)
	}
	call := fmt.Sprintf("looked%d", i)
	if most > 0 {
		call += "(" + strings.TrimSuffix(strings.Repeat("NULL, ", most), ", ") + ")"
	}
	for _, statement := range []string{"SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off", fmt.Sprintf("PREPARE looked%d AS %s", i, query)} {
		if _, err := c.ExecContext(t.Context(), statement); err != nil {
			return node{}, err
		}
	}
	var text string
	if err := c.QueryRowContext(t.Context(), "EXPLAIN (FORMAT JSON) EXECUTE "+call).Scan(&text); err != nil {
		return node{}, err
	}
	var plans []struct{ Plan node }
	err = json.Unmarshal([]byte(text), &plans)
	return plans[0].Plan, err
}

// alias is another name of a table in a statement, by which SQLite calls it.
var alias = regexp.MustCompile(`(?:FROM|JOIN) (\w+) (\w+)`)

// fullScan is how SQLite says that it reads a table from one end to the other.
var fullScan = regexp.MustCompile(`^SCAN (\w+)`)

// explainSQLite returns which grown table SQLite would read wholly.
func explainSQLite(t *testing.T, s *Store, query string) (string, error) {
	t.Helper()
	rows, err := s.write.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, slices.Repeat([]any{nil}, strings.Count(query, "?"))...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	limited := strings.Contains(query, "LIMIT") || strings.Contains(query, "SELECT MIN(") // both stop at the first rows of an index
	named := map[string]string{}
	for _, m := range alias.FindAllStringSubmatch(query, -1) {
		named[m[2]] = m[1]
	}
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			return "", err
		}
		m := fullScan.FindStringSubmatch(detail)
		if m != nil && (isGrown(m[1]) || isGrown(named[m[1]])) && !(limited && strings.Contains(detail, "USING")) {
			return m[1] + ": " + detail, rows.Err()
		}
	}
	return "", rows.Err()
}

// lookAtPlans explains every statement that the store has run, on databases with rows in them.
func lookAtPlans(t *testing.T, ran []string) {
	t.Helper()
	size := fullSize.scaled(2e-3)
	pg := open(t, pgtest.New(t))
	lite := open(t, "sqlite:"+t.TempDir()+"/data.db")
	for _, s := range []*Store{pg, lite} {
		if err := size.sow(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	looked := 0
	for i, query := range ran {
		first, _, _ := strings.Cut(query, " ")
		if excused(query) || !slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE"}, first) {
			continue
		}
		plan, err := explain(t, pg, i, numbered(query))
		if err != nil {
			t.Errorf("PostgreSQL cannot plan it: %v: %s", err, query)
			continue
		}
		if what := plan.readsAll(false); what != "" {
			t.Errorf("PostgreSQL reads all of %s: %s", what, query)
		}
		what, err := explainSQLite(t, lite, query)
		if err != nil && !strings.Contains(query, "disk_reserve") { // a table of PostgreSQL alone
			t.Errorf("SQLite cannot plan it: %v: %s", err, query)
		}
		if what != "" {
			t.Errorf("SQLite reads all of %s: %s", what, query)
		}
		looked++
	}
	if looked < 60 {
		t.Errorf("only %d statements were looked at", looked)
	}
	blind(t, pg, lite)
}

// blind has the judge look at statements that do read everything, and sees that it says so.
func blind(t *testing.T, pg, lite *Store) {
	t.Helper()
	for i, query := range []string{"SELECT org FROM outcome WHERE metric = ?", "DELETE FROM corpus_line WHERE calls = ?", "SELECT COUNT(*) FROM shared_plan", "SELECT o.value FROM organisation g JOIN outcome o ON o.source = g.name WHERE g.id = ?"} {
		plan, err := explain(t, pg, 1000+i, numbered(query))
		if err != nil || plan.readsAll(false) == "" {
			t.Errorf("the judge takes it for a small step on PostgreSQL: %s %v", query, err)
		}
		if what, err := explainSQLite(t, lite, query); err != nil || what == "" {
			t.Errorf("the judge takes it for a small step on SQLite: %s %v", query, err)
		}
	}
}
