//go:build unix && !linux

package manifest

import "syscall"

// changed is left to the time of the last write: where the other is kept differs between systems.
func changed(*syscall.Stat_t) int64 { return 0 }
