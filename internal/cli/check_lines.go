package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/httpapi/wire"
	"github.com/modelverifier/verifier/internal/ndjson"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
)

// linesFlag has check answer many requests of one stream.
func linesFlag(c *cobra.Command) {
	c.Flags().Bool("ndjson", false, "take - for many bodies of requests to the HTTP service, one on each line, and print their answers, one on each line")
	one := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if !is(cmd, "ndjson") {
			return one(cmd, args)
		}
		if len(args) != 1 || args[0] != stdin {
			return errors.New("--ndjson reads standard input: give - and nothing else")
		}
		for _, name := range []string{"data", "attest", "request", "text-only"} {
			if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
				return fmt.Errorf("--ndjson goes without --%s: a line says all that its request has", name)
			}
		}
		return newJudge(cmd).lines()
	}
}

// lines checks the requests of standard input. A line that cannot be read has its error in the place of its answer, and the others are
// checked all the same.
func (j *judge) lines() error {
	if err := j.enter(stdin); err != nil {
		return err
	}
	var house *policy.Policy
	j.apply(&house)
	read := ndjson.NewReader(j.cmd.InOrStdin(), graph.LocalLimits.Bytes)
	a := &lineAnswers{judge: j, house: house, rooms: sync.Pool{New: func() any { return &action.Room{} }}}
	stream := ndjson.Stream[[]byte]{
		Next:   func() ([]byte, error) { line, _, err := read.Next(); return line, err },
		Answer: a.answer,
		Write:  func(line []byte, _ bool) error { return printText(j.cmd, string(line)) },
		Most:   -1, Ahead: 2 * runtime.GOMAXPROCS(0),
	}
	if _, err := stream.Run(); err != nil {
		return err
	}
	return a.worst
}

// lineAnswers checks requests, several at once.
type lineAnswers struct {
	*judge
	house *policy.Policy
	rooms sync.Pool

	mu    sync.Mutex
	worst error
}

// answer is the line of one request.
func (a *lineAnswers) answer(line []byte, long bool) []byte {
	room := a.rooms.Get().(*action.Room)
	defer func() {
		room.Clear()
		a.rooms.Put(room)
	}()
	var q *check.Request
	err := error(&graph.Error{Code: graph.CodeBytes, Message: fmt.Sprintf("the line is longer than %d MiB", graph.LocalLimits.Bytes>>20), Limit: int64(graph.LocalLimits.Bytes)})
	if !long {
		q, err = check.DecodeIn(room, line, graph.LocalLimits)
	}
	if err != nil {
		a.note(errUsage)
		return jsonLine(action.Explain(err))
	}
	q.Policy = policy.Stricter(q.Policy, a.house)
	r := check.Run(q)
	run := report.OfCheck(r, q.Policy)
	a.mu.Lock()
	a.terms.Judge(run)
	a.mu.Unlock()
	if run.ExitCode == exitGated {
		a.note(errGated)
	}
	return jsonLine(r)
}

// note keeps the worst of what came of the lines.
func (a *lineAnswers) note(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !errors.Is(a.worst, errUsage) {
		a.worst = err
	}
}

// jsonLine writes a body byte for byte as the HTTP service does.
func jsonLine(body any) []byte {
	if b, err := wire.Append(nil, body); err == nil {
		return append(b, '\n')
	}
	var b bytes.Buffer // an answer that the service would not send: it is larger than it may be there
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		panic(err) // every body can be written
	}
	return b.Bytes()
}
