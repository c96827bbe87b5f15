package local

import (
	"os/exec"
	"runtime"
	"syscall"
)

// run starts a command in a process group of its own, and waits for it. The kernel asks it to end when the service is killed: that is,
// with the thread that started it, so that thread stays.
func run(cmd *exec.Cmd, started, ended chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	err := cmd.Start()
	started <- err
	if err == nil {
		ended <- cmd.Wait()
	}
}

// end asks the worker to end; it sees to its own children.
func end(cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGTERM) }

// kill ends the worker and its children.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
