// Command sources reads models of public repositories without running them, and compares what is read with what PyTorch gave for the
// same class, arguments and inputs: make sources.
//
// The repositories are not part of this one. tools/sources/measure.py writes the rows where they are checked out; a row names its
// repository and commit.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sources:", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	rows, repos, sitePackages, only string
	failures, strict                bool
	causes                          int
}

func run(args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("sources", flag.ContinueOnError)
	flags.StringVar(&o.rows, "rows", "truth/sources.jsonl.gz", "`file` of rows, plain or compressed with gzip")
	flags.StringVar(&o.repos, "repos", "", "`folder` with the repositories, each as OWNER+NAME at the commit of its rows")
	flags.StringVar(&o.sitePackages, "site-packages", "", "`folder` of installed packages that may be read, too")
	flags.StringVar(&o.only, "only", "", "rows whose repository, file or name has this `text` in it")
	flags.BoolVar(&o.failures, "failures", false, "print each row that was not read in full, with the reason")
	flags.BoolVar(&o.strict, "strict", false, "fail if a row was read wrongly")
	flags.IntVar(&o.causes, "causes", 0, "print the `number` of causes that stop the most rows")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.repos == "" {
		return errors.New("-repos is missing: the folder with the repositories, each as OWNER+NAME")
	}
	rows, err := readRows(o.rows)
	if err != nil {
		return err
	}
	t := &tally{classes: map[class]int{}, causes: map[string]int{}}
	w := bufio.NewWriter(out)
	for i := range rows {
		if !strings.Contains(rows[i].Repo+" "+rows[i].File+" "+rows[i].Name, o.only) {
			continue
		}
		if _, err := os.Stat(filepath.Join(o.repos, rows[i].folder())); err != nil {
			t.absent++
			continue
		}
		a := compare(context.Background(), &rows[i], &o)
		t.add(a)
		if o.failures && a.class != exact && a.class != blocked {
			fmt.Fprintf(w, "%-20s %s %s:%s\n    %s\n", a.class, rows[i].Repo, rows[i].File, rows[i].Name, a.why)
		}
	}
	t.print(w, o.causes)
	if err := w.Flush(); err != nil {
		return err
	}
	if n := t.wrong(); o.strict && n > 0 {
		return fmt.Errorf("%d rows were read wrongly", n)
	}
	return nil
}

// readRows reads a file of rows.
func readRows(name string) ([]row, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = io.ReadAll(z)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	var rows []row
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// tally counts what came out.
type tally struct {
	classes map[class]int
	causes  map[string]int
	took    []time.Duration
	absent  int
}

func (t *tally) add(a *answer) {
	t.classes[a.class]++
	t.took = append(t.took, a.took)
	if a.class != exact && a.class != blocked {
		t.causes[cause(a.why)]++
	}
}

func (t *tally) wrong() int {
	n := 0
	for _, c := range []class{wrongCount, wrongFLOPs, wrongShape, wrongVerdict, falseReason} {
		n += t.classes[c]
	}
	return n
}

func (t *tally) print(w io.Writer, causes int) {
	n := max(len(t.took), 1)
	for _, c := range classes {
		fmt.Fprintf(w, "%-24s %5d  %5.1f %%\n", c, t.classes[c], 100*float64(t.classes[c])/float64(n))
	}
	fmt.Fprintf(w, "%-24s %5d\n", "rows", len(t.took))
	if t.absent > 0 {
		fmt.Fprintf(w, "%-24s %5d\n", "without a repository", t.absent)
	}
	if len(t.took) > 0 {
		slices.Sort(t.took)
		fmt.Fprintf(w, "median %d ms, 95th percentile %d ms, longest %d ms\n",
			t.took[n/2].Milliseconds(), t.took[n*95/100].Milliseconds(), t.took[n-1].Milliseconds())
	}
	if causes <= 0 {
		return
	}
	names := make([]string, 0, len(t.causes))
	for c := range t.causes {
		names = append(names, c)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(t.causes[b]-t.causes[a], strings.Compare(a, b)) })
	for _, c := range names[:min(causes, len(names))] {
		fmt.Fprintf(w, "%5d  %s\n", t.causes[c], c)
	}
}
