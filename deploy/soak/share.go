//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// The bound of processor time, in the first and in the second form of control groups.
const (
	sharesOne = "/sys/fs/cgroup/cpu"
	sharesTwo = "/sys/fs/cgroup"
)

// sharePeriod is over how long a share holds: shorter than an action takes, so that each runs at an even pace.
const sharePeriod = 4 * time.Millisecond

// share is a control group whose processes have a part of a processor, whatever else the machine does: replicas of a real cluster have
// processors of their own.
type share struct{ group string }

// newShare makes the group. It is an error where the kernel has none, or does not let us.
func newShare(name string, part float64) (*share, error) {
	period := sharePeriod.Microseconds()
	quota := int64(part * float64(period))
	s := &share{filepath.Join(sharesOne, name)}
	set := map[string]string{"cpu.cfs_period_us": strconv.FormatInt(period, 10), "cpu.cfs_quota_us": strconv.FormatInt(quota, 10)}
	if _, err := os.Stat(filepath.Join(sharesOne, "cgroup.procs")); err != nil {
		// Who may not turn it on finds no cpu.max below.
		_ = os.WriteFile(filepath.Join(sharesTwo, "cgroup.subtree_control"), []byte("+cpu"), 0o600)
		s.group, set = filepath.Join(sharesTwo, name), map[string]string{"cpu.max": fmt.Sprintf("%d %d", quota, period)}
	}
	if err := os.Mkdir(s.group, 0o755); err != nil {
		return nil, err
	}
	for file, value := range set {
		if err := os.WriteFile(filepath.Join(s.group, file), []byte(value), 0o600); err != nil {
			return nil, errors.Join(err, s.remove())
		}
	}
	return s, nil
}

// join puts a process with all its threads into the group. A share that is missing takes nobody.
func (s *share) join(pid int) error {
	if s == nil {
		return nil
	}
	return os.WriteFile(filepath.Join(s.group, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o600)
}

// remove takes the group away, whose processes have ended.
func (s *share) remove() error {
	if s == nil {
		return nil
	}
	return os.Remove(s.group)
}
