package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// grade is how an examination ended.
type grade int

const (
	good    grade = iota
	warning       // the service runs, and the operator should know
	bad           // the service does not run, or loses something
)

// String is the word in front of a line.
func (g grade) String() string { return [...]string{"ok", "warn", "FAIL"}[g] }

// finding is a line of the doctor's: what was seen and, where something is wrong, what to do.
type finding struct {
	grade grade
	saw   string
	do    string
}

func fine(format string, args ...any) finding { return finding{saw: fmt.Sprintf(format, args...)} }

func warn(do, format string, args ...any) finding {
	return finding{warning, fmt.Sprintf(format, args...), do}
}

func fail(do, format string, args ...any) finding {
	return finding{bad, fmt.Sprintf(format, args...), do}
}

// examination is one thing that the doctor looks at. Adding one is writing it into the list.
type examination struct {
	name string
	run  func(ctx context.Context, d *doctor) []finding
}

// examinations are all of them, in their order.
var examinations = []examination{
	{"configuration", examineConfig},
	{"address", examineAddress},
	{"limits", examineLimits},
	{"disk", examineDisk},
	{"permissions", examinePermissions},
	{"clock", examineClock},
	{"database", examineDatabase},
	{"weights", examineWeights},
	{"workers", examineWorkers},
	{"sign-in", examineSignIn},
	{"traces", examineTraces},
}

// doctor looks at what the service will run with. It starts nothing, and changes nothing but one object that it puts among the weights
// and removes.
type doctor struct {
	*program
	getenv func(string) string
}

// examineMost is how long one examination may take.
const examineMost = 15 * time.Second

// errUnwell ends the program with the code of a fault; the lines have said why.
var errUnwell = errors.New("the service would not run as it should: see the lines with FAIL")

// runDoctor examines everything and prints a line for each thing that it saw.
func runDoctor(ctx context.Context, p *program, _ []string) error {
	d := &doctor{program: p, getenv: p.getenv}
	worst := good
	for _, e := range examinations {
		worst = max(worst, d.examine(ctx, e, p.stdout))
	}
	if worst == bad {
		return errUnwell
	}
	return nil
}

func (d *doctor) examine(ctx context.Context, e examination, out io.Writer) (worst grade) {
	ctx, cancel := context.WithTimeout(ctx, examineMost)
	defer cancel()
	for _, f := range e.run(ctx, d) {
		fmt.Fprintf(out, "%-4s  %-13s  %s\n", f.grade, e.name, f.saw)
		if f.do != "" {
			fmt.Fprintf(out, "%21s→ %s\n", "", f.do)
		}
		worst = max(worst, f.grade)
	}
	return worst
}
