// Package action is what the actions have in common: how a request is read, what a model is examined for, and which status an
// error has. Each action is a package below it, with Request and Result as the bodies on the wire.
//
// It must not know about surfaces: a status is a number that those over HTTP use and the others ignore.
package action

import (
	"errors"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/quantity"
)

// The codes of a request that can be read and not be served; those of the reader are in package graph. They are part of the
// HTTP contract and do not change.
const (
	CodeShape  = "malformed-shape"
	CodeValue  = policy.CodeValue // unknown-value
	CodeRange  = "out-of-range"
	CodeForm   = "malformed-value"
	CodeSameID = "duplicate-id"
	CodeAnswer = "answer-too-large"
)

// The codes of a model that is given as the files it is kept in, and not as a graph. Importers use them.
const (
	CodeFile        = "malformed-file"    // truncated, contradictory, or not what its name says
	CodeUnsupported = "unsupported-model" // can be read, and is nothing that is modelled
	CodeNotFound    = "model-not-found"
	CodeDownload    = "download-failed"
)

// statuses is the one table from code to HTTP status.
var statuses = map[string]int{
	graph.CodeSyntax:    400,
	graph.CodeDuplicate: 400,
	graph.CodeType:      400,
	graph.CodeMissing:   400,
	graph.CodeDepth:     400,
	graph.CodeKeys:      400,
	graph.CodeNumber:    400,
	graph.CodeNotation:  400,

	graph.CodeComponents:  413,
	graph.CodeConnections: 413,
	graph.CodeValues:      413,
	graph.CodeCandidates:  413,
	graph.CodeBytes:       413,

	CodeShape:      422,
	CodeValue:      422,
	CodeRange:      422,
	CodeForm:       422,
	policy.CodeKey: 422,
	CodeSameID:     422,
	CodeAnswer:     422,

	CodeFile:        400,
	CodeUnsupported: 422,
	CodeNotFound:    422,
	CodeDownload:    422,
}

// Status returns the HTTP status of an error: that of its code, or 500 for a fault of our own.
func Status(err error) int {
	var e *graph.Error
	if errors.As(err, &e) {
		if s, ok := statuses[e.Code]; ok {
			return s
		}
	}
	return 500
}

// ErrorBody is the answer to a request that cannot be served.
type ErrorBody struct {
	Error   string   `json:"error"`
	Code    string   `json:"code"`
	Path    string   `json:"path,omitempty"`
	Limit   int64    `json:"limit,omitempty"`
	Allowed []string `json:"allowed,omitempty"`
}

// Explain returns the body for an error. Of a fault of our own it says nothing: the surface logs that.
func Explain(err error) ErrorBody {
	var e *graph.Error
	if !errors.As(err, &e) || statuses[e.Code] == 0 {
		return ErrorBody{Error: "a fault of our own", Code: "internal"}
	}
	return ErrorBody{e.Error(), e.Code, e.Path, e.Limit, e.Allowed}
}

// Errorf returns an error of the caller's.
func Errorf(code, path, format string, args ...any) *graph.Error {
	return &graph.Error{Code: code, Path: path, Message: quantity.Sprintf(format, args...)}
}

// AnswerTooLarge is the error where the request can be served, but its answer has more bytes than a surface sends.
func AnswerTooLarge(limit int64) *graph.Error {
	e := Errorf(CodeAnswer, "", "the answer would be larger than %d MiB, because it repeats ids, names and values of the request: send shorter ones, or fewer components", limit>>20)
	e.Limit = limit
	return e
}

// unknownValue is the error where a word stands that is none of those allowed.
func unknownValue(path, got string, allowed []string) *graph.Error {
	if len(got) > 40 {
		got = strings.ToValidUTF8(got[:40], "") + "…"
	}
	e := Errorf(CodeValue, path, "is %q but must be one of %s", got, quantity.Own(strings.Join(allowed, ", ")))
	e.Allowed = allowed
	return e
}

// Item is the path of an item of a list.
func Item(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
