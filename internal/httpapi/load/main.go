// Command load puts a bounded load on a real verifier-server over loopback, and the same on an empty handler that reads and
// writes bodies of the same sizes, so that the two can be compared in one run on the same cores. It is for measuring only.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	server := flag.String("server", "bin/verifier-server", "the program to measure")
	action := flag.String("action", "check", "what to ask for")
	only := flag.String("only", "", "measure the models whose name has this in it")
	scale := flag.Float64("scale", 1, "of the number of requests")
	empty := flag.String("empty", "", "answer with this many bytes at this address, as ADDR,N; used by the program itself")
	flag.Parse()
	if *empty != "" {
		serveEmpty(*empty)
		return
	}
	fmt.Printf("%s over loopback, client and server on the same %d processors, log lines to /dev/null\n", "/v1/"+*action, runtime.NumCPU())
	fmt.Printf("%-32s %8s %8s %10s %9s %9s %9s %9s %8s\n", "model", "request", "answer", "a second", "p50", "p99", "half p50", "half p99", "peak MB")
	for _, c := range cases() {
		if !strings.Contains(c.name, *only) {
			continue
		}
		if err := c.measure(*server, "/v1/"+*action, *scale); err != nil {
			fmt.Fprintln(os.Stderr, "load:", c.name+":", err)
			os.Exit(1)
		}
	}
}

// target is a server that runs as a process of its own.
type target struct {
	addr string
	cmd  *exec.Cmd
}

// launch starts a program that listens at the address which its arguments are made from.
func launch(program string, args func(addr string) []string) (*target, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &target{addr: l.Addr().String()}
	_ = l.Close()
	t.cmd = exec.Command(program, args(t.addr)...)
	if err := t.cmd.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", t.addr); err == nil {
			return t, c.Close()
		}
	}
	t.stop()
	return nil, fmt.Errorf("%s does not listen", program)
}

func (t *target) stop() {
	_ = t.cmd.Process.Signal(syscall.SIGTERM)
	_ = t.cmd.Wait()
}

// peakMB is the most memory that has been resident.
func (t *target) peakMB() float64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", t.cmd.Process.Pid))
	for line := range strings.Lines(string(data)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kb); n == 1 {
			return kb / 1024
		}
	}
	return 0
}

// processor is the time that a process has run, in ticks of a hundredth of a second as Linux counts them.
func processor(pid int) time.Duration {
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

// serveEmpty answers every request with the same bytes, after reading its body.
func serveEmpty(spec string) {
	var n int
	addr, size, _ := strings.Cut(spec, ",")
	if _, err := fmt.Sscan(size, &n); err != nil {
		panic(err)
	}
	answer := []byte(strings.Repeat("x", n))
	err := http.ListenAndServe(addr, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buf := make([]byte, 4096)
		for {
			if _, err := r.Body.Read(buf); err != nil {
				break
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", size)
		_, _ = w.Write(answer)
	}))
	fmt.Fprintln(os.Stderr, err)
}
