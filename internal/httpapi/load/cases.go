package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/modelverifier/verifier/internal/httpapi/load/drive"
)

// measured is one model and how often it is sent.
type measured struct {
	name     string
	notation string
	count    int
	bar      float64 // requests a second that must be reached; 0 where that depends on the empty handler
}

func cases() []measured {
	return []measured{
		{"10 components, an image network", drive.Small, 60_000, 0},
		{"197 components, a decoder", drive.Decoder(32), 8_000, 0},
		{"2,000 components, residual", drive.Residual(2000), 1_200, 100},
	}
}

// connections keeps both processors busy without a queue that would hide in the latency. The two servers take turns, so
// that what else happens on the machine meets both alike, and the round in the middle is reported.
const connections, rounds = 8, 5

// measure runs the server and an empty handler at their full rates in turns, and then the server at half of its rate.
func (m measured) measure(server, path string, scale float64) error {
	body, err := drive.Request(m.notation)
	if err != nil {
		return err
	}
	t, err := drive.Launch(server, func(addr string) []string { return []string{"--addr", addr} })
	if err != nil {
		return err
	}
	defer t.Stop()
	size, err := drive.Load{Addr: t.Addr, Path: path, Body: body}.AnswerSize()
	if err != nil {
		return err
	}
	none, err := launchEmpty(size)
	if err != nil {
		return err
	}
	defer none.Stop()
	l := drive.Load{Addr: t.Addr, Path: path, Body: body, Count: max(int(float64(m.count)*scale)/rounds, 50), Connections: connections}
	full, idle, err := compare(l, t, none)
	if err != nil {
		return err
	}
	l.Rate = full.PerSecond / 2
	half, err := l.Run()
	if err != nil {
		return err
	}
	fmt.Printf("%-32s %8d %8d %10.0f %9.2f %9.2f %9.2f %9.2f %8.0f\n", m.name, len(body), size, full.PerSecond, ms(full.P50), ms(full.P99), ms(half.P50), ms(half.P99), t.PeakMB())
	fmt.Printf("%-32s %8d %8d %10.0f %9.2f %9.2f   the server does %.2f of it, %.2f by processor time (%d and %d us a request, client included)\n", "  an empty handler",
		len(body), size, idle.PerSecond, ms(idle.P50), ms(idle.P99), full.PerSecond/idle.PerSecond, idle.Processor.Seconds()/full.Processor.Seconds(),
		full.Processor.Microseconds(), idle.Processor.Microseconds())
	if m.bar == 0 {
		return nil
	}
	l.Rate = m.bar / 2
	slow, err := l.Run()
	fmt.Printf("%-32s %59.2f %9.2f   at %.0f a second, half of the bar\n", "", ms(slow.P50), ms(slow.P99), l.Rate)
	return err
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// compare takes turns, and returns the middle round of each, with the processor time of a request over all rounds: what else
// runs on the machine changes that far less than it changes a rate.
func compare(l drive.Load, server, empty *drive.Target) (mine, theirs drive.Result, err error) {
	var rates [2][]drive.Result
	var took [2]time.Duration
	for range rounds {
		for i, t := range []*drive.Target{server, empty} {
			turn := l
			turn.Addr = t.Addr
			before := drive.Processor(t.Pid()) + drive.Processor(os.Getpid())
			r, err := turn.Run()
			if err != nil {
				return mine, theirs, err
			}
			took[i] += drive.Processor(t.Pid()) + drive.Processor(os.Getpid()) - before
			rates[i] = append(rates[i], r)
		}
	}
	mine, theirs = middle(rates[0]), middle(rates[1])
	mine.Processor, theirs.Processor = took[0]/time.Duration(rounds*l.Count), took[1]/time.Duration(rounds*l.Count)
	return mine, theirs, nil
}

func middle(all []drive.Result) drive.Result {
	slices.SortFunc(all, func(a, b drive.Result) int { return cmp.Compare(a.PerSecond, b.PerSecond) })
	return all[len(all)/2]
}

// launchEmpty starts this program as a handler that does nothing.
func launchEmpty(size int) (*drive.Target, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return drive.Launch(self, func(addr string) []string { return []string{"-empty", fmt.Sprintf("%s,%d", addr, size)} })
}
