package fix_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/action/fix"
	"github.com/modelverifier/verifier/internal/hostile"
)

// TestSourceBombsEndWithTheirTime gives sources that are made to be expensive a second each. The reader's own budget ends a reading, and
// the deadline the search for changes; what is left over is one reading.
func TestSourceBombsEndWithTheirTime(t *testing.T) {
	all := hostile.Sources()
	names := slices.Sorted(maps.Keys(all))
	const every = 37 // all of them are read in internal/importer/torch
	for i := 0; i < len(names); i += every {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		text := all[names[i]]()
		if len(text) > fix.MaxFileBytes { // which is refused before anything is read
			cancel()
			continue
		}
		r := decode(t, body(model, "", "net.py", text))
		began := time.Now()
		_, err := fix.Begin(ctx, r)
		cancel()
		if took := time.Since(began); took > 30*time.Second || err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v after %v", names[i], err, took)
		}
	}
}
