//go:build linux

// Command soak builds the service's cluster on one machine, in network namespaces that it makes itself, and shows that it holds: others call
// while replicas are killed, the database fails over, disks are full and cables cut. It says what failed and for how long, and takes
// everything down. It must not know how an answer is made: those that it expects are the recorded cases of the folder conformance.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

type connection = net.Conn

// options are those of the command line.
type options struct {
	lasts     time.Duration
	program   string
	versitygw string
	source    string // this repository
	only      string
	seed      uint64
	keep      bool
	overload  time.Duration
	former    string
	hold      bool
}

func main() {
	var o options
	flag.DurationVar(&o.lasts, "for", 5*time.Minute, "how long it runs")
	flag.StringVar(&o.program, "program", "bin/soak/verifier-hosted", "the service, built with the tag soak")
	flag.StringVar(&o.versitygw, "s3", "tools/bin/versitygw", "the S3 server")
	flag.StringVar(&o.former, "former", "bin/soak/former", "folder with the program of an older commit and its conformance/cases")
	flag.StringVar(&o.source, "source", ".", "this repository, for the cases of its folder conformance")
	flag.StringVar(&o.only, "only", "", "faults that have one of these words in their name, with commas between")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "what faults and requests are drawn from")
	flag.DurationVar(&o.overload, "overload", time.Minute, "how long twice the capacity is sent behind the faults; 0: not at all")
	flag.BoolVar(&o.hold, "hold", false, "break nothing: keep the cluster until Ctrl-C")
	flag.BoolVar(&o.keep, "keep", false, "leave the logs where they are")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// run builds the cluster, soaks it and takes it down.
func run(ctx context.Context, o options) (err error) {
	sources, program, former := []string{o.source}, absolute(o.program), formerProgram(absolute(o.former))
	first := program
	if former != "" && !o.hold && chosen(upgrade.name, o.only) {
		sources, first = append(sources, o.former), former
	}
	known, err := knowledge(sources...)
	if err != nil {
		return err
	}
	fmt.Printf("seed %d, for %v; building the cluster\n", o.seed, o.lasts)
	c, err := newCluster(setting{program: first, versitygw: absolute(o.versitygw)})
	if c != nil {
		defer func() {
			if down := c.down(o.keep); down != nil && err == nil {
				err = down
			}
		}()
	}
	if err != nil {
		return err
	}
	s := &soak{cluster: c, program: program, former: former, load: newLoad(c.url(), c.outside.dial, known, o.seed), rows: map[string]*row{}, print: func(format string, args ...any) {
		fmt.Printf(time.Now().Format("15:04:05 ")+format, args...)
	}}
	if err := s.prepare(ctx); err != nil {
		return fmt.Errorf("%w\n%s", err, c.logs())
	}
	if o.hold {
		return s.hold(ctx)
	}
	if first == former {
		s.load.answeredBy(formerVersion)
	}
	s.load.begin(ctx)
	err = s.storm(ctx, o)
	if ctx.Err() != nil {
		s.load.end()
		return context.Cause(ctx)
	}
	if err != nil {
		s.load.end()
		return fmt.Errorf("%w\n%s", err, c.logs())
	}
	s.load.end()
	if o.overload > 0 {
		if err := s.overload(ctx, o.overload); err != nil {
			return err
		}
	}
	return s.verdict(ctx, filepath.Join(absolute(o.source), "deploy", "hosted", "recover.sh"))
}

// prepare makes the organisations and workers.
func (s *soak) prepare(ctx context.Context) error {
	if err := s.load.warm(ctx); err != nil {
		return err
	}
	for _, name := range []string{"alpha", "beta", "gamma", "trainer"} {
		t, err := s.found(s.load.transport, name)
		if err != nil {
			return err
		}
		s.load.tenants = append(s.load.tenants, t)
	}
	last := len(s.load.tenants) - 1
	s.load.trainer, s.load.tenants = s.load.tenants[last], s.load.tenants[:last]
	for _, name := range []string{"w1", "w2", "simulates"} {
		token, err := s.hire(name)
		if err != nil {
			return err
		}
		s.load.workers = append(s.load.workers, token)
	}
	return nil
}

// storm inflicts faults until the time is over: each once, in a drawn order, and again.
func (s *soak) storm(ctx context.Context, o options) error {
	var some []*fault
	for _, f := range faults {
		if chosen(f.name, o.only) {
			some = append(some, f)
		}
	}
	end, chance := time.Now().Add(o.lasts), rand.New(rand.NewPCG(o.seed, 2))
	pause(ctx, 3*time.Second) // everybody calls
	if chosen(upgrade.name, o.only) {
		if err := s.inflict(ctx, upgrade); err != nil {
			return err
		}
	}
	if len(some) == 0 {
		return nil
	}
	for time.Now().Before(end) {
		chance.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
		for _, f := range some {
			if !time.Now().Before(end) {
				break
			}
			if err := s.inflict(ctx, f); err != nil {
				return err
			}
			pause(ctx, time.Duration(500+chance.IntN(2000))*time.Millisecond)
		}
	}
	return nil
}

// verdict reads everything back, also behind a disaster, and prints the tables.
func (s *soak) verdict(ctx context.Context, script string) error {
	said, err := s.load.settle(ctx, 10*time.Minute)
	if err == nil {
		s.print("%s\n", said)
		if err = s.disaster(ctx, script); err == nil {
			said, err = s.load.settle(ctx, 10*time.Minute)
		}
	}
	if err != nil {
		s.fail("%v", err)
	}
	fmt.Printf("\n%s\n%s\n%s, also behind the disaster\n", s.table(), s.load.journal, said)
	_, wrong := s.load.since(time.Now())
	for _, w := range s.load.wrong[:min(wrong, 20)] {
		fmt.Println("WRONG:", w)
	}
	if wrong > 0 || len(s.bad) > 0 {
		return fmt.Errorf("%d answers were wrong or missing, %d bounds were not held", wrong, len(s.bad))
	}
	fmt.Println("nothing that was acknowledged was lost, no answer was wrong, nobody saw what is somebody else's")
	return nil
}

// chosen says whether a name has one of some words in it.
func chosen(name, words string) bool {
	for _, word := range strings.Split(words, ",") {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

func absolute(path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	return dir + "/" + path
}
