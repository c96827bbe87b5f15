// Package tracing follows requests through the service and sends what it saw to an OpenTelemetry collector, over OTLP and HTTP, where
// the operator names one.
//
// It is configured by OpenTelemetry's own environment variables and by nothing else, and does nothing without an endpoint. Spans have
// names, numbers and words of our own: no path, query, header or address of a caller.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/modelverifier/verifier/internal/httpapi"
)

// The variables that decide whether anything is sent. The others are read by OpenTelemetry's library itself.
const (
	envDisabled       = "OTEL_SDK_DISABLED"
	envExporter       = "OTEL_TRACES_EXPORTER"
	envEndpoint       = "OTEL_EXPORTER_OTLP_ENDPOINT"
	envTracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	envProtocol       = "OTEL_EXPORTER_OTLP_PROTOCOL"
	envTracesProtocol = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
	envService        = "OTEL_SERVICE_NAME"
	envAttributes     = "OTEL_RESOURCE_ATTRIBUTES"
)

// protocol is the one that is spoken.
const protocol = "http/protobuf"

// scope names this package to those who read traces.
const scope = "github.com/modelverifier/verifier/internal/tracing"

// On says whether the variables ask for traces. What they ask for and this program does not have is an error, so that nobody waits for
// traces that never come.
func On(getenv func(string) string) (bool, error) {
	if strings.EqualFold(getenv(envDisabled), "true") {
		return false, nil
	}
	exporter := getenv(envExporter)
	if getenv(envEndpoint) == "" && getenv(envTracesEndpoint) == "" || exporter == "none" {
		return false, nil
	}
	if exporter != "" && exporter != "otlp" {
		return false, fmt.Errorf("%s is %q, but only otlp and none are there", envExporter, exporter)
	}
	for _, name := range []string{envTracesProtocol, envProtocol} {
		if p := getenv(name); p != "" && p != protocol {
			return false, fmt.Errorf("%s is %q, but only %s is spoken", name, p, protocol)
		}
	}
	return true, nil
}

// Tracer follows requests.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// Start begins to send traces to where the environment says, or returns nil where it says nothing. failed is told about what could not
// be sent.
func Start(ctx context.Context, getenv func(string) string, service, version string, failed func(error)) (*Tracer, error) {
	on, err := On(getenv)
	if err != nil || !on {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	named := resource.NewSchemaless(attribute.String("service.version", version))
	if getenv(envService) == "" && !strings.Contains(getenv(envAttributes), "service.name=") {
		named = resource.NewSchemaless(attribute.String("service.name", service), attribute.String("service.version", version))
	}
	about, err := resource.Merge(resource.Default(), named)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("tracing: %w", err), exporter.Shutdown(ctx))
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) { failed(ErrSend) }))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	return &Tracer{provider: provider, tracer: provider.Tracer(scope, trace.WithInstrumentationVersion(version))}, nil
}

// ErrSend is all that is said about spans that could not be sent: the error of the network would name addresses.
var ErrSend = errors.New("tracing: the collector did not take the spans")

// Close sends what is left.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return ErrSend
	}
	return nil
}

// above reads the trace that a proxy began: traceparent, of which nothing but two numbers and a flag is taken. Baggage is not.
var above = propagation.TraceContext{}

// Begin follows a request. Where the one who sent it is believed, it is a part of the trace that it names.
func (t *Tracer) Begin(r *http.Request, id string, believed bool) (*http.Request, httpapi.Span) {
	ctx := r.Context()
	if believed {
		ctx = above.Extract(ctx, propagation.HeaderCarrier(r.Header))
	}
	ctx, span := t.tracer.Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attribute.String("verifier.request.id", id)))
	return r.WithContext(ctx), &request{span, ctx, t.tracer}
}

// request is one that is followed.
type request struct {
	span   trace.Span
	ctx    context.Context // of the request, for its parts
	tracer trace.Tracer
}

// Part begins a step.
func (r *request) Part(name string) func() {
	_, part := r.tracer.Start(r.ctx, name)
	return func() { part.End() }
}

// Sampled is the id of the trace, if it is kept.
func (r *request) Sampled() string {
	if c := r.span.SpanContext(); c.IsSampled() {
		return c.TraceID().String()
	}
	return ""
}

// End notes what was answered. As OpenTelemetry has it, a refusal of the caller's fault is no error of the server.
func (r *request) End(method, route string, status int) {
	r.span.SetName(method + " " + route)
	r.span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route), attribute.Int("http.response.status_code", status))
	if status >= http.StatusInternalServerError {
		r.span.SetStatus(codes.Error, "")
	}
	r.span.End()
}
