// Package slurmtest starts a real Slurm of one node for tests, from Debian's packages.
//
// A cluster lives in a folder of its own, with ports, keys and daemons of its own, and needs no systemd. Its node says that it has two
// H100, whose device files are those of terminals. Everything ends with the test, the jobs too. Only tests import this package.
package slurmtest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Cluster is one that a test may do harm to.
type Cluster struct {
	Dir, Conf   string // the folder, and its slurm.conf
	ports       [2]string
	mu          sync.Mutex
	daemons     map[string]*daemon
	everStarted bool
}

type daemon struct {
	cmd   *exec.Cmd
	ended chan struct{}
	said  bytes.Buffer
}

// Start returns a cluster whose node is ready for jobs.
func Start(t *testing.T) *Cluster {
	t.Helper()
	for _, name := range []string{"sbatch", "munged", "slurmctld", "slurmd"} {
		if _, err := find(name); err != nil {
			missing(t, err)
		}
	}
	c := &Cluster{daemons: map[string]*daemon{}}
	var err error
	if c.Dir, err = folder(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.remove)
	for range 3 { // somebody else may have got a port meanwhile
		if err = c.configure(); err == nil {
			err = c.start()
		}
		if err == nil {
			return c
		}
		c.end()
	}
	t.Fatalf("%v\n%s", err, c.Log())
	return nil
}

func missing(t *testing.T, err error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("no Slurm: %v: make test installs it", err)
	}
	t.Skipf("no Slurm: %v: make test installs it where that is allowed", err)
}

// find finds a program where Debian has daemons, which is not everybody's path.
func find(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	path := "/usr/sbin/" + name
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is not installed (Debian: apt-get install slurm-wlm munge)", name)
	}
	return path, nil
}

// folder makes one whose path is short enough for a socket, whose name has at most 107 characters.
func folder() (string, error) {
	where := os.TempDir()
	if len(where) > 50 {
		where = "/tmp"
	}
	return os.MkdirTemp(where, "slurm")
}

// configuration is slurm.conf; cards that are not there need distinct character devices.
const configuration = `ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=%[2]s
SlurmdUser=%[2]s
SlurmctldPort=%[4]s
SlurmdPort=%[5]s
AuthType=auth/munge
AuthInfo=socket=%[3]s/munge.socket
StateSaveLocation=%[3]s/state
SlurmdSpoolDir=%[3]s/spool
SlurmctldPidFile=%[3]s/slurmctld.pid
SlurmdPidFile=%[3]s/slurmd.pid
SlurmctldLogFile=%[3]s/slurmctld.log
SlurmdLogFile=%[3]s/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=%[3]s/jobcomp
MinJobAge=3600
KillWait=2
ReturnToService=2
MailProg=/bin/true
OverTimeLimit=0
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
MessageTimeout=5
GresTypes=gpu
NodeName=localhost NodeAddr=127.0.0.1 Port=%[5]s CPUs=8 RealMemory=4000 Gres=gpu:h100:2 State=UNKNOWN
PartitionName=main Nodes=localhost Default=YES MaxTime=INFINITE State=UP
PartitionName=short Nodes=localhost MaxTime=5 State=UP
`

