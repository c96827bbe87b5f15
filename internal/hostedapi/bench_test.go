package hostedapi_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/httpapi/load/drive"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// What is measured, bounded: one run takes a few minutes on two processors.
const (
	clients   = 64
	turns     = 5
	perTurn   = 1600
	longCalls = 200_000
)

// programs is the folder with the real programs, which make bench-hosted builds.
func programs(b *testing.B) string {
	b.Helper()
	bin := os.Getenv("VERIFIER_BIN")
	if bin == "" {
		b.Skip("VERIFIER_BIN does not name the folder with the programs: make bench-hosted does")
	}
	return bin
}

// fleet is replicas over one database, with a key for them.
type fleet struct {
	targets  []*drive.Target
	key      string
	args     []string
	database string
}

func launchFleet(b *testing.B, bin, database string, replicas int) *fleet {
	b.Helper()
	f := &fleet{database: database, args: []string{"--database-url", database}}
	if path, ok := strings.CutPrefix(database, "sqlite:"); ok {
		f.args = []string{"--data", filepath.Dir(path)}
	}
	f.key = benchKey(b, database)
	for range replicas {
		t, err := drive.Launch(filepath.Join(bin, "verifier-hosted"), func(addr string) []string {
			return append([]string{"--addr", addr, "--key-rate", "1000000000"}, f.args...)
		})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(t.Stop)
		f.targets = append(f.targets, t)
	}
	return f
}

// benchKey makes an organisation with a key and some thousand outcomes, so that a backup has something to read.
func benchKey(b *testing.B, database string) string {
	b.Helper()
	ctx := context.Background()
	s := accounttest.Open(b, database)
	defer func() { _ = s.Close() }() // before the programs open it
	a := &account.Service{Store: s.Accounts(), Clock: time.Now, Hasher: accounttest.Hasher(b)}
	org, owner, _ := accounttest.Found(b, a, "Alpha", "owner@alpha.example")
	l := ledger.Ledger{Store: s.Outcomes()}
	for i := range 3000 {
		if _, err := l.Write(ctx, org, ledger.Outcome{Fingerprint: fmt.Sprintf("%08x", i), Row: ledger.Row{At: time.Unix(1.7e9, 0).UTC(), Metric: "m", Value: 1, Source: "bench"}}); err != nil {
			b.Fatal(err)
		}
	}
	_, key, err := a.CreateKey(ctx, org, owner.ID, "bench")
	if err != nil {
		b.Fatal(err)
	}
	return key
}

func (f *fleet) header() string { return "Authorization: Bearer " + f.key + "\r\n" }

