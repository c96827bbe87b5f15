//go:build unix

package fence

import "syscall"

// nonblock keeps a pipe that took the place of a file from being waited for.
const nonblock = syscall.O_NONBLOCK
