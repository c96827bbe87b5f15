//go:build !linux

package local

import (
	"os"
	"os/exec"
)

// run starts a command and waits for it. Where the service is killed the worker finds nobody to report to, and ends with its lease.
func run(cmd *exec.Cmd, started, ended chan<- error) {
	err := cmd.Start()
	started <- err
	if err == nil {
		ended <- cmd.Wait()
	}
}

// end asks the worker to end; it sees to its own children.
func end(cmd *exec.Cmd) { _ = cmd.Process.Signal(os.Interrupt) }

// kill ends the worker.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
