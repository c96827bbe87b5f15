package graph

import "fmt"

// The codes of an Error. They are part of the HTTP contract and do not change.
const (
	CodeSyntax      = "invalid-json"
	CodeDuplicate   = "duplicate-key"
	CodeType        = "wrong-type"
	CodeMissing     = "missing-field"
	CodeDepth       = "too-deep"
	CodeKeys        = "too-many-keys"
	CodeNumber      = "number-out-of-range"
	CodeComponents  = "too-many-components"
	CodeConnections = "too-many-connections"
	CodeBytes       = "too-large"
	CodeNotation    = "invalid-notation"
)

// Error is a fault of the one who sent the graph: what is wrong, where, and the limit that was passed if there is one.
type Error struct {
	Code    string
	Path    string // model.components[3].params.kernelSize, or line 3 of the notation
	Message string
	Limit   int64
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

func errorf(code, path, format string, args ...any) *Error {
	return &Error{Code: code, Path: path, Message: fmt.Sprintf(format, args...)}
}
