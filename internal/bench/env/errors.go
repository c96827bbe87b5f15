package env

import (
	"errors"
	"net/http"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// statuses are those of the codes that only episodes have.
var statuses = map[string]int{
	CodeUnknown: http.StatusNotFound, CodeEnded: http.StatusGone, CodeFull: http.StatusTooManyRequests, CodeBusy: http.StatusConflict,
}

// Explain is the body of an error and its HTTP status. Of a fault of our own it says nothing.
func Explain(err error) (int, action.ErrorBody) {
	e := (*graph.Error)(nil)
	if errors.As(err, &e) && statuses[e.Code] != 0 {
		return statuses[e.Code], action.ErrorBody{Error: e.Error(), Code: e.Code, Path: e.Path, Limit: e.Limit, Allowed: e.Allowed}
	}
	return action.Status(err), action.Explain(err)
}
