//go:build unix

package slurm

import (
	"os/exec"
	"syscall"
)

// alone puts a program into a process group of its own, which is killed as a whole.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
