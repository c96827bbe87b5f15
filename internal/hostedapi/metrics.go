package hostedapi

import (
	"sync/atomic"
	"time"

	"github.com/modelverifier/verifier/internal/httpapi"
)

type counter = atomic.Int64

// counts are since the start.
type counts struct {
	unauthorised, limitedKeys, limitedAddresses, storeFaults counter
	providerFaults, refusedBlocks                            counter
	logged                                                   counter // when a fault was last logged, in seconds
}

// fault counts what failed below us and logs it, once a second at the most: a store that is away fails every call. The error
// is a driver's, which names no value of a statement.
func (s *Server) fault(what string, err error) {
	s.counts.storeFaults.Add(1)
	now := time.Now().Unix()
	if last := s.counts.logged.Load(); last != now && s.counts.logged.CompareAndSwap(last, now) {
		s.config.Log.Error("fault", "of", what, "error", err.Error())
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
	rows := s.corpus.Stats()
	e.Family("verifier_corpus_rows_total", "counter", "Rows of the corpus, by what became of them.")
	e.Sample("verifier_corpus_rows_total", float64(rows.Added), "state", "added")
	e.Sample("verifier_corpus_rows_total", float64(rows.Dropped), "state", "dropped")
	e.Sample("verifier_corpus_rows_total", float64(rows.Written), "state", "written")
	one("verifier_corpus_waiting", "gauge", "Different rows of the corpus that are not written yet.", rows.Waiting)
}
