package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/modelverifier/verifier/internal/tracing"
)

// tracesMost is how long the last spans may take when the service stops.
const tracesMost = 5 * time.Second

// traces follows requests where OpenTelemetry's variables name a collector; nil where they do not. One that is away is told once a
// minute.
func (p *program) traces(ctx context.Context) (*tracing.Tracer, error) {
	var told atomic.Int64
	t, err := tracing.Start(ctx, p.getenv, "verifier-hosted", version, func(err error) {
		now := time.Now().Unix() / 60
		if last := told.Load(); last != now && told.CompareAndSwap(last, now) {
			p.log.Warn("traces", "error", err.Error())
		}
	})
	if err != nil {
		return nil, usageError{err}
	}
	return t, nil
}

// endTraces sends what is left of them.
func endTraces(ctx context.Context, t *tracing.Tracer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tracesMost)
	defer cancel()
	return t.Close(ctx)
}
