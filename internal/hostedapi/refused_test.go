package hostedapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/modelverifier/verifier/internal/store"
)

// TestADatabaseThatGoesAwayIsNoFaultOfTheWorker has the ways in which a connection to the database ends while a worker calls: each is said to
// pass, so that the worker tries again.
func TestADatabaseThatGoesAwayIsNoFaultOfTheWorker(t *testing.T) {
	for _, cause := range []error{io.ErrUnexpectedEOF, io.EOF, os.ErrDeadlineExceeded, context.DeadlineExceeded, context.Canceled} {
		if status, code := refused(fmt.Errorf("%w: %w", store.ErrUnavailable, cause)); status != http.StatusServiceUnavailable || code != "unavailable" {
			t.Errorf("%v: %d %s", cause, status, code)
		}
	}
	if status, code := refused(io.ErrUnexpectedEOF); status != http.StatusBadRequest || code != "incomplete-body" {
		t.Errorf("a body that ends: %d %s", status, code)
	}
}
