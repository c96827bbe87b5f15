//go:build unix

package torch

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a process into a group of its own, and kills all of it when the process is to end.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
