package cli

import (
	"fmt"
	"sort"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

var _ = register(func() *cobra.Command {
	return takesModels(&cobra.Command{
		Use:   "describe MODEL",
		Short: "Show every component with its shape, weights and FLOPs",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := readModel(cmd, args[0])
			if err != nil {
				return err
			}
			g.Normalize(catalog.Vocabulary)
			d := describe(infer.Walk(g))
			if wantsJSON(cmd) {
				err = printJSON(cmd, d)
			} else {
				err = printText(cmd, d.text())
			}
			if err == nil && !d.Legal {
				err = errGated
			}
			return err
		},
	})
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
func (d *description) table(flops func(int64) string) *grid {
	t := newTable("component", "type", "output", "weights", "FLOPs", "kept")
	for _, p := range d.Components {
		shape := p.State
		if p.Shape != nil {
			shape = p.Shape.String()
		}
		t.add(clean(p.Name), clean(p.Type), shape, quantity.Grouped(p.Params), flops(p.FLOPs), quantity.Bytes(p.SavedBytes))
	}
	return t
}

func (d *description) text() string {
	p := &page{}
	t := d.table(quantity.Grouped)
	if t.natural() > columns {
		t = d.table(quantity.FLOPs)
	}
	p.WriteString(t.String() + "\n\n")
	if !d.Legal {
		p.line("of the components that are known:")
	}
	p.line("weights    %s (%s)", quantity.Grouped(d.Params), quantity.Short(d.Params))
	p.line("FLOPs      %s (%s), one sample, forward; %s multiply-adds", quantity.Grouped(d.FLOPs), quantity.FLOPs(d.FLOPs), quantity.Grouped(d.MACs))
	p.line("kept       %s for the backward pass of one sample, in 32-bit floats", quantity.Bytes(d.SavedBytes))
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
