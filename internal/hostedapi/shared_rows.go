package hostedapi

import (
	"strings"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/quantity"
)

// row is a line of a plan: what it is about, and what it says.
type row struct{ Label, Value string }

// labelWidth is where the second column of a plan's text begins.
const labelWidth = 12

// rowsOf takes the text of a plan apart. A line without a label goes on with the one before.
func rowsOf(text string) []row {
	var out []row
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if len(line) <= labelWidth {
			if line != "" {
				out = append(out, row{Value: line})
			}
			continue
		}
		label, value := strings.TrimSpace(line[:labelWidth]), strings.TrimSpace(line[labelWidth:])
		if label == "" && len(out) > 0 {
			out[len(out)-1].Value += " " + value
			continue
		}
		out = append(out, row{label, value})
	}
	return out
}

// figuresOf are the largest figures of a plan; none where it has no price.
func figuresOf(r *plan.Record) []row {
	c := &r.Cost
	if r.Memory == nil || c.EstCostUSD == nil || c.EstTrainSec == nil {
		return nil
	}
	least := ""
	if len(c.Withheld) > 0 {
		least = "≥ "
	}
	sec := *c.EstTrainSec
	micros := sec.Unscaled
	for range 6 - sec.Places {
		micros *= 10
	}
	return []row{{"on the card", least + quantity.Bytes(r.Memory.CardBytes)}, {"card", c.GPU},
		{"time", least + quantity.AboutDuration(micros)}, {"cost", least + quantity.AboutDollars(c.EstCostUSD.Unscaled)}, {"weights", quantity.Short(r.Model.Params)}}
}
