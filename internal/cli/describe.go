package cli

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

var _ = register(func() *cobra.Command {
	c := takesModels(&cobra.Command{
		Use:   "describe MODEL",
		Short: "Show every component with its shape, weights and FLOPs",
		Long: `Shows every component with its shape, weights, FLOPs and what is saved for backward, the totals and the heaviest. Blocks that
repeat one after the other are one line with how often, above the lines of the first; --all lists each of them, as --json does. The
table is as wide as the terminal, or COLUMNS.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := readModel(cmd, args[0])
			if err != nil {
				return err
			}
			g.Normalize(catalog.Vocabulary)
			res := infer.Walk(g)
			d := describe(res)
			if wantsJSON(cmd) {
				err = printJSON(cmd, d)
			} else {
				if !is(cmd, "all") {
					d.runs = scene.Runs(res)
				}
				err = printText(cmd, d.text(columnsOf(cmd.OutOrStdout())))
			}
			if err == nil && !d.Legal {
				err = errGated
			}
			return err
		},
	})
	c.Flags().Bool("all", false, "list every component, also of blocks that repeat")
	return c
})

// description is a model as a table.
type description struct {
	Name        string          `json:"name"`
	Fingerprint string          `json:"fingerprint"`
	Legal       bool            `json:"legal"`
	Components  []describedPart `json:"components"`
	Params      int64           `json:"params"`
	FLOPs       int64           `json:"flops"`
	MACs        int64           `json:"macs"`
	SavedBytes  int64           `json:"savedBytes"`
	Heaviest    []describedPart `json:"heaviest"`
	Blockers    []string        `json:"blockers"`

	runs []scene.Run // what the table shows once
}

type describedPart struct {
	ID         string        `json:"id"`
	Name       string        `json:"name"`
	Type       string        `json:"type"`
	Shape      catalog.Shape `json:"outputShape"` // null where unknown
	Params     int64         `json:"params"`
	FLOPs      int64         `json:"flops"`
	SavedBytes int64         `json:"savedBytes"`
	State      string        `json:"state"`
}

var stateWords = map[infer.State]string{infer.Unknown: "unknown", infer.Legal: "ok", infer.Refused: "refused", infer.Withheld: "withheld", infer.Note: "note"}

func describe(res *infer.Result) *description {
	d := &description{
		Name: res.Graph.Name, Fingerprint: res.Fingerprint(), Legal: true, Params: res.Params, FLOPs: res.FLOPs, MACs: res.FLOPs / 2, SavedBytes: res.SavedBytes,
		Components: []describedPart{}, Heaviest: []describedPart{}, Blockers: []string{},
	}
	for i := range res.Nodes {
		n := &res.Nodes[i]
		d.Components = append(d.Components, describedPart{n.Component.ID, n.Component.Label(), n.Component.Type, n.Out, n.Params, n.FLOPs, n.SavedBytes, stateWords[n.State]})
	}
	for _, f := range rules.Run(res) {
		if f.Rule.Severity != rules.Block {
			break // blocks come first
		}
		where := ""
		if f.Node >= 0 {
			where = res.Nodes[f.Node].Component.Label() + ": "
		}
		d.Legal, d.Blockers = false, append(d.Blockers, where+f.Message)
	}
	d.Heaviest = heaviest(d.Components, 5)
	return d
}

// heaviest returns the components with the most weights, and of those with equally many the ones with the most FLOPs.
func heaviest(parts []describedPart, n int) []describedPart {
	out := []describedPart{}
	for _, p := range parts {
		if p.Params > 0 || p.FLOPs > 0 {
			out = append(out, p)
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].Params != out[j].Params {
			return out[i].Params > out[j].Params
		}
		return out[i].FLOPs > out[j].FLOPs
	})
	return out[:min(n, len(out))]
}

// table lists the components. FLOPs are written in full where there is room for them.
func (d *description) table(most int, flops func(int64) string) *grid {
	t := newTable("component", "type", "output", "weights", "FLOPs", "saved")
	t.most = most
	add := func(indent string, p describedPart) {
		shape := p.State
		if p.Shape != nil {
			shape = p.Shape.String()
		}
		t.add(indent+clean(p.Name), clean(p.Type), shape, quantity.Grouped(p.Params), flops(p.FLOPs), quantity.Bytes(p.SavedBytes))
	}
	folded := d.folded()
	for i, p := range d.Components {
		switch run := folded[i]; {
		case run == nil:
			add("", p)
		case i == slices.Min(run.Nodes[0]):
			add("", d.block(run))
			for _, k := range slices.Sorted(slices.Values(run.Nodes[0])) {
				if p := d.Components[k]; len(run.Nodes[0]) > 1 {
					p.Name = cmp.Or(scene.ShortName(p.Name, run.Title), p.Type)
					add("  ", p)
				}
			}
		}
	}
	return t
}

// folded is the run that each component is a part of.
func (d *description) folded() map[int]*scene.Run {
	out := map[int]*scene.Run{}
	for i := range d.runs {
		for _, nodes := range d.runs[i].Nodes {
			for _, k := range nodes {
				out[k] = &d.runs[i]
			}
		}
	}
	return out
}

// block is the line of all repeats together.
func (d *description) block(run *scene.Run) describedPart {
	first, last := run.Nodes[0], run.Nodes[len(run.Nodes)-1]
	end := d.Components[last[len(last)-1]]
	out := describedPart{Name: run.Title, Type: fmt.Sprintf("%d components", len(first)), Shape: end.Shape, State: end.State}
	switch {
	case len(first) == 1:
		out.Name, out.Type = d.Components[first[0]].Name+"…"+end.Name, end.Type
	case run.Title != "" && run.Until != "":
		out.Name += "…" + run.Until[strings.LastIndexByte(run.Until, '.')+1:]
	case run.Title == "":
		out.Name = "blocks"
	}
	out.Name = fmt.Sprintf("%d× %s", len(run.Nodes), out.Name)
	for _, nodes := range run.Nodes {
		for _, k := range nodes {
			p := d.Components[k]
			out.Params, out.FLOPs, out.SavedBytes = out.Params+p.Params, out.FLOPs+p.FLOPs, out.SavedBytes+p.SavedBytes
		}
	}
	return out
}

func (d *description) text(most int) string {
	p := &page{}
	t := d.table(most, quantity.Grouped)
	if t.natural() > most {
		t = d.table(most, quantity.FLOPs)
	}
	p.WriteString(t.String() + "\n\n")
	if len(d.runs) > 0 {
		p.line("N× counts all N; the indented lines are the first of them. --all lists each.")
		p.line("")
	}
	if !d.Legal {
		p.line("of the components that are known:")
	}
	p.line("weights    %s (%s)", quantity.Grouped(d.Params), quantity.Short(d.Params))
	p.line("FLOPs      %s (%s), one sample, forward; %s multiply-adds", quantity.Grouped(d.FLOPs), quantity.FLOPs(d.FLOPs), quantity.Grouped(d.MACs))
	p.line("saved      %s for the backward pass of one sample, in 32-bit floats", quantity.Bytes(d.SavedBytes))
	p.line("structure  %s", d.Fingerprint)
	if len(d.Heaviest) > 0 {
		p.line("")
		t := newTable("heaviest", "weights", "share", "FLOPs")
		for _, h := range d.Heaviest {
			t.add(clean(h.Name), quantity.Grouped(h.Params), percent(h.Params, d.Params), quantity.FLOPs(h.FLOPs))
		}
		p.WriteString(t.String() + "\n")
	}
	for _, s := range d.Blockers {
		p.line("")
		p.line("refused    %s", s)
	}
	return p.text()
}

func percent(part, whole int64) string {
	if whole == 0 {
		return "0 %"
	}
	share := float64(part) / float64(whole)
	return fmt.Sprintf("%.0f %%", float64(share*100))
}
