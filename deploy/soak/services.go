//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The ports of everybody: hosts have addresses of their own, so none is taken.
const (
	publicPort   = "8080"
	insidePort   = "8081"
	balancerPort = "80"
	objectsPort  = "7070"
)

const bucket, accessKey, secretKey = "weights", "soak", "not-a-secret"

// objects is the S3 server.
type objects struct {
	*host
	program string
	process *process
}

func newObjects(h *host, program string) (*objects, error) {
	o := &objects{host: h, program: program}
	if err := errors.Join(os.MkdirAll(filepath.Join(h.dir, "buckets", bucket), 0o755), os.MkdirAll(filepath.Join(h.dir, "sidecar"), 0o755)); err != nil {
		return nil, err
	}
	return o, o.serve()
}

func (o *objects) serve() (err error) {
	env := []string{"ROOT_ACCESS_KEY=" + accessKey, "ROOT_SECRET_KEY=" + secretKey, "TMPDIR=" + o.dir, "HOME=" + o.dir}
	o.process, err = o.start(nil, env, o.program, "--port", o.ip+":"+objectsPort, "--quiet", "posix", "--sidecar", filepath.Join(o.dir, "sidecar"), filepath.Join(o.dir, "buckets"))
	if err != nil {
		return err
	}
	return wait(30*time.Second, "the S3 server", func() error {
		if !o.process.running() {
			return final{fmt.Errorf("versitygw ended: %s", o.process.said())}
		}
		c, err := o.dial(context.Background(), "tcp", o.ip+":"+objectsPort)
		if err == nil {
			err = c.Close()
		}
		return err
	})
}

// address is that of the bucket, as --weights-url takes it.
func (o *objects) address() string {
	return "s3://" + bucket + "?endpoint=http://" + o.ip + ":" + objectsPort + "&use_path_style=true&region=us-east-1"
}

// balancer is HAProxy in front of the replicas.
type balancer struct {
	*host
	process *process
}

// balancing is its configuration: a replica is sent requests while its own port for probes says that it is ready. A connection that cannot be
// made is tried at another replica; nothing that was sent is sent twice.
const balancing = `global
  maxconn 4000
defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout http-keep-alive 30s
  retries 3
  retry-on conn-failure
  option redispatch 1
  http-error status 503 content-type application/json string '{"error":"no replica is ready; try again shortly","code":"unavailable"}' hdr Retry-After 1
frontend public
  bind %s:%s
  default_backend replicas
backend replicas
  balance roundrobin
  option forwardfor
  option httpchk GET /readyz
  http-check expect status 200
  timeout check 1500ms
  default-server check port %s inter 300ms fastinter 100ms downinter 200ms fall 2 rise 1
`

func newBalancer(h *host, replicas []*replica) (*balancer, error) {
	program, err := exec.LookPath("haproxy")
	if err != nil {
		program = "/usr/sbin/haproxy"
	}
	var text strings.Builder
	fmt.Fprintf(&text, balancing, h.ip, balancerPort, insidePort)
	for _, r := range replicas {
		fmt.Fprintf(&text, "  server %s %s:%s\n", r.name, r.ip, publicPort)
	}
	file := filepath.Join(h.dir, "haproxy.cfg")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		return nil, err
	}
	b := &balancer{host: h}
	if b.process, err = h.start(nil, nil, program, "-db", "-f", file); err != nil {
		return nil, err
	}
	return b, wait(10*time.Second, "HAProxy", func() error {
		if !b.process.running() {
			return final{fmt.Errorf("haproxy ended: %s", b.process.said())}
		}
		c, err := h.dial(context.Background(), "tcp", h.ip+":"+balancerPort)
		if err == nil {
			err = c.Close()
		}
		return err
	})
}

// replica is one process of the service.
type replica struct {
	*host
	program string
	args    []string
	process *process
	client  *http.Client
	share   *share // nil where there is none
}

func newReplica(h *host, program string, args ...string) *replica {
	return &replica{host: h, program: program, client: &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DialContext: h.dial, DisableKeepAlives: true}},
		args: append([]string{"--addr", h.ip + ":" + publicPort, "--internal-addr", h.ip + ":" + insidePort, "--data", filepath.Join(h.dir, "data")}, args...)}
}

// environment is that of every replica.
func (r *replica) environment() []string {
	return []string{"AWS_ACCESS_KEY_ID=" + accessKey, "AWS_SECRET_ACCESS_KEY=" + secretKey, "AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=" + os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE=" + os.DevNull, clockVariable + "=" + r.clock(), "GOMAXPROCS=1", "HOME=" + r.dir}
}

// serve starts the replica, and waits until it is ready.
func (r *replica) serve() (err error) {
	// They give way to the callers and the balancer, which on real hosts have processors of their own.
	if r.process, err = r.start(nil, r.environment(), "nice", append([]string{"-n", "5", r.program}, r.args...)...); err != nil {
		return err
	}
	if err := r.share.join(r.process.cmd.Process.Pid); err != nil {
		return err
	}
	return r.ready(time.Minute)
}

// ready waits until the replica says that it takes requests.
func (r *replica) ready(most time.Duration) error {
	return wait(most, r.name, func() error {
		if !r.process.running() {
			return final{fmt.Errorf("it ended: %s", r.process.said())}
		}
		_, err := r.probe("/readyz")
		return err
	})
}

// probe asks the port that only the operator reaches.
func (r *replica) probe(path string) (string, error) {
	resp, err := r.client.Get("http://" + r.ip + ":" + insidePort + path)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %d %s", path, resp.StatusCode, body)
	}
	return string(body), err
}

// operate runs a command of the operator beside the replica.
func (r *replica) operate(args ...string) (string, error) {
	return r.commandIn(r.environment(), &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}, r.program, append(r.args[:len(r.args):len(r.args)], args...)...)
}

// clockVariable names the file from which a program that was built with the tag soak reads how far its clock is off.
const clockVariable = "VERIFIER_SOAK_CLOCK"

func (r *replica) clock() string { return filepath.Join(r.dir, "clock") }

// step sets the clock of the replica that far off.
func (r *replica) step(by time.Duration) error {
	return os.WriteFile(r.clock(), []byte(by.String()), 0o600)
}
