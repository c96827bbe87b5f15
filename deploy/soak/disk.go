//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// memory mounts a small disk in memory, which can be filled.
func (h *host) memory(name string, mega int) (string, error) {
	dir := filepath.Join(h.dir, name)
	return dir, h.on(func() error {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+strconv.Itoa(mega)+"m,mode=0777")
	})
}

// loop mounts a disk of its own, an ext4 in a file, whose device can be made slow.
func (h *host) loop(name string, mega int) (dir string, err error) {
	image := filepath.Join(h.dir, name+".img")
	dir = filepath.Join(h.dir, name)
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(image, nil, 0o600), os.Truncate(image, int64(mega)<<20)); err != nil {
		return "", err
	}
	if _, err := h.command(nil, "mkfs.ext4", "-q", "-F", "-m", "0", image); err != nil {
		return "", err
	}
	_, err = h.command(nil, "mount", "-o", "loop", image, dir)
	return dir, errors.Join(err, os.Remove(image)) // it lives until it is unmounted
}

// fill writes a file until nothing more fits; empty removes it.
func (h *host) fill(dir string) error {
	return h.on(func() error {
		f, err := os.OpenFile(filepath.Join(dir, "filled"), os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		for block := 1 << 20; block > 0; block /= 2 {
			for {
				if _, err = f.Write(make([]byte, block)); err != nil {
					break
				}
			}
			if !errors.Is(err, syscall.ENOSPC) {
				return err
			}
		}
		return nil
	})
}

func (h *host) empty(dir string) error {
	return h.on(func() error { return os.Remove(filepath.Join(dir, "filled")) })
}

// The throttle of block devices, in the first and in the second form of control groups.
const (
	throttleOne = "/sys/fs/cgroup/blkio"
	throttleTwo = "/sys/fs/cgroup"
)

// slowdown bounds how often the processes of a group may write to a disk in a second.
type slowdown struct{ group, device string }

// newSlowdown makes the group. It is an error where the kernel has none.
func newSlowdown(h *host, dir, name string) (*slowdown, error) {
	var st syscall.Stat_t
	if err := h.on(func() error { return syscall.Stat(dir, &st) }); err != nil {
		return nil, err
	}
	root := throttleOne
	if _, err := os.Stat(filepath.Join(root, "blkio.throttle.write_iops_device")); err != nil {
		root = throttleTwo
		// Who may not turn it on finds no io.max below.
		_ = os.WriteFile(filepath.Join(root, "cgroup.subtree_control"), []byte("+io"), 0o600)
	}
	s := &slowdown{filepath.Join(root, name), fmt.Sprintf("%d:%d", st.Dev>>8&0xfff, st.Dev&0xff)}
	if err := os.Mkdir(s.group, 0o755); err != nil {
		return nil, err
	}
	for _, file := range []string{"blkio.throttle.write_iops_device", "io.max"} {
		if _, err := os.Stat(filepath.Join(s.group, file)); err == nil {
			return s, nil
		}
	}
	return nil, errors.Join(errors.New("this kernel has no control group that makes a disk slow"), s.remove())
}

// join puts a process, and what it starts from now on, into the group.
func (s *slowdown) join(pid int) error {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", all[i], all[i]))
		for _, word := range strings.Fields(string(children)) {
			if child, err := strconv.Atoi(word); err == nil {
				all = append(all, child)
			}
		}
	}
	for _, pid := range all {
		err := os.WriteFile(filepath.Join(s.group, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o600)
		if err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// leave puts every process of the group back.
func (s *slowdown) leave() error {
	for range 20 {
		text, err := os.ReadFile(filepath.Join(s.group, "cgroup.procs"))
		if err != nil || len(text) == 0 {
			return err
		}
		for _, pid := range strings.Fields(string(text)) {
			if err := os.WriteFile(filepath.Join(filepath.Dir(s.group), "cgroup.procs"), []byte(pid), 0o600); err != nil && !errors.Is(err, syscall.ESRCH) {
				return err
			}
		}
	}
	return errors.New("processes stay in the control group")
}

// set allows so many writes a second; 0 allows all.
func (s *slowdown) set(writes int) error {
	one := filepath.Join(s.group, "blkio.throttle.write_iops_device")
	if _, err := os.Stat(one); err == nil {
		return os.WriteFile(one, []byte(s.device+" "+strconv.Itoa(writes)), 0o600)
	}
	most := "max"
	if writes > 0 {
		most = strconv.Itoa(writes)
	}
	return os.WriteFile(filepath.Join(s.group, "io.max"), []byte(s.device+" wiops="+most), 0o600)
}

// remove takes the group away, whose processes have ended.
func (s *slowdown) remove() error { return os.Remove(s.group) }
