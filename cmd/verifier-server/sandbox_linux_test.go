package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// TestTheServerNeedsNoNetworkAndNoDisk runs this test binary again in namespaces of its own: a network that has nothing but
// loopback, and a root that is one read-only file, the server.
func TestTheServerNeedsNoNetworkAndNoDisk(t *testing.T) {
	if os.Getenv(sandboxed) != "" {
		t.Skip("is inside")
	}
	binary := mustProgram(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestInsideTheSandbox$", "-test.v")
	cmd.Env = append(os.Environ(), sandboxed+"="+binary+":"+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC):
		t.Skipf("this machine does not let us make namespaces: %v", err)
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	case !strings.Contains(string(out), "--- PASS: TestInsideTheSandbox"):
		t.Fatalf("the inside did not run: %s", out)
	}
	t.Logf("%s", out)
}

// TestInsideTheSandbox is the inside of the test above.
func TestInsideTheSandbox(t *testing.T) {
	binary, dir, ok := strings.Cut(os.Getenv(sandboxed), ":")
	if !ok {
		t.Skip("runs only in the sandbox")
	}
	enclose(t, binary, dir)
	before := outgoing(t)
	if _, err := net.DialTimeout("tcp", "192.0.2.1:80", time.Second); err == nil {
		t.Fatal("there is a network")
	}
	watched := outgoing(t).noRoute > before.noRoute // the kernel counts attempts to reach out
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); !errors.Is(err, syscall.EROFS) {
		t.Fatalf("the root can be written: %v", err)
	}

	before = outgoing(t)
	p := launch(t, enclosed(dir))
	answers, dialled := visit(t, p.port)
	if err := p.end(); err != nil {
		t.Errorf("after SIGTERM: %v %s", err, p.text())
	}
	after := outgoing(t)
	if got := after.opens - before.opens; got != dialled {
		t.Errorf("%d connections were opened, %d of them by this test", got, dialled)
	}
	if after.noRoute != before.noRoute || after.datagrams != before.datagrams {
		t.Errorf("something was to be sent outside: before %+v, after %+v", before, after)
	}
	if !watched {
		t.Log("this kernel does not count unreachable destinations; that part shows nothing")
	}
	if strings.Contains(p.text(), "zqxmark7") {
		t.Errorf("the log has the mark: %s", p.text())
	}
	for path, body := range answers {
		if !strings.HasPrefix(path, "/v1/") && strings.Contains(body, "zqxmark7") {
			t.Errorf("%s has the mark: %s", path, body)
		}
	}

	// The same with telemetry switched on must be seen to reach out, or the counters above show nothing.
	before = outgoing(t)
	cmd := enclosed(dir)
	cmd.Env = append(cmd.Env, "VERIFIER_TELEMETRY=on", "VERIFIER_TELEMETRY_URL=http://192.0.2.1/")
	p = launch(t, cmd)
	visit(t, p.port)
	if err := p.end(); err != nil {
		t.Errorf("with telemetry, after SIGTERM: %v %s", err, p.text())
	}
	if watched && outgoing(t).noRoute == before.noRoute {
		t.Error("telemetry is on and nothing was to be sent")
	}
}

// enclosed is the server as the container has it: another user, a read-only root with nothing else in it, an empty
// environment.
func enclosed(dir string) *exec.Cmd {
	cmd := exec.Command("/verifier-server", "--addr", "127.0.0.1:0")
	cmd.Path, cmd.Dir, cmd.Env = "/verifier-server", "/", []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: dir}
	if data, err := os.ReadFile("/proc/self/uid_map"); err == nil && strings.Contains(string(data), "4294967295") {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65532, Gid: 65532}
	}
	return cmd
}

// enclose makes the read-only root and switches loopback on.
func enclose(t *testing.T, binary, dir string) {
	t.Helper()
	data, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		t.Skipf("this machine does not let us mount: %v", err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0755"); err != nil {
		t.Skipf("this machine does not let us mount: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "verifier-server"), data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "mode=0755"); err != nil {
		t.Skipf("this machine does not let us mount read-only: %v", err)
	}
	if err := loopbackUp(); err != nil {
		t.Skipf("this machine does not let us switch loopback on: %v", err)
	}
}

func loopbackUp() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	var request struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:], "lo")
	request.flags = syscall.IFF_UP
	if _, _, no := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); no != 0 {
		return no
	}
	return nil
}

// visit asks for everything that the server has, and returns the answers and how many connections it opened.
func visit(t *testing.T, port int) (answers map[string]string, dialled int) {
	t.Helper()
	var opened atomic.Int64
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, n, a string) (net.Conn, error) {
		opened.Add(1)
		return (&net.Dialer{}).DialContext(ctx, n, a)
	}}}
	answers = map[string]string{}
	for _, path := range []string{"/v1/check", "/v1/lint", "/v1/plan", "/v1/rank", "/version", "/healthz", "/metrics/preview", "/metrics"} {
		method := "GET"
		if strings.HasPrefix(path, "/v1/") {
			method = "POST"
		}
		request := marked
		if path == "/v1/rank" {
			request = `{"candidates":[` + marked + `]}`
		}
		status, body := exchange(t, client, method, fmt.Sprintf("http://127.0.0.1:%d%s", port, path), request)
		if status != 200 {
			t.Errorf("%s: %d %s", path, status, body)
		}
		answers[path] = body
	}
	return answers, int(opened.Load())
}

// traffic is what the kernel counts for this network namespace.
type traffic struct{ opens, datagrams, noRoute int }

func outgoing(t *testing.T) traffic {
	t.Helper()
	data, err := os.ReadFile("/proc/self/net/snmp")
	if err != nil {
		t.Skipf("this machine does not show what the network counts: %v", err)
	}
	values, names := map[string]int{}, []string(nil)
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if names == nil || names[0] != fields[0] {
			names = fields
			continue
		}
		for i := 1; i < len(fields); i++ {
			values[fields[0]+names[i]], _ = strconv.Atoi(fields[i])
		}
	}
	return traffic{values["Tcp:ActiveOpens"], values["Udp:OutDatagrams"], values["Ip:OutNoRoutes"]}
}
