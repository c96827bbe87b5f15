package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/client"
	"github.com/modelverifier/verifier/internal/quantity"
)

// How long calls take and what lies between them. A server that is away for a while is asked again.
const (
	submitWait = 2 * time.Minute
	pollEvery  = time.Second
	awayMost   = 10 // polls in a row that fail
)

// caller is the part of the server that is watched.
type caller interface {
	Job(ctx context.Context, id string) (*train.Job, []byte, error)
	Cancel(ctx context.Context, id string) (*train.Job, []byte, error)
}

// watcher shows one job until it has ended.
type watcher struct {
	caller
	id       string
	out      io.Writer
	live     bool // a terminal: what was drawn is drawn over
	silent   bool // JSON is printed at the end, and nothing else
	every    time.Duration
	stops    <-chan os.Signal
	ask      func() bool // whether to cancel; nil: nobody can be asked
	drawn    int         // lines on the terminal
	told     int         // epochs in the log
	asked    bool
	lastSaid string
}

// watchJob shows a job, and returns how the command ends.
func watchJob(cmd *cobra.Command, c *client.Client, id string) error {
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, os.Interrupt)
	defer signal.Stop(stops)
	w := &watcher{caller: c, id: id, out: cmd.OutOrStdout(), live: isTerminal(cmd.OutOrStdout()) && os.Getenv("TERM") != "dumb", silent: wantsJSON(cmd), every: pollEvery, stops: stops}
	if f, ok := cmd.InOrStdin().(*os.File); ok && isTerminal(f) {
		w.ask = func() bool { return yes(cmd.ErrOrStderr(), f, id) }
	}
	job, body, err := w.follow(cmdContext(cmd))
	switch {
	case errors.Is(err, errLeft):
		note(cmd, "job "+id+" goes on: verifier jobs "+id+" shows it, and --cancel ends it")
		return nil
	case err != nil:
		return answered(cmd, err)
	}
	if w.silent {
		err = printText(cmd, string(body))
	} else {
		err = printText(cmd, w.last(job))
	}
	if err == nil && job.Status != "completed" {
		err = errGated
	}
	return err
}

// yes asks a person once.
func yes(w io.Writer, r io.Reader, id string) bool {
	fmt.Fprintf(w, "\ncancel job %s on the server? [y/N] ", id)
	line, _ := bufio.NewReader(r).ReadString('\n')
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y")
}

// errLeft is that who watched has left, and the job goes on.
var errLeft = errors.New("left")

// follow polls until the job has ended, and draws it meanwhile.
func (w *watcher) follow(ctx context.Context) (*train.Job, []byte, error) {
	away := 0
	for {
		job, body, err := w.Job(ctx, w.id)
		switch {
		case err != nil:
			if away++; away > awayMost || !passing(err) {
				return nil, nil, err
			}
		case job.Ended():
			w.draw(job)
			return job, body, nil
		default:
			away = 0
			w.draw(job)
		}
		select {
		case <-time.After(w.every):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-w.stops:
			if err := w.interrupted(ctx); err != nil {
				return nil, nil, err
			}
		}
	}
}

// passing says whether an error may be gone with the next call: the server is away, or has too much to do.
func passing(err error) bool {
	e := (*client.Error)(nil)
	return errors.Is(err, client.ErrUnreachable) || errors.As(err, &e) && (e.Status == 429 || e.Status >= 500)
}

// interrupted asks once whether to cancel. Who says no, or interrupts again, leaves; the job goes on.
func (w *watcher) interrupted(ctx context.Context) error {
	if w.ask == nil || w.asked {
		return errLeft
	}
	w.asked = true
	answer := make(chan bool, 1)
	go func() { answer <- w.ask() }()
	select {
	case cancel := <-answer:
		if !cancel {
			return errLeft
		}
	case <-w.stops:
		return errLeft
	}
	w.drawn = 0 // the question stands between
	_, _, err := w.Cancel(ctx, w.id)
	return err
}

// draw shows a job as it stands: over what was drawn before on a terminal, a line for each new epoch in a log.
func (w *watcher) draw(j *train.Job) {
	if w.silent {
		return
	}
	if !w.live {
		w.log(j)
		return
	}
	text := stateLine(j) + "\n" + curves(j.Epochs, j.Config.Epochs)
	over := ""
	if w.drawn > 0 {
		over = fmt.Sprintf("\x1b[%dA\x1b[J", w.drawn)
	}
	w.drawn = strings.Count(text, "\n")
	_, _ = io.WriteString(w.out, over+text) // the last one is written with its error
}

func (w *watcher) log(j *train.Job) {
	if j.Status != w.lastSaid && !j.Ended() {
		w.lastSaid = j.Status
		_, _ = io.WriteString(w.out, j.Status+"\n")
	}
	for ; w.told < len(j.Epochs); w.told++ {
		_, _ = io.WriteString(w.out, epochLine(j.Epochs[w.told], j.Config.Epochs))
	}
}

// stateLine is a job in a line.
func stateLine(j *train.Job) string {
	line := fmt.Sprintf("%-9s %s", clean(j.Status), bar(int64(len(j.Epochs)), j.Config.Epochs))
	if j.WallSec != nil {
		line += fmt.Sprintf("  %.0f s", *j.WallSec)
	}
	return line
}

// last is what is printed after the end of a job.
func (w *watcher) last(j *train.Job) string {
	p := &page{}
	if !w.live {
		p.WriteString(curves(j.Epochs, j.Config.Epochs))
	}
	endText(p, j)
	return p.text()
}

// endText says how a job ended, and where its weights are.
func endText(p *page, j *train.Job) {
	p.line("%s", outcomeText(j))
	switch {
	case j.ModelURL != "":
		p.line("weights     %s, for ten minutes:", j.ModelFormat)
		p.WriteString(clean(j.ModelURL) + "\n") // whole, to be copied
	case j.ModelReason != "":
		p.line("weights     none that are trained: %s", j.ModelReason)
	}
	if j.Ledger != "" {
		p.line("history     %s", ledgerText(j))
	}
}

// outcomeText is how a job ended.
func outcomeText(j *train.Job) string {
	text := fmt.Sprintf("%-11s %s", j.Status, j.JobID)
	if n := len(j.Epochs); n > 0 {
		text += quantity.Sprintf(": valAcc %s on %s after %s epochs", quantity.Round(j.Epochs[n-1].ValAcc, 4), j.Dataset, quantity.Grouped(int64(n)))
	}
	if j.WallSec != nil {
		text += fmt.Sprintf(", %.0f s", *j.WallSec)
	}
	const microDollars = 1e6
	if j.EstCostUSD > 0 {
		text += ", " + quantity.Dollars(int64(j.EstCostUSD*microDollars+0.5))
	}
	if j.Reason != "" {
		text += ": " + j.Reason
	}
	return text
}

func ledgerText(j *train.Job) string {
	switch j.Ledger {
	case "written", "already":
		return "the next plan of " + j.Fingerprint + " tells this run"
	case "unavailable":
		return "not written yet: the next look at the job tries again"
	}
	return "none: " + strings.TrimPrefix(j.Ledger, "skipped:")
}
