package run

import (
	"os"
	"syscall"
)

// isolation is a way to start the trainer.
type isolation struct {
	note  string
	flags uintptr
}

// isolations are tried in their order: containers and hardened kernels refuse the first ones.
var isolations = []isolation{
	{"the trainer has an empty network of its own (user and network namespace)", syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET},
	{"the trainer has an empty network of its own (network namespace)", syscall.CLONE_NEWNET},
	{"the system gives the trainer no network namespace: it refuses to make sockets", 0},
}

// attributes put the trainer into a process group of its own, so that it can be ended with all that it started.
func (i isolation) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Cloneflags: i.flags}
	if i.flags&syscall.CLONE_NEWUSER != 0 { // the same user inside as outside, without any right
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	return a
}
