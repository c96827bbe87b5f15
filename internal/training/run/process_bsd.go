//go:build unix && !linux

package run

import "syscall"

type isolation struct{ note string }

var isolations = []isolation{{"this system has no network namespaces: the trainer refuses to make sockets"}}

// attributes put the trainer into a process group of its own, so that it can be ended with all that it started.
func (i isolation) attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
