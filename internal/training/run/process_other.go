//go:build !unix

package run

import "syscall"

type isolation struct{ note string }

var isolations = []isolation{{"this system has no network namespaces: the trainer refuses to make sockets"}}

func (i isolation) attributes() *syscall.SysProcAttr { return nil }

// stop ends the trainer: there is no gentler way here.
func (c *child) stop() { c.kill() }

func (c *child) kill() { _ = c.cmd.Process.Kill() }
