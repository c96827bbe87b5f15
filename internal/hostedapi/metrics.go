package hostedapi

import (
	"database/sql"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/store"
)

type counter = atomic.Int64

// counts are since the start.
type counts struct {
	unauthorised, limitedKeys, limitedAddresses, storeFaults counter
	providerFaults, refusedBlocks                            counter
	logged                                                   counter // when a fault was last logged, in seconds
}

// fault counts what failed below us and logs it, once a second at the most: a store that is away fails every call. The error
// is a driver's, which names no value of a statement. more are fields of the line, such as the id of the request.
func (s *Server) fault(what string, err error, more ...any) {
	s.counts.storeFaults.Add(1)
	now := time.Now().Unix()
	if last := s.counts.logged.Load(); last != now && s.counts.logged.CompareAndSwap(last, now) {
		s.config.Log.Error("fault", append([]any{"of", what, "error", err.Error()}, more...)...)
	}
}

// metrics adds what only this edition counts.
func (s *Server) metrics(e *httpapi.Exposition) {
	one := func(name, kind, help string, n int64) {
		e.Family(name, kind, help)
		e.Sample(name, float64(n))
	}
	one("verifier_unauthorized_total", "counter", "Calls whose key was missing, wrong or revoked.", s.counts.unauthorised.Load())
	e.Family("verifier_limited_total", "counter", "Calls beyond a limit.")
	e.Sample("verifier_limited_total", float64(s.counts.limitedAddresses.Load()), "limit", "address")
	e.Sample("verifier_limited_total", float64(s.counts.limitedKeys.Load()), "limit", "key")
	one("verifier_store_faults_total", "counter", "Times the database failed.", s.counts.storeFaults.Load())
	one("verifier_provider_faults_total", "counter", "Times the language-model provider gave no answer.", s.counts.providerFaults.Load())
	one("verifier_provider_refused_total", "counter", "Answers of the language-model provider whose blocks failed validation.", s.counts.refusedBlocks.Load())
	s.storeMetrics(e)
	rows := s.corpus.Stats()
	e.Family("verifier_corpus_rows_total", "counter", "Rows of the corpus, by what became of them.")
	e.Sample("verifier_corpus_rows_total", float64(rows.Added), "state", "added")
	e.Sample("verifier_corpus_rows_total", float64(rows.Dropped), "state", "dropped")
	e.Sample("verifier_corpus_rows_total", float64(rows.Written), "state", "written")
	one("verifier_corpus_waiting", "gauge", "Different rows of the corpus that are not written yet.", rows.Waiting)
}

// storeMetrics adds what the calls of the database came to.
func (s *Server) storeMetrics(e *httpapi.Exposition) {
	stats := s.store.Stats()
	e.Family("verifier_store_calls_total", "counter", "Calls of the database, by how they ended.")
	for _, word := range store.Results {
		e.Sample("verifier_store_calls_total", float64(stats.Calls[word]), "result", word)
	}
	e.Family("verifier_store_call_duration_seconds", "histogram", "Time of a call of the database, with waiting for a connection and trying again.")
	e.Histogram("verifier_store_call_duration_seconds", store.CallBounds[:], stats.Buckets[:], stats.Total)
	pools := slices.Sorted(maps.Keys(stats.Pools))
	each := func(name, kind, help string, value func(sql.DBStats) float64) {
		e.Family(name, kind, help)
		for _, pool := range pools {
			e.Sample(name, value(stats.Pools[pool]), "pool", pool)
		}
	}
	each("verifier_store_connections", "gauge", "Open connections to the database.", func(p sql.DBStats) float64 { return float64(p.OpenConnections) })
	each("verifier_store_connections_in_use", "gauge", "Those that a call has.", func(p sql.DBStats) float64 { return float64(p.InUse) })
	each("verifier_store_connections_limit", "gauge", "The most that are opened.", func(p sql.DBStats) float64 { return float64(p.MaxOpenConnections) })
	each("verifier_store_connection_waits_total", "counter", "Calls that waited for a connection.", func(p sql.DBStats) float64 { return float64(p.WaitCount) })
	each("verifier_store_connection_wait_seconds_total", "counter", "Time that they waited.", func(p sql.DBStats) float64 { return p.WaitDuration.Seconds() })
}
