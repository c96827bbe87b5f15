//go:build !unix

package slurm

import "os/exec"

// alone has nothing to do: there is no Slurm on these systems.
func alone(*exec.Cmd) {}
