//go:build !unix

package manifest

import (
	"testing"
	"time"
)

func fifo(t *testing.T, _ string) {
	t.Helper()
	t.Skip("this system has no named pipes")
}

// Not known here.
func processorTime() time.Duration { return 0 }
func peakKiB() string              { return "0" }
