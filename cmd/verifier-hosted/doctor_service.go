package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/modelverifier/verifier/internal/blob"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/store"
	"github.com/modelverifier/verifier/internal/tracing"
)

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// errNoDatabase is that the embedded database has not been made.
var errNoDatabase = errors.New("there is no database yet")

// look opens the database without making one.
func (d *doctor) look(ctx context.Context) (*store.Store, error) {
	if d.data != "" {
		if _, err := os.Stat(filepath.Join(d.data, "verifier.db")); errors.Is(err, os.ErrNotExist) {
			return nil, errNoDatabase
		}
	}
	return store.Open(ctx, d.database)
}

// skewMost is how far clocks may be apart: limits and sessions of replicas are counted by them.
const skewMost = 2 * time.Second

// examineClock compares our clock with that of the database, and asks whether anything keeps it right.
func examineClock(ctx context.Context, d *doctor) (out []finding) {
	if yes, known := synchronised(); known && !yes {
		out = append(out, warn("run chrony or systemd-timesyncd on this machine", "nothing keeps the clock right, as far as the system knows"))
	} else if known {
		out = append(out, fine("the clock is synchronised"))
	}
	s, err := d.look(ctx)
	if err != nil {
		return out // said under database
	}
	defer func() { _ = s.Close() }()
	facts, err := s.Facts(ctx)
	if err != nil || d.data != "" {
		return out
	}
	if facts.Ahead.Abs() > skewMost {
		return append(out, fail("synchronise the clocks of both machines", "the clock of the database is %v ahead of ours", facts.Ahead.Round(time.Millisecond)))
	}
	return append(out, fine("the clock of the database is %v ahead of ours", facts.Ahead.Round(time.Millisecond)))
}

// examineDatabase asks the database whether it is there, of which schema, and whether it keeps what it acknowledges.
func examineDatabase(ctx context.Context, d *doctor) (out []finding) {
	s, err := d.look(ctx)
	if errors.Is(err, errNoDatabase) {
		return []finding{fine("%s has no database yet: serve makes it", d.data)}
	}
	if err != nil {
		return []finding{fail("start it, or mend --database-url (or --data): host, port, name, password, TLS", "cannot be reached: %v", err)}
	}
	defer func() { _ = s.Close() }()
	began := time.Now()
	facts, err := s.Facts(ctx)
	if err != nil {
		return []finding{fail("see what the database says in its own log", "answers no question: %v", err)}
	}
	out = append(out, fine("%s %s answers in %v and has %d MiB", s.Kind(), facts.Version, time.Since(began).Round(100*time.Microsecond), facts.Bytes>>20))
	if facts.Standby {
		out = append(out, fail("name the primary, or target_session_attrs=read-write in --database-url", "it is a standby, which only reads"))
	}
	if !facts.Durable {
		out = append(out, fail("set fsync = on and synchronous_commit = on (or local, remote_write)", "what it acknowledges may be lost with its machine"))
	}
	if facts.Connections > 0 && facts.Connections < 2*store.Uses {
		out = append(out, warn(fmt.Sprintf("raise max_connections: a replica uses up to %d", store.Uses), "it takes %d connections in all", facts.Connections))
	}
	return append(out, schema(ctx, s)...)
}

func schema(ctx context.Context, s *store.Store) []finding {
	is, needs, err := s.Schema(ctx)
	switch {
	case err != nil:
		return []finding{fail("see what the database says in its own log", "the schema cannot be read: %v", err)}
	case is > needs:
		return []finding{fail("start the newer version of the program", "schema %d is newer than this program, which knows those up to %d", is, needs)}
	case is < needs:
		return []finding{warn("verifier-hosted migrate does it now", "schema %d is older than this program's, %d: serve migrates it when it starts", is, needs)}
	}
	return []finding{fine("schema %d is the one that this program needs", is)}
}