func (c *Cluster) configure() error {
	who, err := user.Current()
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	host, _, _ = strings.Cut(host, ".")
	for i := range c.ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer func() { _ = l.Close() }() // behind the other one, so that the two differ
		_, c.ports[i], _ = net.SplitHostPort(l.Addr().String())
	}
	c.Conf = filepath.Join(c.Dir, "slurm.conf")
	key := make([]byte, 128)
	_, _ = rand.Read(key)
	for _, dir := range []string{"state", "spool"} {
		if err := os.MkdirAll(filepath.Join(c.Dir, dir), 0o755); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"slurm.conf":  fmt.Sprintf(configuration, host, who.Username, c.Dir, c.ports[0], c.ports[1]),
		"gres.conf":   "NodeName=localhost Name=gpu Type=h100 File=/dev/tty[0-1]\n",
		"cgroup.conf": withoutGroups(),
		"munge.key":   string(key),
	} {
		if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// withoutGroups is cgroup.conf for a machine on which nobody made control groups for Slurm. The word for it changed with version 24.
func withoutGroups() string {
	path, err := find("slurmd")
	if err != nil {
		return ""
	}
	out, _ := exec.Command(path, "-V").Output() // such as slurm-wlm 22.05.8
	words := strings.Fields(string(out))
	if len(words) == 2 && words[1] < "24" {
		return "CgroupAutomount=no\n"
	}
	return "CgroupPlugin=disabled\n"
}

func (c *Cluster) start() error {
	in := func(name string) string { return filepath.Join(c.Dir, name) }
	if err := c.launch("munged", "--foreground", "--force", "--key-file="+in("munge.key"), "--socket="+in("munge.socket"), "--pid-file="+in("munge.pid"),
		"--log-file="+in("munge.log"), "--seed-file="+in("munge.seed")); err != nil {
		return err
	}
	if err := until(func() error { _, err := os.Stat(in("munge.socket")); return err }); err != nil {
		return err
	}
	if err := c.StartController(); err != nil {
		return err
	}
	if err := c.StartNode(); err != nil {
		return err
	}
	c.everStarted = true
	return nil
}

// StartController starts slurmctld, with the state that an earlier one left.
func (c *Cluster) StartController() error {
	args := []string{"-D", "-f", c.Conf}
	if !c.everStarted {
		args = append(args, "-c") // there is no state yet
	}
	if err := c.launch("slurmctld", args...); err != nil {
		return err
	}
	return until(func() error { _, err := c.Command("scontrol", "ping"); return err })
}

// StartNode starts slurmd, and waits until the controller gives jobs to the node.
func (c *Cluster) StartNode() error {
	if err := c.launch("slurmd", "-D", "-N", "localhost", "-f", c.Conf); err != nil {
		return err
	}
	return c.WaitForNode()
}

// WaitForNode waits until the controller gives jobs to the node.
func (c *Cluster) WaitForNode() error {
	return until(func() error {
		out, err := c.Command("sinfo", "-h", "-o", "%T", "-p", "main")
		if s := strings.TrimSpace(out); err == nil && s != "idle" && s != "mixed" && s != "allocated" {
			err = fmt.Errorf("the node is %s", s)
		}
		return err
	})
}

// Kill ends a daemon at once: slurmctld or slurmd.
func (c *Cluster) Kill(name string) {
	c.mu.Lock()
	d := c.daemons[name]
	delete(c.daemons, name)
	c.mu.Unlock()
	if d != nil {
		_ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL)
		<-d.ended
	}
}

// Command runs one of Slurm's programs and returns what it wrote.
func (c *Cluster) Command(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "SLURM_CONF=" + c.Conf}
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(out))
	}
	return string(out), err
}

// Log is the end of what the daemons wrote.
func (c *Cluster) Log() string {
	var all strings.Builder
	for _, name := range []string{"munge.log", "slurmctld.log", "slurmd.log"} {
		data, _ := os.ReadFile(filepath.Join(c.Dir, name))
		fmt.Fprintf(&all, "%s:\n%s\n", name, data[max(0, len(data)-3000):])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, d := range c.daemons {
		select {
		case <-d.ended:
			fmt.Fprintf(&all, "%s ended: %s\n", name, d.said.Bytes())
		default:
		}
	}
	return all.String()
}

func (c *Cluster) launch(name string, args ...string) error {
	path, err := find(name)
	if err != nil {
		return err
	}
	d := &daemon{cmd: exec.Command(path, args...), ended: make(chan struct{})}
	d.cmd.Env = []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "SLURM_CONF=" + c.Conf}
	d.cmd.Stdout, d.cmd.Stderr, d.cmd.Dir = &d.said, &d.said, c.Dir
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	started := make(chan error)
	go func() {
		// The kernel ends the daemon with the thread that started it, so that thread stays.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := d.cmd.Start()
		started <- err
		if err == nil {
			_ = d.cmd.Wait()
			close(d.ended)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.daemons[name] = d
	return nil
}

func until(ready func() error) error {
	err := errors.New("not begun")
	for deadline := time.Now().Add(30 * time.Second); err != nil && time.Now().Before(deadline); {
		if err = ready(); err != nil {
			time.Sleep(50 * time.Millisecond)
		}
	}
	return err
}

// end stops jobs first: they do not end with the daemons.
func (c *Cluster) end() {
	c.mu.Lock()
	controlled := c.daemons["slurmctld"] != nil && c.daemons["slurmd"] != nil
	c.mu.Unlock()
	if controlled {
		_, _ = c.Command("scancel", "--user="+current())
		_ = until(func() error {
			if out, err := c.Command("squeue", "-h"); err == nil && strings.TrimSpace(out) != "" {
				return errors.New("jobs are left")
			}
			return nil
		})
	}
	for _, name := range []string{"slurmd", "slurmctld", "munged"} {
		c.Kill(name)
	}
}

func current() string {
	if who, err := user.Current(); err == nil {
		return who.Username
	}
	return ""
}

func (c *Cluster) remove() {
	c.end()
	_ = until(func() error { return os.RemoveAll(c.Dir) })
}
