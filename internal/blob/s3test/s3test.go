// Package s3test starts a real S3 server for tests: versitygw, which make test builds into tools/bin.
//
// A server keeps its buckets in a folder of its own, listens on this machine alone and ends with the test. Only tests import this
// package.
package s3test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/nodetest"
)

// Bucket is the one that every server has.
const Bucket = "weights"

// The credentials of every server.
const Access, Secret = "tests", "not-a-secret"

// Server is an S3 server that a test may stop and start again.
type Server struct {
	Folder  string // in which the bucket's objects are
	dir     string
	program string
	address string
	log     bytes.Buffer
	cmd     *exec.Cmd
	ended   chan struct{}
}

// Start returns a server that keeps everything in a folder, and sets the variables in which programs look for its credentials.
func Start(t *testing.T, folder string) *Server {
	t.Helper()
	s := &Server{Folder: filepath.Join(folder, "buckets", Bucket), dir: folder, program: nodetest.Tool(t, "versitygw")}
	for _, dir := range []string{s.Folder, s.sidecar()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": Access, "AWS_SECRET_ACCESS_KEY": Secret, "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(name, value)
	}
	var err error
	for range 5 { // somebody else may have got the port meanwhile
		if s.address, err = port(); err == nil {
			err = s.Start()
		}
		if err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// sidecar is where the server keeps what an object is called and was sent with: not every disk keeps attributes of files.
func (s *Server) sidecar() string { return filepath.Join(s.dir, "sidecar") }

func port() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Start starts a server that was killed, at the address that it had.
func (s *Server) Start() error {
	s.log.Reset()
	cmd := exec.Command(s.program, "--port", s.address, "--quiet", "posix", "--sidecar", s.sidecar(), filepath.Dir(s.Folder))
	cmd.Env = []string{"ROOT_ACCESS_KEY=" + Access, "ROOT_SECRET_KEY=" + Secret, "TMPDIR=" + s.dir, "HOME=" + s.dir}
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = &s.log, &s.log, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// The kernel ends the server with the thread that started it, so that thread stays.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(ended)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	s.cmd, s.ended = cmd, ended
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		select {
		case <-ended:
			return fmt.Errorf("versitygw ended:\n%s", s.log.String())
		default:
		}
		if answer, err := http.Get("http://" + s.address + "/"); err == nil {
			return answer.Body.Close()
		}
	}
	s.Kill()
	return fmt.Errorf("versitygw does not answer:\n%s", s.log.String())
}

// Kill ends the server at once.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill()
	<-s.ended
}

// Address is that of the bucket, as package blob takes it.
func (s *Server) Address() string {
	return "s3://" + Bucket + "?endpoint=http://" + s.address + "&use_path_style=true&region=us-east-1"
}
