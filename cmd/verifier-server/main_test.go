package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// built is the folder with the program, once it was asked for.
var built string

// program builds the server once, static as the image has it.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "verifier-server")
	if err != nil {
		return "", err
	}
	built = dir
	path := filepath.Join(dir, "verifier-server")
	build := exec.Command("go", "build", "-ldflags", "-s -w -X github.com/modelverifier/verifier.version=1.2.3", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		os.RemoveAll(built)
	}
	os.Exit(code)
}

// sandboxed is set in the process that runs inside the sandbox: it must not build anything.
const sandboxed = "VERIFIER_TEST_SANDBOX"

// process is a server that runs as a process of its own.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	port int
	mu   sync.Mutex
	log  bytes.Buffer
	done chan struct{}
}

// launch starts a command and waits until it listens.
func launch(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, done: make(chan struct{})}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-p.done })
	ports := make(chan int, 1)
	go p.follow(stderr, ports)
	select {
	case p.port = <-ports:
	case <-p.done:
		t.Fatalf("the server ended: %s", p.text())
	case <-time.After(time.Minute):
		t.Fatal("the server does not listen")
	}
	return p
}

func (p *process) follow(stderr io.Reader, ports chan<- int) {
	defer close(p.done)
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		p.mu.Lock()
		p.log.WriteString(lines.Text() + "\n")
		p.mu.Unlock()
		var line struct {
			Msg  string
			Port int
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
			ports <- line.Port
		}
	}
}

func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// end asks the process to stop and returns what it says about it.
func (p *process) end() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.done
	return p.cmd.Wait()
}

const marked = `{"model":{"name":"zqxmark7","components":[{"id":"zqxmark7","type":"input","params":{"shape":[3]}},{"id":"l","type":"linear","params":{"inFeatures":4,"outFeatures":"zqxmark7"}}],"connections":[{"from":"zqxmark7","to":"l"}]}}`

// exchange posts to an address and returns the status and the body.
func exchange(t *testing.T, client *http.Client, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

func mustProgram(t *testing.T) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestATakenPortSaysWhatChangesIt has another listener at the address.
func TestATakenPortSaysWhatChangesIt(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var out, fault strings.Builder
	code := run(t.Context(), []string{"--addr", taken.Addr().String()}, func(string) string { return "" }, &out, &fault)
	want := "verifier-server: cannot listen on " + taken.Addr().String() + ": the address is in use by another program; choose another with --addr or VERIFIER_ADDR\n"
	if code != exitUsage || fault.String() != want {
		t.Errorf("exit %d: %s", code, fault.String())
	}
}

func TestTheServerListensOnASocketWithoutANetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program, which takes seconds")
	}
	socket := filepath.Join(t.TempDir(), "s")
	stale, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	stale.Close() // as a killed process leaves it
	p := launch(t, exec.Command(mustProgram(t), "--addr", "unix:"+socket))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", socket) }}}
	if status, body := exchange(t, client, "POST", "http://x/v1/lint", marked); status != 200 || !strings.Contains(body, `"verdict":"fail"`) {
		t.Errorf("%d %s", status, body)
	}
	health := func() ([]byte, error) {
		return exec.Command(mustProgram(t), "--health", "--addr", "unix:"+socket).CombinedOutput()
	}
	if out, err := health(); err != nil {
		t.Errorf("--health: %v %s", err, out)
	}
	if second, err := exec.Command(mustProgram(t), "--addr", "unix:"+socket).CombinedOutput(); err == nil || !strings.Contains(string(second), "in use") {
		t.Errorf("a second server on the same socket: %v %s", err, second)
	}
	if err := p.end(); err != nil {
		t.Errorf("after SIGTERM: %v %s", err, p.text())
	}
	if _, err := os.Stat(socket); !os.IsNotExist(err) {
		t.Errorf("the socket stays: %v", err)
	}
	if out, err := health(); err == nil {
		t.Errorf("--health of nobody: %s", out)
	}
}

func TestOptionsThatAreWrongEndWithCode2(t *testing.T) {
	for _, c := range []struct {
		args, env string
		code      int
		says      string
	}{
		{"--nope", "", 2, "nope"},
		{"serve", "", 2, "serve"},
		{"--workers 0", "", 2, "workers"},
		{"--log-level loud", "", 2, "level"},
		{"", "VERIFIER_TELEMETRY=perhaps", 2, "VERIFIER_TELEMETRY"},
		{"--addr 127.0.0.1", "", 2, "port"},
		{"--help", "", 0, ""},
	} {
		var out bytes.Buffer
		getenv := func(k string) string { return strings.TrimPrefix(c.env, k+"=") }
		if !strings.HasPrefix(c.env, "VERIFIER_TELEMETRY=") {
			getenv = func(string) string { return "" }
		}
		code := run(t.Context(), strings.Fields(c.args), getenv, &out, &out)
		if code != c.code || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: code %d, says %s", c.args, code, &out)
		}
	}
}

func TestTheAddressIsLocalUnlessToldOtherwise(t *testing.T) {
	none := func(string) string { return "" }
	o, err := parse(nil, none, io.Discard)
	if err != nil || o.addr != "127.0.0.1:8080" || o.telemetry.On() {
		t.Errorf("%+v %v", o, err)
	}
	image := func(k string) string { return map[string]string{"VERIFIER_ADDR": "0.0.0.0:8080"}[k] }
	if o, err := parse(nil, image, io.Discard); err != nil || o.addr != "0.0.0.0:8080" {
		t.Errorf("%+v %v", o, err)
	}
	if o, err := parse([]string{"--addr", "[::1]:1"}, image, io.Discard); err != nil || o.addr != "[::1]:1" {
		t.Errorf("%+v %v", o, err)
	}
}
