package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/tracing"
)

// tracesMost is how long the last spans may take when the service stops.
const tracesMost = 5 * time.Second

// traces has requests followed where OpenTelemetry's variables name a collector, and returns what sends the last spans. A collector that
// is away is told once a minute.
func (p *program) traces(ctx context.Context, h *hostedapi.Config) (end func(), err error) {
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
	if t != nil {
		h.Trace = t.Begin
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tracesMost)
		defer cancel()
		if err := t.Close(ctx); err != nil { // the service itself has stopped well
			p.log.Warn("traces", "error", err.Error())
		}
	}, nil
}
