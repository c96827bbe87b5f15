//go:build unix

package manifest

import (
	"io/fs"
	"syscall"
)

// openFlags keep the opening of a file from following a link or waiting for the other end of a pipe that someone put in its place.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

// system is what the system says about which file this is. Whoever writes a file cannot set the time of its last change of status.
type system struct {
	dev, ino    uint64
	changedNsec int64
}

func systemOf(info fs.FileInfo) system {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return system{}
	}
	return system{uint64(s.Dev), uint64(s.Ino), changed(s)} //nolint:unconvert // the types differ between systems
}

// same reports whether two are of one file, changed or not.
func (s system) same(t system) bool { return s.dev == t.dev && s.ino == t.ino }
