//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// cluster is the service as its operators run it: replicas behind a balancer, a database with a standby, an S3 store.
type cluster struct {
	base     string
	ethernet *host
	hosts    []*host
	primary  *postgres
	standby  *postgres
	objects  *objects
	balancer *balancer
	replicas []*replica
	outside  *host // where callers and workers are
	slowErr  error // why no disk can be slow here
	shareErr error // why replicas have no processor time of their own
}

const network = "10.77.0."

// numbers are the addresses of the hosts.
var numbers = map[string]string{"balancer": "10", "db1": "11", "db2": "12", "r1": "21", "r2": "22", "r3": "23", "objects": "30", "outside": "40"}

// replicaNames are those of the replicas.
var replicaNames = []string{"r1", "r2", "r3"}

// setting is what a cluster is made of.
type setting struct {
	program   string // verifier-hosted
	versitygw string
	more      []string // arguments of every replica
}

// newCluster starts everything, in the order in which an operator would. What was made is taken down by down, also behind an error.
func newCluster(s setting) (*cluster, error) {
	for _, name := range []string{"ip", "psql", "mkfs.ext4", "mount"} {
		if _, err := exec.LookPath(name); err != nil {
			return nil, fmt.Errorf("%s is not installed: make packages installs what is missing", name)
		}
	}
	base, err := os.MkdirTemp("/tmp", "soak") // short, because a socket's path has at most 107 characters
	if err != nil {
		return nil, err
	}
	c := &cluster{base: base}
	if err := os.Chmod(base, 0o755); err != nil {
		return c, err
	}
	if c.ethernet, err = newHost("switch", "", base); err != nil {
		return c, err
	}
	byName := map[string]*host{}
	for name, number := range numbers {
		h, err := newHost(name, network+number, base)
		if err != nil {
			return c, err
		}
		byName[name], c.hosts = h, append(c.hosts, h)
	}
	if err := plug(c.ethernet, c.hosts...); err != nil {
		return c, err
	}
	c.outside = byName["outside"]
	if err := c.databases(byName["db1"], byName["db2"]); err != nil {
		return c, err
	}
	if c.objects, err = newObjects(byName["objects"], s.versitygw); err != nil {
		return c, err
	}
	for _, name := range replicaNames {
		r := newReplica(byName[name], s.program, c.arguments(s.more...)...)
		c.replicas = append(c.replicas, r)
		if r.share, err = newShare(filepath.Base(c.base)+"-"+name, replicaPart*float64(runtime.NumCPU())); err != nil {
			c.shareErr = err
		}
		if err := r.serve(); err != nil {
			return c, err
		}
	}
	c.balancer, err = newBalancer(byName["balancer"], c.replicas)
	return c, err
}

// replicaPart is the part of the machine's processors that each replica has. The rest is for the database, the balancer and the callers.
const replicaPart = 0.25

// databases makes the primary and its standby.
func (c *cluster) databases(first, second *host) (err error) {
	if c.primary, err = newPostgres(first); err != nil {
		return err
	}
	if c.standby, err = newPostgres(second); err != nil {
		return err
	}
	if err := c.primary.found(network + "0/24"); err != nil {
		return err
	}
	var trial *slowdown
	if trial, c.slowErr = newSlowdown(first, filepath.Dir(c.primary.data), filepath.Base(c.base)); c.slowErr == nil {
		c.slowErr = trial.remove()
	}
	return c.standby.follow(c.primary)
}

// url is where the service is.
func (c *cluster) url() string { return "http://" + network + numbers["balancer"] }

// dsn names both servers: whoever of them takes writes is used.
func (c *cluster) dsn() string {
	return "postgres://verifier@" + network + numbers["db1"] + ":" + postgresPort + "," + network + numbers["db2"] + ":" + postgresPort + "/" + database +
		"?target_session_attrs=read-write&sslmode=disable"
}

// drain is longer than the balancer takes to notice.
const drain = 2 * time.Second

// lease is longer than any fault lasts, so that a worker is not taken for lost.
const lease = 30 * time.Second

// arguments are those that all replicas have.
func (c *cluster) arguments(more ...string) []string {
	return append([]string{"--database-url", c.dsn(), "--public-url", c.url(), "--trusted-proxies", network + numbers["balancer"], "--weights-url", c.objects.address(),
		"--drain", drain.String(), "--worker-lease", lease.String(), "--allow-simulated", "--local-worker", "off", "--key-rate", "1000000000", "--plan-rate", "1000000000",
		"--share-organisation", "100000", "--log-level", "warn"}, more...)
}

// down takes everything away. It may be called whatever has been made.
func (c *cluster) down(keep bool) error {
	var all []*process
	if c.balancer != nil {
		all = append(all, c.balancer.process)
	}
	for _, r := range c.replicas {
		all = append(all, r.process)
	}
	if c.objects != nil {
		all = append(all, c.objects.process)
	}
	for _, p := range all {
		if p.running() {
			_ = p.stop(syscall.SIGKILL, time.Second)
		}
	}
	for _, r := range c.replicas {
		_ = wait(time.Second, r.name, r.share.remove) // when its last process is gone
	}
	for _, p := range []*postgres{c.standby, c.primary} {
		if p != nil && p.process.running() {
			_ = p.process.stop(syscall.SIGQUIT, 5*time.Second) // at once, but without leaving shared memory behind
		}
	}
	for _, h := range c.hosts {
		if p := filepath.Join(h.dir, "disk"); h.name == "db1" || h.name == "db2" {
			_, _ = h.command(nil, "umount", "-q", p, filepath.Join(h.dir, "tables")) // the thread's end would do it, a little later
		}
		h.end()
	}
	if c.ethernet != nil {
		c.ethernet.end()
	}
	if keep {
		return nil
	}
	return wait(5*time.Second, "the folder", func() error { return os.RemoveAll(c.base) })
}

// logs are the last words of everybody, for who looks for a cause.
func (c *cluster) logs() string {
	var out strings.Builder
	found, _ := filepath.Glob(filepath.Join(c.base, "*.log"))
	for _, file := range found {
		data, _ := os.ReadFile(file)
		fmt.Fprintf(&out, "--- %s\n%s\n", filepath.Base(file), tail(string(data)))
	}
	return out.String()
}
