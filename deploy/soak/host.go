//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// host is a machine of the cluster: a thread in a network and a mount namespace of its own. What it starts and mounts ends with the thread,
// and so with this program, however that ends.
type host struct {
	name, ip string
	dir      string // of its own; what is mounted there only it can see
	calls    chan func()
	thread   int
}

// newHost makes a machine that is plugged into nothing yet.
func newHost(name, ip, base string) (*host, error) {
	h := &host{name: name, ip: ip, dir: filepath.Join(base, name), calls: make(chan func())}
	if err := os.MkdirAll(h.dir, 0o755); err != nil {
		return nil, err
	}
	ready := make(chan error)
	go h.live(ready)
	return h, <-ready
}

// live answers calls on the thread of the host. The thread is never given back, so it ends with this function. The first thread of a
// program would not end before the program does, so it makes no host: it is held until another thread has become one.
func (h *host) live(ready chan<- error) {
	runtime.LockOSThread()
	if syscall.Gettid() == os.Getpid() {
		defer runtime.UnlockOSThread()
		elsewhere := make(chan error)
		go h.live(elsewhere)
		ready <- <-elsewhere
		return
	}
	err := syscall.Unshare(syscall.CLONE_NEWNET | syscall.CLONE_NEWNS)
	if err == nil {
		err = syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
	}
	h.thread = syscall.Gettid()
	if err != nil {
		err = fmt.Errorf("namespaces of %s: %w (root may make them)", h.name, err)
	}
	ready <- err
	for f := range h.calls {
		f()
	}
}

// end ends the thread, and what it started.
func (h *host) end() { close(h.calls) }

// on does something on the host.
func (h *host) on(f func() error) error {
	done := make(chan error)
	h.calls <- func() { done <- f() }
	return <-done
}

// dial connects to somebody from the host. A literal address is dialled on the calling thread.
func (h *host) dial(ctx context.Context, network, address string) (c net.Conn, err error) {
	return c, h.on(func() error {
		c, err = (&net.Dialer{Timeout: 2 * time.Second}).DialContext(ctx, network, address)
		return err
	})
}

// command runs a program on the host to its end, and returns what it printed.
func (h *host) command(with *syscall.SysProcAttr, name string, args ...string) (string, error) {
	return h.commandIn(nil, with, name, args...)
}

func (h *host) commandIn(env []string, with *syscall.SysProcAttr, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.SysProcAttr, cmd.Env = h.dir, with, append(os.Environ(), env...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	err := h.on(cmd.Start)
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		return out.String(), fmt.Errorf("%s: %s %s: %w: %s", h.name, filepath.Base(name), strings.Join(args, " "), err, tail(out.String()))
	}
	return out.String(), nil
}

// process is a program that runs on a host.
type process struct {
	cmd   *exec.Cmd
	log   string
	ended chan struct{}
	err   error
}

// start starts a program, whose words go into a file of the host's folder, behind those of earlier ones.
func (h *host) start(as *syscall.Credential, env []string, program string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(program, args...), log: filepath.Join(filepath.Dir(h.dir), h.name+".log"), ended: make(chan struct{})}
	f, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr, p.cmd.Env = h.dir, f, f, append(os.Environ(), env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Credential: as}
	if err := h.on(p.cmd.Start); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", h.name, program, err)
	}
	go func() { p.err = p.cmd.Wait(); close(p.ended) }()
	return p, nil
}

// running says whether a process has not ended.
func (p *process) running() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// stop sends a signal and waits for the end; beyond the time it is killed, which is an error.
func (p *process) stop(signal syscall.Signal, within time.Duration) error {
	if !p.running() {
		return nil
	}
	_ = p.cmd.Process.Signal(signal)
	select {
	case <-p.ended:
		return nil
	case <-time.After(within):
	}
	_ = p.cmd.Process.Kill()
	<-p.ended
	return fmt.Errorf("%s did not end within %v of signal %v", filepath.Base(p.cmd.Path), within, signal)
}

// said returns the last words of a process.
func (p *process) said() string {
	data, _ := os.ReadFile(p.log)
	return tail(string(data))
}

// tail is the end of a text.
func tail(s string) string {
	const most = 800
	return strings.TrimSpace(s[max(0, len(s)-most):])
}

// plug connects hosts to a switch: a bridge in a namespace of its own. The words name and dev are said, because ip takes a short name for one of
// its own words otherwise.
func plug(ethernet *host, all ...*host) error {
	run := func(h *host, words string) error {
		_, err := h.command(nil, "ip", strings.Fields(words)...)
		return err
	}
	err := errors.Join(run(ethernet, "link add br0 type bridge"), run(ethernet, "link set br0 up"))
	for _, h := range all {
		err = errors.Join(err, run(ethernet, "link add name "+h.name+" type veth peer name eth0 netns "+strconv.Itoa(h.thread)),
			run(ethernet, "link set dev "+h.name+" master br0 up"), run(h, "addr add "+h.ip+"/24 dev eth0"),
			run(h, "link set eth0 up"), run(h, "link set lo up"))
	}
	return err
}

// cut drops what one host sends to another, silently: its frames go to a card that nobody has. mend ends that.
func (h *host) cut(other *host) error {
	_, err := h.command(nil, "ip", "neigh", "replace", other.ip, "lladdr", "02:00:00:00:00:01", "dev", "eth0", "nud", "permanent")
	return err
}

func (h *host) mend(other *host) error {
	_, err := h.command(nil, "ip", "neigh", "del", other.ip, "dev", "eth0")
	return err
}

// unplug takes a host off the network; replug puts it back.
func (h *host) unplug(ethernet *host) error {
	_, err := ethernet.command(nil, "ip", "link", "set", "dev", h.name, "down")
	return err
}

func (h *host) replug(ethernet *host) error {
	_, err := ethernet.command(nil, "ip", "link", "set", "dev", h.name, "up")
	return err
}
