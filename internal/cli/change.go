package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/comment"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/report"
)

const (
	applyCommand = "policy-apply"
	changeFlag   = "change"
	treeFlag     = "base-tree"
)

// changeFormat is the record that verifier comment makes a comment of.
var changeFormat = format{changeFlag, "write what changed, for verifier comment, to this `file`", func(o *outputs) []byte {
	r := &comment.Record{Version: comment.Version, Models: []comment.Model{}}
	for _, run := range o.runs {
		m := o.changes[run]
		m.Judge(run, o.folder.path)
		r.Models = append(r.Models, *m)
	}
	for _, u := range o.unread {
		r.Models = append(r.Models, comment.Model{Path: o.folder.path(u.Model), Error: u.Message, Findings: []comment.Finding{}})
	}
	return r.Encode()
}, applyCommand}

// before is the version before of the model at hand, nil where there is none: what --base names, or what lies in --base-tree under the
// path of the model.
func (j *judge) before(in *input) (*graph.Graph, error) {
	tree := given(j.cmd, treeFlag)
	if tree == "" {
		if given(j.cmd, "base") != "" && j.cmd.Flags().NArg() > 1 {
			return nil, errors.New("--base is the version before of one model: give one, or a folder of all with --base-tree")
		}
		return baseOf(j.cmd, in)
	}
	file, symbol, _ := strings.Cut(in.name, ":")
	if filepath.IsLocal(in.name) { // which may have a colon of its own
		if _, err := os.Stat(in.name); err == nil {
			file, symbol = in.name, ""
		}
	}
	if !filepath.IsLocal(file) {
		return nil, errors.New("--base-tree has versions by their path from the working directory, and this model lies elsewhere")
	}
	if !exists(filepath.Join(tree, file)) {
		return nil, nil // it is new
	}
	if symbol != "" {
		file += ":" + symbol
	}
	g, err := readBeneath(j.cmd, tree, file, "base")
	if err != nil { // one that cannot be read is no reason against the one that replaces it
		j.note("the version before is not compared, because it cannot be read: %s", err)
		return nil, nil
	}
	return g, nil
}

// change keeps what changed, for the record, where one is written.
func (j *judge) change(q *check.Request, run *report.Run, base, head *action.Study, c *report.Change) {
	if given(j.cmd, changeFlag) == "" {
		return
	}
	m := &comment.Model{Head: comment.Of(head)}
	p := &plan.Request{Model: q.Model, Training: q.Options(), SeqLen: q.Length(), Policy: q.Policy}
	if base != nil {
		m.Base, m.Gate, m.Below, p.Base = comment.Of(base), c.Gate, c.Below(), base.Graph
	}
	m.Set(plan.New(p))
	if j.out.changes == nil {
		j.out.changes = map[*report.Run]*comment.Model{}
	}
	j.out.changes[run] = m
}
