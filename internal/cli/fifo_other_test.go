//go:build !unix

package cli

import "testing"

func mkfifo(t *testing.T, _ string) {
	t.Helper()
	t.Skip("this system has no named pipes")
}
