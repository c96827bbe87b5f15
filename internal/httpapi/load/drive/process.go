package drive

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Target is a server that runs as a process of its own.
type Target struct {
	Addr string
	cmd  *exec.Cmd
}

// Launch starts a program that listens at the address which its arguments are made from.
func Launch(program string, args func(addr string) []string) (*Target, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &Target{Addr: l.Addr().String()}
	_ = l.Close()
	t.cmd = exec.Command(program, args(t.Addr)...)
	if err := t.cmd.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", t.Addr); err == nil {
			return t, c.Close()
		}
	}
	t.Stop()
	return nil, fmt.Errorf("%s does not listen", program)
}

// Pid is that of the process.
func (t *Target) Pid() int { return t.cmd.Process.Pid }

// Stop lets it finish.
func (t *Target) Stop() {
	_ = t.cmd.Process.Signal(syscall.SIGTERM)
	_ = t.cmd.Wait()
}

// PeakMB is the most memory that has been resident.
func (t *Target) PeakMB() float64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", t.cmd.Process.Pid))
	for line := range strings.Lines(string(data)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kb); n == 1 {
			return kb / 1024
		}
	}
	return 0
}

// Processor is the time that a process has run, in ticks of a hundredth of a second as Linux counts them.
func Processor(pid int) time.Duration {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(data), ") ") // the name before it may have blanks
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
