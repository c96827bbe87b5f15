package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/bench/agent"
)

// taskBar shows on standard error how far a run is: a bar that is drawn over on a terminal, and a line for each tenth in a log.
type taskBar struct {
	w                 io.Writer
	live              bool
	done, passed, all int64
	drawn             int
}

func newTaskBar(cmd *cobra.Command, all int64) *taskBar {
	w := cmd.ErrOrStderr()
	return &taskBar{w: w, all: all, live: isTerminal(w) && os.Getenv("TERM") != "dumb"}
}

// add counts a task.
func (p *taskBar) add(o *agent.Outcome) {
	p.done++
	if o.Grade.Passed {
		p.passed++
	}
	text := bar(p.done, p.all) + fmt.Sprintf(" tasks, %d passed", p.passed)
	switch {
	case p.live:
		fmt.Fprint(p.w, "\r"+text+strings.Repeat(" ", max(0, p.drawn-len(text))))
		p.drawn = len(text)
	case p.done == p.all || p.done*10/p.all > (p.done-1)*10/p.all:
		fmt.Fprintln(p.w, text)
	}
}

// end leaves the line that was drawn.
func (p *taskBar) end() {
	if p.drawn > 0 {
		fmt.Fprintln(p.w)
	}
}
