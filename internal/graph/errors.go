package graph

import (
	"fmt"
	"strconv"
)

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
	CodeValues      = "too-many-values"
	CodeCandidates  = "too-many-candidates"
	CodeBytes       = "too-large"
	CodeNotation    = "invalid-notation"
)

// Error is a fault of the one who sent the graph: what is wrong, where, and the limit that was passed if there is one.
type Error struct {
	Code    string
	Path    string // model.components[3].params.kernelSize, or line 3 of the notation
	Message string
	Limit   int64
	Allowed []string // the values that would have been taken, where they can be listed
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

// limited notes the limit that was passed.
func (e *Error) limited(limit int64) *Error {
	e.Limit = limit
	return e
}

// under puts the name of the object's member in front of the path. A name that would not be read as one is quoted.
func (e *Error) under(name string) *Error {
	if !isPathName(name) {
		return e.in("[" + quote(clip(name)) + "]")
	}
	return e.in("." + name)
}

// at puts the index of the list's item in front of the path.
func (e *Error) at(i int) *Error { return e.in(indexed(i)) }

func indexed(i int) string { return "[" + strconv.Itoa(i) + "]" }

func (e *Error) in(segment string) *Error {
	e.Path = segment + e.Path
	return e
}

// MemberPath is the path of a member of the object at a path.
func MemberPath(path, name string) string { return path + (&Error{}).under(name).Path }

func isPathName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			continue
		}
		return false
	}
	return s != "" && len(s) <= 64
}
