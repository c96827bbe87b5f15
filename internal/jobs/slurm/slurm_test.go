package slurm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/jobs/slurm/slurmtest"
)

// stand is a program in the place of verifier-worker: it notes what it was given, and then does what the file beside it says.
const stand = `#!/bin/sh
while [ $# -gt 0 ]; do
	case $1 in --job) job=$2 ;; --token-file) token=$2 ;; esac
	shift
done
cd "$(dirname "$0")"
{ env; echo "token $(cat "$token")"; stat -c 'mode %a' "$token"; tr '\0' ' ' </proc/$$/cmdline; } >"ran-$job.tmp"
mv "ran-$job.tmp" "ran-$job"
echo run >>"runs-$job"
. "./then"
`

// cluster starts Slurm, and a backend whose workers do what then says. Tests mostly wait for it, so they run beside each other, but for the
// one that looks at everything that runs.
func cluster(t *testing.T, then string, change ...func(*Config)) (*slurmtest.Cluster, *Backend) {
	t.Helper()
	c := slurmtest.Start(t)
	for name, text := range map[string]string{"worker": stand, "then": then} {
		if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(c.Dir, "shared")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	config, err := Parse(fmt.Appendf(nil, "folder: %s\nworker: %s\ndata: /data sets\nslurmConf: %s\ncpu: true\n", folder, filepath.Join(c.Dir, "worker"), c.Conf))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(&config)
	}
	b, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return c, b
}

func ticket(job string) jobs.Ticket {
	return jobs.Ticket{Job: job, Attempt: 1, Token: "mvj_the-secret-of-" + job, Server: "https://verifier.example/it's", Dataset: "mnist", Runtime: time.Hour}
}

// tried asks again where the controller was too slow, as the service does.
func tried[T any](ask func() (T, error)) (answer T, err error) {
	for range 5 {
		if answer, err = ask(); err == nil || !strings.Contains(err.Error(), "Socket timed out") {
			break
		}
	}
	return answer, err
}

func (b *Backend) started(t *testing.T, k jobs.Ticket) (string, error) {
	t.Helper()
	return tried(func() (string, error) { return b.Start(t.Context(), k) })
}

func start(t *testing.T, b *Backend, k jobs.Ticket) string {
	t.Helper()
	ref, err := b.started(t, k)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// eventually waits for something that Slurm does in its own time.
func eventually(t *testing.T, c *slurmtest.Cluster, what string, within time.Duration, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(within); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v\n%s", what, within, c.Log())
		}
	}
}

func ran(c *slurmtest.Cluster, job string) string {
	text, _ := os.ReadFile(filepath.Join(c.Dir, "ran-"+job))
	return string(text)
}

func runs(c *slurmtest.Cluster, job string) int {
	text, _ := os.ReadFile(filepath.Join(c.Dir, "runs-"+job))
	return strings.Count(string(text), "run")
}

// gone waits until the cluster says why a job is gone.
func gone(t *testing.T, c *slurmtest.Cluster, b *Backend, ref string, within time.Duration) (why string) {
	t.Helper()
	eventually(t, c, ref+" is gone", within, func() bool {
		var err error
		if why, err = tried(func() (string, error) { return b.Gone(t.Context(), ref) }); err != nil {
			t.Fatal(err)
		}
		return why != ""
	})
	return why
}