// examineWeights puts an object where weights are kept, reads it and removes it.
func examineWeights(ctx context.Context, d *doctor) []finding {
	where := "--weights-url"
	if !strings.Contains(d.train.weights, "://") {
		if _, err := os.Stat(d.train.weights); errors.Is(err, os.ErrNotExist) {
			return []finding{fine("%s is not there yet: serve makes it", d.train.weights)}
		}
		where = d.train.weights
	}
	var secret, content [32]byte
	_, _ = rand.Read(secret[:]) // never fails since Go 1.24
	_, _ = rand.Read(content[:])
	began := time.Now()
	objects, err := blob.Open(ctx, d.train.weights, blob.Signer{Secret: secret[:], Base: "http://localhost"})
	if err != nil {
		return []finding{fail("see that the bucket is there, and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the region are right", "%v", err)}
	}
	defer func() { _ = objects.Close() }()
	if err := roundTrip(ctx, objects, content[:]); err != nil {
		return []finding{fail("allow reading, writing and removing there (s3:GetObject, PutObject, DeleteObject, ListBucket)", "%s: %v", where, err)}
	}
	return []finding{fine("%s took, gave back and removed an object in %v", where, time.Since(began).Round(time.Millisecond))}
}

func roundTrip(ctx context.Context, objects *blob.Bucket, content []byte) (err error) {
	digest := sha256.Sum256(content)
	key := "doctor/" + hex.EncodeToString(content[:8])
	if _, err := objects.Put(ctx, key, hex.EncodeToString(digest[:]), int64(len(content)), bytes.NewReader(content)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, objects.Delete(ctx, key)) }()
	r, err := objects.Get(ctx, key)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	got, err := io.ReadAll(io.LimitReader(r, int64(len(content))+1))
	if err == nil && !bytes.Equal(got, content) {
		err = errors.New("other bytes came back than were written")
	}
	return err
}

// silentAfter is how long a worker may say nothing before it is missed.
const silentAfter = 10 * time.Minute

// envWorkerToken is where a worker has its token. Where it is set here too, it is looked up.
const envWorkerToken = "VERIFIER_WORKER_TOKEN"

// examineWorkers sees whether workers call, and whether a token is good.
func examineWorkers(ctx context.Context, d *doctor) (out []finding) {
	s, err := d.look(ctx)
	if err != nil {
		return []finding{fine("not looked at: the database cannot be asked")}
	}
	defer func() { _ = s.Close() }()
	service := &jobs.Service{Store: s.Jobs(), Clock: time.Now}
	if token := d.getenv(envWorkerToken); token != "" {
		w, err := service.Worker(ctx, token)
		if err != nil {
			out = append(out, fail("make a new one with worker-add", "the token in %s is not good: %v", envWorkerToken, err))
		} else {
			out = append(out, fine("the token in %s is that of %s", envWorkerToken, w.Name))
		}
	}
	all, err := service.Workers(ctx)
	if err != nil {
		return append(out, warn("migrate first", "the list cannot be read: %v", err))
	}
	heard := 0
	for _, w := range all {
		switch {
		case !w.RevokedAt.IsZero() || w.Job != "":
		case w.Seen.IsZero() || time.Since(w.Seen) > silentAfter:
			out = append(out, warn("start it, or end its token with worker-revoke", "%s has not called for %v", w.Name, silence(w)))
		default:
			heard++
		}
	}
	return append(out, fine("%d of the operator's workers call", heard))
}

func silence(w jobs.Worker) time.Duration {
	since := w.Seen
	if since.IsZero() {
		since = w.CreatedAt
	}
	return time.Since(since).Round(time.Minute)
}

// examineSignIn asks the provider of identities for its addresses.
func examineSignIn(ctx context.Context, d *doctor) []finding {
	p := d.hosted.Provider
	if p == nil {
		return []finding{fine("people have passwords; no --oidc-issuer is set")}
	}
	if _, err := oidc.NewProvider(ctx, p.Issuer); err != nil {
		return []finding{fail("mend --oidc-issuer: its /.well-known/openid-configuration must be reachable and name the same issuer", "the provider of identities does not answer")}
	}
	return []finding{fine("the provider of identities answers")}
}

// examineTraces reads OpenTelemetry's variables.
func examineTraces(_ context.Context, d *doctor) []finding {
	on, err := tracing.On(d.getenv)
	switch {
	case err != nil:
		return []finding{fail("see docs/observability.md for the variables", "%v", err)}
	case on:
		return []finding{fine("spans are sent to the collector that OpenTelemetry's variables name")}
	}
	return []finding{fine("off: no OTEL_EXPORTER_OTLP_ENDPOINT is set")}
}
