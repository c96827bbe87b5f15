package store

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// TestAReplicaWhoseClockIsOffReadsTheServers: and goes on without it where the server is away.
func TestAReplicaWhoseClockIsOffReadsTheServers(t *testing.T) {
	off := func() time.Time { return time.Now().Add(25 * time.Hour) }
	s := open(t, pgtest.New(t))
	clock := s.Clock(t.Context(), off)
	first := clock()
	if d := time.Since(first).Abs(); d > time.Second { // both are on this machine
		t.Errorf("the clock is %v off", d)
	}
	ok(t, s.Close())
	time.Sleep(time.Millisecond)
	if next := clock(); !next.After(first) || next.Sub(first) > time.Minute {
		t.Errorf("behind %v comes %v", first, next)
	}
	if d := time.Until(s.Clock(t.Context(), off)()); d < 24*time.Hour {
		t.Errorf("a server that was never reached has a clock: it is %v off", d)
	}
}

func TestTheEmbeddedDatabaseHasNoClock(t *testing.T) {
	fixed := time.Unix(1, 0)
	s := open(t, "sqlite:"+filepath.Join(t.TempDir(), "data.db"))
	if got := s.Clock(t.Context(), func() time.Time { return fixed })(); !got.Equal(fixed) {
		t.Errorf("the clock says %v", got)
	}
}