func TestAJobRunsWithItsCardAndItsToken(t *testing.T) {
	t.Parallel()
	c, b := cluster(t, "sleep 2")
	k := ticket("a")
	k.GPU = "H100"
	ref := start(t, b, k)
	eventually(t, c, "the job runs", time.Minute, func() bool { return ran(c, "a") != "" })
	got := ran(c, "a")
	for _, want := range []string{"CUDA_VISIBLE_DEVICES=0\n", "token " + k.Token + "\n", "mode 600\n", "SLURM_JOB_NAME=mv-a-1\n",
		"run --server https://verifier.example/it's --job a --token-file " + filepath.Join(b.config.Folder, "mv-a-1.token") + " --data /data sets --cards H100"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if why, err := b.Gone(t.Context(), ref); why != "" || err != nil {
		t.Error("a job that runs is gone: ", why, err)
	}
	shown, err := c.Command("scontrol", "-o", "show", "job")
	if err != nil || !strings.Contains(shown, "TimeLimit=01:10:00") || !strings.Contains(shown, "Comment=model verifier: job a, attempt 1") || !strings.Contains(shown, "gpu:h100:1") {
		t.Error(shown, err)
	}
	if why := gone(t, c, b, ref, time.Minute); why != "Slurm: COMPLETED: its worker ended without taking the job" {
		t.Error(why)
	}
	if _, err := os.Stat(filepath.Join(b.config.Folder, "mv-a-1.token")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the token is left: ", err)
	}
}

// TestTheTokenIsInItsFileAlone looks for it in everything that Slurm keeps and shows, and at what runs.
func TestTheTokenIsInItsFileAlone(t *testing.T) {
	c, b := cluster(t, "sleep 30")
	k := ticket("a")
	ref := start(t, b, k)
	eventually(t, c, "the job runs", time.Minute, func() bool { return ran(c, "a") != "" })
	number, _, _ := strings.Cut(ref, " ")
	for _, command := range [][]string{{"scontrol", "-d", "show", "job"}, {"scontrol", "write", "batch_script", number, "-"}, {"squeue", "-o", "%all"}, {"scontrol", "show", "step"}} {
		out, err := c.Command(command[0], command[1:]...)
		if err != nil || strings.Contains(out, k.Token) {
			t.Errorf("%q: %v\n%s", command, err, out)
		}
	}
	found := 0
	if err := filepath.WalkDir(c.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Base(path) == "ran-a" {
			return nil // what daemons remove meanwhile; and what the stand-in for the worker wrote
		}
		if text, _ := os.ReadFile(path); strings.Contains(string(text), k.Token) {
			found++
			if filepath.Base(path) != "mv-a-1.token" {
				t.Errorf("it is in %s", path)
			}
		}
		return nil
	}); err != nil || found != 1 {
		t.Errorf("found %d times: %v", found, err)
	}
	processes, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, p := range processes {
		for _, path := range []string{p, strings.Replace(p, "cmdline", "environ", 1)} {
			if text, _ := os.ReadFile(path); strings.Contains(string(text), k.Token) {
				t.Errorf("it is in %s: %s", path, text)
			}
		}
	}
	if err := b.Stop(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(b.config.Folder, "mv-a-1.token")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the token is left: ", err)
	}
}

func TestAStoppedJobEnds(t *testing.T) {
	t.Parallel()
	// Slurm drops a signal to a step that is still starting, so the worker has run for a while when it says that it listens. It may end
	// what the worker waits for before it signals the worker, which therefore waits again.
	c, b := cluster(t, `trap 'echo told >told; exit 0' TERM; sleep 2; echo listens >listens; while :; do sleep 60 & wait; done`)
	there := func(name string) func() bool {
		return func() bool { _, err := os.Stat(filepath.Join(c.Dir, name)); return err == nil }
	}
	ref := start(t, b, ticket("a"))
	eventually(t, c, "the worker listens to signals", time.Minute, there("listens"))
	waiting := ticket("b")
	waiting.GPU = "H100"
	other := start(t, b, waiting)
	for range 2 { // the second time it has ended
		if err := b.Stop(t.Context(), ref); err != nil {
			t.Fatal(err)
		}
	}
	if why := gone(t, c, b, ref, time.Minute); !strings.HasPrefix(why, "Slurm: CANCELLED: it was cancelled on the cluster") {
		t.Error(why)
	}
	eventually(t, c, "the worker is told", time.Minute, there("told"))
	if why, err := b.Gone(t.Context(), other); why != "" || err != nil {
		t.Error("another job was stopped: ", why, err)
	}
}