// run spreads a load over targets, and returns what it took, the processor time of the servers for each request included.
func run(b *testing.B, l drive.Load, targets []*drive.Target) drive.Result {
	b.Helper()
	busy := func() time.Duration {
		sum := time.Duration(0)
		for _, t := range targets {
			sum += drive.Processor(t.Pid())
		}
		return sum
	}
	results := make([]drive.Result, len(targets))
	var all sync.WaitGroup
	before := busy()
	for i, t := range targets {
		all.Go(func() {
			part := l
			part.Addr, part.Count, part.Connections, part.Rate = t.Addr, l.Count/len(targets), l.Connections/len(targets), l.Rate/float64(len(targets))
			var err error
			if results[i], err = part.Run(); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
	out := drive.Result{Processor: (busy() - before) / time.Duration(l.Count)}
	for _, r := range results {
		out.PerSecond += r.PerSecond
		out.P50, out.P99 = max(out.P50, r.P50), max(out.P99, r.P99)
	}
	return out
}

func middle(all []drive.Result) drive.Result {
	slices.SortFunc(all, func(a, b drive.Result) int { return cmp.Compare(a.PerSecond, b.PerSecond) })
	return all[len(all)/2]
}

func mean(all []drive.Result) (sum time.Duration) {
	for _, r := range all {
		sum += r.Processor
	}
	return sum / time.Duration(len(all))
}

// BenchmarkHosted compares keyed checks with the container's, in turns, and looks at backups and memory.
func BenchmarkHosted(b *testing.B) {
	bin := programs(b)
	container, err := drive.Launch(filepath.Join(bin, "verifier-server"), func(addr string) []string { return []string{"--addr", addr} })
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(container.Stop)
	body, err := drive.Request(drive.Decoder(32))
	if err != nil {
		b.Fatal(err)
	}
	pg := pgtest.Start(b)
	fmt.Printf("\nkeyed checks of a decoder of 197 components, %d clients, client and servers on the same %d processors; cost is processor time of the servers\n", clients, runtime.NumCPU())
	fmt.Printf("%-24s %9s %9s %9s %9s %11s %14s %12s\n", "", "a second", "p50 ms", "p99 ms", "us each", "container/s", "container us", "cost ratio")
	for _, c := range []struct {
		name     string
		replicas int
		database string
	}{
		{"sqlite", 1, "sqlite:" + filepath.Join(b.TempDir(), "verifier.db")},
		{"postgres", 1, pg.Database(b)},
		{"postgres, 3 replicas", 3, pg.Database(b)},
	} {
		b.Run(strings.ReplaceAll(c.name, " ", ""), func(b *testing.B) {
			f := launchFleet(b, bin, c.database, c.replicas)
			keyed := drive.Load{Path: "/api/v1/check", Header: f.header(), Body: body, Count: perTurn, Connections: clients}
			plain := drive.Load{Path: "/v1/check", Body: body, Count: perTurn, Connections: clients}
			var mine, theirs []drive.Result
			for range turns {
				theirs = append(theirs, run(b, plain, []*drive.Target{container}))
				mine = append(mine, run(b, keyed, f.targets))
			}
			m, t := middle(mine), middle(theirs)
			ratio := mean(mine).Seconds() / mean(theirs).Seconds()
			fmt.Printf("%-24s %9.0f %9.1f %9.1f %9d %11.0f %14d %12.2f\n", c.name, m.PerSecond, ms(m.P50), ms(m.P99), mean(mine).Microseconds(), t.PerSecond, mean(theirs).Microseconds(), ratio)
			b.ReportMetric(m.PerSecond, "checks/s")
			b.ReportMetric(ratio, "cost-ratio")
			f.whileBackingUp(b, bin, keyed, m.PerSecond/2)
			if c.replicas == 1 {
				f.memory(b)
			}
			for _, t := range f.targets {
				t.Stop()
			}
		})
	}
}

// BenchmarkKeyed compares keyed checks of 10 components with the container's and with an empty handler that reads and writes bodies of the
// same sizes, in turns: what a key, a limit, a row of the corpus and a line of the log cost.
func BenchmarkKeyed(b *testing.B) {
	bin := programs(b)
	body, err := drive.Request(drive.Small)
	if err != nil {
		b.Fatal(err)
	}
	f := launchFleet(b, bin, "sqlite:"+filepath.Join(b.TempDir(), "verifier.db"), 1)
	container, err := drive.Launch(filepath.Join(bin, "verifier-server"), func(addr string) []string { return []string{"--addr", addr} })
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(container.Stop)
	keyed := drive.Load{Path: "/api/v1/check", Header: f.header(), Body: body, Count: 12_000, Connections: 8}
	sized := keyed
	sized.Addr = f.targets[0].Addr
	size, err := sized.AnswerSize()
	if err != nil {
		b.Fatal(err)
	}
	empty, err := drive.Launch(os.Args[0], func(addr string) []string { return []string{emptyHandler, fmt.Sprintf("%s,%d", addr, size)} })
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(empty.Stop)
	plain := keyed
	plain.Path, plain.Header = "/v1/check", ""
	var results [3][]drive.Result
	for range turns {
		results[0] = append(results[0], run(b, keyed, f.targets))
		results[1] = append(results[1], run(b, plain, []*drive.Target{container}))
		results[2] = append(results[2], run(b, plain, []*drive.Target{empty}))
	}
	fmt.Printf("\nchecks of 10 components (%d bytes, answered with %d), 8 clients on the same %d processors; cost is processor time of the server\n", len(body), size, runtime.NumCPU())
	for i, name := range []string{"hosted, with a key", "container", "empty handler"} {
		fmt.Printf("%-20s %9.0f a second, %.2f of the empty handler; %4d us each; a second of one core: %.0f checks\n", name, middle(results[i]).PerSecond,
			middle(results[i]).PerSecond/middle(results[2]).PerSecond, mean(results[i]).Microseconds(), 1/mean(results[i]).Seconds())
	}
	b.ReportMetric(middle(results[0]).PerSecond/middle(results[2]).PerSecond, "of-empty")
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// whileBackingUp sends at half the rate, without and with backups one after the other.
func (f *fleet) whileBackingUp(b *testing.B, bin string, l drive.Load, rate float64) {
	b.Helper()
	l.Rate, l.Connections, l.Count = rate, 16, 1000
	quiet := run(b, l, f.targets)
	ctx, stop := context.WithCancel(context.Background())
	var backups sync.WaitGroup
	n := 0
	backups.Go(func() {
		for ctx.Err() == nil {
			args := append(slices.Clone(f.args), "backup", filepath.Join(b.TempDir(), "archive"))
			if out, err := exec.Command(filepath.Join(bin, "verifier-hosted"), args...).CombinedOutput(); err != nil {
				b.Errorf("%v %s", err, out)
				return
			}
			n++
		}
	})
	during := run(b, l, f.targets)
	stop()
	backups.Wait()
	fmt.Printf("  at %4.0f a second: p99 %.1f ms, and %.1f ms while %d backups ran one after the other\n", rate, ms(quiet.P99), ms(during.P99), n)
}

// memory sends many small checks and looks at what is resident.
func (f *fleet) memory(b *testing.B) {
	b.Helper()
	l := drive.Load{Path: "/api/v1/check", Header: f.header(), Body: []byte(request("", 3)), Count: longCalls / 10, Connections: 16}
	var after []string
	for i := range 10 {
		run(b, l, f.targets)
		if i == 0 || i == 4 || i == 9 {
			after = append(after, strconv.Itoa((i+1)*l.Count)+": "+resident(f.targets[0].Pid()))
		}
	}
	fmt.Printf("  resident after so many small checks: %s; peak %.0f MB\n", strings.Join(after, ", "), f.targets[0].PeakMB())
}

// resident is what a process has in memory now.
func resident(pid int) string {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return "?"
	}
	pages, _ := strconv.Atoi(fields[1])
	return fmt.Sprintf("%d MB", pages*os.Getpagesize()>>20)
}
