package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// scope names this package to those who read traces.
const scope = "github.com/modelverifier/verifier/internal/store"

func untraced(error) {}

// follow adds a step to the trace that a context carries, and returns what ends it. Statements are constants of this package, so that
// no value of a caller is in them. Where nothing is traced it does nothing.
func follow(ctx context.Context, k kind, name, query string) (context.Context, func(error)) {
	above := trace.SpanFromContext(ctx)
	if !above.IsRecording() {
		return ctx, untraced
	}
	attributes := []attribute.KeyValue{attribute.String("db.system.name", map[kind]string{sqlite: "sqlite", postgres: "postgresql"}[k])}
	if query != "" {
		attributes = append(attributes, attribute.String("db.query.text", query))
	}
	ctx, span := above.TracerProvider().Tracer(scope).Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
	return ctx, func(err error) {
		if word := kindOf(err); word != "" {
			span.SetStatus(codes.Error, "")
			span.SetAttributes(attribute.String("error.type", word))
		}
		span.End()
	}
}

// kindOf is the word for what failed. What the driver says is for the log alone.
func kindOf(err error) string {
	switch {
	case err == nil, errors.Is(err, sql.ErrNoRows):
		return ""
	case errors.Is(err, ErrUnavailable):
		return "unavailable"
	case errors.Is(err, ErrFull):
		return "full"
	case errors.Is(err, errConflict):
		return "conflict"
	}
	return "refused"
}

// follow adds a statement to the trace. Its name is the first word, as that of many rows would be long.
func (a at) follow(query string) (at, func(error)) {
	word, _, _ := strings.Cut(query, " ")
	var end func(error)
	a.ctx, end = follow(a.ctx, a.kind, word, query)
	return a, end
}