func TestWhatTheClusterRefusesIsSaid(t *testing.T) {
	t.Parallel()
	c, b := cluster(t, "sleep 60", func(c *Config) { c.Cards = map[string]string{"H100": "gpu:h100", "A100-80GB": "gpu:a100"} })
	k := ticket("a")
	k.GPU = "A100-80GB"
	var no *jobs.RefusedError
	if _, err := b.started(t, k); !errors.As(err, &no) || no.Reason != "Slurm: Requested node configuration is not available" {
		t.Error(err)
	}
	if ref, err := b.started(t, k); err != nil { // Slurm keeps a job that it has refused
		t.Error(err)
	} else if why := gone(t, c, b, ref, time.Minute); why != "Slurm: FAILED: its worker failed, reason BadConstraints, exit code 0:1" {
		t.Error(why)
	}
	k = ticket("b")
	k.GPU = "B200"
	if _, err := b.started(t, k); !errors.As(err, &no) || no.Reason != "Slurm: no node that is up has a B200" {
		t.Error(err)
	}
	b.config.Partition = "none"
	if _, err := b.started(t, ticket("c")); !errors.As(err, &no) || no.Reason != "Slurm: Invalid partition name specified" {
		t.Error(err)
	}
	b.config.Partition = "short" // of five minutes
	ref := start(t, b, ticket("d"))
	if why := gone(t, c, b, ref, time.Minute); why != "Slurm: the job will never start: PartitionTimeLimit" {
		t.Error(why)
	}
	left, err := filepath.Glob(filepath.Join(b.config.Folder, "*.token"))
	if err != nil || len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

func TestTheClusterEndsWhatTakesTooLong(t *testing.T) {
	if testing.Short() {
		t.Skip("Slurm counts time in minutes")
	}
	t.Parallel()
	c, b := cluster(t, "sleep 600")
	b.config.Margin = 0
	k := ticket("a")
	k.Runtime = time.Second
	ref := start(t, b, k)
	if why := gone(t, c, b, ref, 3*time.Minute); !strings.HasPrefix(why, "Slurm: TIMEOUT: it ran into the cluster's time limit") {
		t.Error(why)
	}
}

func TestAFailedWorkerIsToldWithItsExitCode(t *testing.T) {
	t.Parallel()
	c, b := cluster(t, "exit 4")
	ref := start(t, b, ticket("a"))
	if why := gone(t, c, b, ref, time.Minute); why != "Slurm: FAILED: its worker failed, reason NonZeroExitCode, exit code 4:0" {
		t.Error(why)
	}
}

func TestASecondStartFindsTheFirst(t *testing.T) {
	t.Parallel()
	c, b := cluster(t, "sleep 2")
	refs := make([]string, 6)
	var all sync.WaitGroup
	for i := range refs {
		all.Go(func() {
			k := ticket("a")
			k.Token += strconv.Itoa(i)
			var err error
			if refs[i], err = b.started(t, k); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	first := refs[0]
	if why := gone(t, c, b, first, time.Minute); !strings.Contains(why, "COMPLETED") {
		t.Error(why)
	}
	refs = append(refs, start(t, b, ticket("a"))) // behind its end, too
	if slices.ContainsFunc(refs, func(ref string) bool { return ref != first }) || runs(c, "a") != 1 {
		t.Errorf("%q, %d runs", refs, runs(c, "a"))
	}
	other := ticket("a")
	other.Attempt = 2
	if second := start(t, b, other); second == first || !strings.HasSuffix(second, " mv-a-2") {
		t.Errorf("another attempt is %s", second)
	}
}

// TestTwoServicesDoNotRunAJobTwiceAtOnce submits behind the back of Start, as a replica does that asks at the same moment.
func TestTwoServicesDoNotRunAJobTwiceAtOnce(t *testing.T) {
	t.Parallel()
	c, b := cluster(t, "sleep 3")
	k := ticket("a")
	first := start(t, b, k)
	args, err := b.arguments(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.command(t.Context(), b.script(k), "sbatch", args...)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, c, "the job runs", time.Minute, func() bool { return runs(c, "a") == 1 })
	state, err := c.Command("squeue", "-h", "-j", strings.TrimSpace(out), "-o", "%T %r")
	if err != nil || strings.TrimSpace(state) != "PENDING Dependency" {
		t.Error(state, err)
	}
	if again := start(t, b, k); again != first {
		t.Errorf("%s is %s", first, again)
	}
	if err := b.Stop(t.Context(), first); err != nil { // both of them
		t.Fatal(err)
	}
	eventually(t, c, "both end", time.Minute, func() bool {
		left, err := c.Command("squeue", "-h")
		return err == nil && strings.TrimSpace(left) == ""
	})
	if runs(c, "a") != 1 {
		t.Errorf("%d runs", runs(c, "a"))
	}
}

// TestAControllerThatIsKilledLosesNothingOfOurs: what it forgot is said to be gone although its number was given to another, and can
// be started again; what it knows goes on.
func TestAControllerThatIsKilledLosesNothingOfOurs(t *testing.T) {
	t.Parallel()
	c, b := cluster(t, "sleep 20")
	kept := start(t, b, ticket("kept"))
	eventually(t, c, "the job runs", time.Minute, func() bool { return ran(c, "kept") != "" })
	running := time.Now()
	eventually(t, c, "that it runs is on the disk", time.Minute, func() bool {
		info, err := os.Stat(filepath.Join(c.Dir, "state/job_state"))
		return err == nil && info.ModTime().After(running)
	})
	hidden := ticket("lost")
	hidden.GPU = "H100"
	lost := start(t, b, hidden)
	c.Kill("slurmctld")
	if _, err := b.Gone(t.Context(), kept); err == nil {
		t.Error("a controller that is away gives an answer")
	}
	if _, err := b.Start(t.Context(), ticket("away")); err == nil || errors.As(err, new(*jobs.RefusedError)) {
		t.Error("a controller that is away refuses: ", err)
	}
	if err := c.StartController(); err != nil {
		t.Fatal(err)
	}
	if err := c.WaitForNode(); err != nil {
		t.Fatal(err)
	}
	if why, err := b.Gone(t.Context(), kept); why != "" && !strings.Contains(why, "COMPLETED") || err != nil {
		t.Error(why, err)
	}
	other := start(t, b, ticket("other"))
	if number := func(ref string) string { n, _, _ := strings.Cut(ref, " "); return n }; number(other) != number(lost) {
		t.Logf("the number of %s was not given to %s: the controller had written it", lost, other)
	} else if why, err := b.Gone(t.Context(), lost); why != "Slurm has lost the job" || err != nil {
		t.Error(why, err)
	}
	if err := b.Stop(t.Context(), lost); err != nil {
		t.Error(err)
	}
	eventually(t, c, "the job that has its number runs", time.Minute, func() bool { return ran(c, "other") != "" })
	if why, err := b.Gone(t.Context(), other); why != "" || err != nil {
		t.Error("the job that has its number was stopped: ", why, err)
	}
	hidden.Attempt = 2
	start(t, b, hidden)
	eventually(t, c, "what was lost runs", time.Minute, func() bool { return ran(c, "lost") != "" })
}

func TestOffersAreTheCardsOfNodesThatAreUp(t *testing.T) {
	t.Parallel()
	c, b := cluster(t, "")
	o, err := b.Offers(t.Context())
	if err != nil || !slices.Equal(o.Cards, []string{"H100"}) || !o.CPU || o.Simulated || o.Datasets != nil {
		t.Errorf("%+v %v", o, err)
	}
	if _, err := c.Command("scontrol", "update", "nodename=localhost", "state=drain", "reason=test"); err != nil {
		t.Fatal(err)
	}
	b.seen = time.Time{} // as half a minute later
	if o, err := b.Offers(t.Context()); err != nil || len(o.Cards) > 0 || o.CPU {
		t.Errorf("%+v %v", o, err)
	}
	c.Kill("slurmctld")
	b.seen = time.Time{}
	if _, err := b.Offers(t.Context()); err == nil {
		t.Error("a controller that is away offers something")
	}
	began := time.Now()
	if _, err := b.Offers(t.Context()); err == nil || time.Since(began) > time.Second {
		t.Error("it is asked again at once: ", err)
	}
}
