package cli

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
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
		Long: `Shows every component with its shape, weights, FLOPs and the bytes that are saved for backward, the
totals and the heaviest components. Repeated blocks are one line with their number, above the lines
of the first; --all lists each of them, as --json does. The table is as wide as the terminal, or
COLUMNS.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := readInput(cmd, args[0], false)
			if err != nil {
				return err
			}
			g, err := in.graph()
			if err != nil {
				return err
			}
			s := action.Examine(g)
			s.Offer(in.textCall())
			res := s.Walked
			d := describe(res, s.Findings)
			d.followed = s.Followed()
			if wantsJSON(cmd) {
				err = printJSON(cmd, d)
			} else {
				if !is(cmd, "all") {
					d.runs = scene.Runs(res)
				}
				err = printText(cmd, d.text(columnsOf(cmd.OutOrStdout())))
			}
			if incomplete := complete(cmd, in.loaded); err == nil && incomplete != nil {
				return incomplete
			}
			if err == nil && !d.Legal {
				err = errGated
			}
			return err
		},
	})
	requiresComplete(c)
	c.Flags().Bool("all", false, "list every component, also those of repeated blocks")
	return c
})

// description is a model as a table.
type description struct {
	Name        string          `json:"name"`
	Fingerprint string          `json:"fingerprint"`
	Legal       bool            `json:"legal"`
	Components  []describedPart `json:"components"`
	Params      int64           `json:"params"`
	Withheld    []string        `json:"paramsWithheld"` // components whose weights are not in params
	FLOPs       *int64          `json:"flops"`          // null, as the next two, where it lacks a component
	MACs        *int64          `json:"macs"`
	SavedBytes  *int64          `json:"savedBytes"`
	Heaviest    []describedPart `json:"heaviest"`
	Blockers    []string        `json:"blockers"`

	runs     []scene.Run // what the table shows once
	followed string      // what was not followed of a source
}

type describedPart struct {
	ID         string        `json:"id"`
	Name       string        `json:"name"`
	Type       string        `json:"type"`
	Shape      catalog.Shape `json:"outputShape"` // null where unknown
	Params     *int64        `json:"params"`      // null, as the next two, where not known
	FLOPs      *int64        `json:"flops"`
	SavedBytes *int64        `json:"savedBytes"`
	State      string        `json:"state"`
}

var stateWords = map[infer.State]string{infer.Unknown: "unknown", infer.Legal: "ok", infer.Refused: "refused", infer.Withheld: "withheld", infer.Note: "note", infer.Absent: "absent"}

func describe(res *infer.Result, findings []rules.Finding) *description {
	d := &description{
		Name: res.Graph.Name, Fingerprint: res.Fingerprint(), Legal: true, Params: res.Params, Withheld: res.ParamsWithheld(), FLOPs: res.KnownFLOPs(),
		MACs: action.Half(res.KnownFLOPs()), SavedBytes: res.KnownSaved(),
		Components: []describedPart{}, Heaviest: []describedPart{}, Blockers: []string{},
	}
	for i := range res.Nodes {
		n := &res.Nodes[i]
		d.Components = append(d.Components, describedPart{n.Component.ID, n.Component.Title(), n.Component.Type, n.Out, n.KnownParams(), n.KnownFLOPs(), n.KnownSaved(),
			stateWords[n.State]})
	}
	for _, f := range findings {
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
		if orZero(p.Params) > 0 || orZero(p.FLOPs) > 0 {
			out = append(out, p)
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		if a, b := orZero(out[i].Params), orZero(out[j].Params); a != b {
			return a > b
		}
		return orZero(out[i].FLOPs) > orZero(out[j].FLOPs)
	})
	return out[:min(n, len(out))]
}

// orZero takes a number that is not known for 0, to sort by.
func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// sum adds numbers of which one may not be known.
func sum(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	n := *a + *b
	return &n
}

// orUnknown writes a number that may not be known.
func orUnknown(n *int64, write func(int64) string) string {
	if n == nil {
		return "?"
	}
	return write(*n)
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
		t.add(indent+clean(p.Name), clean(p.Type), shape, orUnknown(p.Params, quantity.Grouped), orUnknown(p.FLOPs, flops),
			orUnknown(p.SavedBytes, quantity.Bytes))
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
	out := describedPart{Name: run.Title, Type: fmt.Sprintf("%d components", len(first)), Shape: end.Shape, State: end.State,
		Params: new(int64), FLOPs: new(int64), SavedBytes: new(int64)}
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
			out.Params, out.FLOPs, out.SavedBytes = sum(out.Params, p.Params), sum(out.FLOPs, p.FLOPs), sum(out.SavedBytes, p.SavedBytes)
		}
	}
	return out
}

func (d *description) text(most int) string {
	p := &page{}
	if d.followed != "" {
		p.line("%s", strings.TrimSpace(d.followed))
		p.line("")
	}
	t := d.table(most, quantity.Grouped)
	if t.natural() > most {
		t = d.table(most, quantity.FLOPs)
	}
	p.WriteString(t.String() + "\n\n")
	if len(d.runs) > 0 {
		p.line("N× counts all N; the indented lines are the first of them. --all lists each.")
		p.line("")
	}
	d.totals(p)
	p.line("structure  %s", d.Fingerprint)
	if len(d.Heaviest) > 0 {
		p.line("")
		t := newTable("heaviest", "weights", "share", "FLOPs")
		for _, h := range d.Heaviest {
			t.add(clean(h.Name), orUnknown(h.Params, quantity.Grouped), d.share(h.Params), orUnknown(h.FLOPs, quantity.FLOPs))
		}
		p.WriteString(t.String() + "\n")
	}
	for _, s := range d.Blockers {
		p.line("")
		p.line("refused    %s", s)
	}
	return p.text()
}

// totals says what the model has in all, and what that lacks.
func (d *description) totals(p *page) {
	weights := quantity.Grouped(d.Params)
	if len(d.Withheld) > 0 {
		weights = "at least " + weights
	}
	p.line("weights    %s (%s)", weights, quantity.Short(d.Params))
	if len(d.Withheld) > 0 {
		p.line("           without those of %s, which are not known", strings.Join(d.Withheld, ", "))
	}
	if d.FLOPs == nil {
		p.line("FLOPs      not known, for those of some components are not")
	} else {
		p.line("FLOPs      %s (%s), one sample, forward; %s multiply-adds", quantity.Grouped(*d.FLOPs), quantity.FLOPs(*d.FLOPs), quantity.Grouped(*d.MACs))
	}
	if d.SavedBytes == nil {
		p.line("saved      not known, for what some components save for backward is not")
	} else {
		p.line("saved      %s for the backward pass of one sample, in 32-bit floats", quantity.Bytes(*d.SavedBytes))
	}
}

// share is the part of a component in the weights of the model, where both are known.
func (d *description) share(n *int64) string {
	if n == nil || len(d.Withheld) > 0 {
		return "?"
	}
	return percent(*n, d.Params)
}

func percent(part, whole int64) string {
	if whole == 0 {
		return "0 %"
	}
	share := float64(part) / float64(whole)
	return fmt.Sprintf("%.0f %%", float64(share*100))
}
