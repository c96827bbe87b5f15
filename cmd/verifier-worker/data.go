package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/data"
)

// barInterval is how often a bar is drawn.
const barInterval = 100 * time.Millisecond

// bring is the command data.
func bring(ctx context.Context, p *process, args []string) error {
	f := flag.NewFlagSet("data", flag.ContinueOnError)
	names := f.String("dataset", "", "`names` with commas between: "+strings.Join(training.DatasetNames(), ", "))
	from := f.String("from", "", "take it from this `folder` instead of from who published it")
	to := f.String("to", p.getenv("VERIFIER_DATASETS"), "put it into this `folder`; also VERIFIER_DATASETS (default verifier/data in the user's cache)")
	if err := parse(f, p, args); err != nil {
		return err
	}
	folder, err := dataFolder(*to)
	if err != nil {
		return err
	}
	if *names == "" {
		return usageError{fmt.Errorf("--dataset is missing: there are %s", strings.Join(training.DatasetNames(), ", "))}
	}
	for name := range strings.SplitSeq(*names, ",") {
		d := training.Find(strings.TrimSpace(name))
		if d == nil {
			return usageError{fmt.Errorf("--dataset names %q: there are %s", name, strings.Join(training.DatasetNames(), ", "))}
		}
		if err := bringOne(ctx, p, d, *from, folder); err != nil {
			return err
		}
	}
	return nil
}

// dataFolder is where datasets are, if nothing else is said.
func dataFolder(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	return data.Default()
}

func bringOne(ctx context.Context, p *process, d *training.Dataset, from, to string) error {
	if _, err := data.Verify(ctx, d, to); err != nil {
		report, end := bar(p.stderr, d.Name)
		if from != "" {
			err = data.Take(ctx, d, from, to, report)
		} else {
			err = data.Fetch(ctx, d, to, report)
		}
		end()
		if err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(p.stdout, "%s: %d files in %s. %s. Terms: %s.\n", d.Name, len(d.Files), to, d.Source, d.Terms)
	return err
}

// bar draws how far something is, where a person watches.
func bar(w io.Writer, name string) (report func(data.Progress), end func()) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, func() {}
	}
	var b *progressbar.ProgressBar
	report = func(at data.Progress) {
		if b == nil {
			b = progressbar.NewOptions64(at.All, progressbar.OptionSetWriter(w), progressbar.OptionClearOnFinish(), progressbar.OptionShowBytes(true),
				progressbar.OptionSetDescription(name), progressbar.OptionThrottle(barInterval))
		}
		_ = b.Set64(at.Done)
	}
	return report, func() {
		if b != nil {
			_ = b.Close()
		}
	}
}
