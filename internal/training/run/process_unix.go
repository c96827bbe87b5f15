//go:build unix

package run

import (
	"syscall"
	"time"
)

// stop asks the trainer to end, and kills it where it does not.
func (c *child) stop() {
	if !c.reaped.Load() {
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGTERM)
	}
	time.AfterFunc(grace, c.kill)
}

// kill ends the trainer and everything that it started.
func (c *child) kill() {
	if !c.reaped.Load() {
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	}
}
