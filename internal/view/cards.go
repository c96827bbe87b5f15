package view

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = define(call{"cards", func([]byte, graph.Limits) (any, error) { return allCards(), nil }})

// Cards are those that plans are for, the cheapest hour first.
type Cards struct {
	Cards []Card `json:"cards"`
}

// Card is one.
type Card struct {
	ID         string           `json:"id"`
	Name       string           `json:"name"`
	Bytes      int64            `json:"bytes"` // that a process can allocate
	USDPerHour quantity.Decimal `json:"usdPerHour"`
	Source     string           `json:"source"` // of the price
	Date       string           `json:"date"`
	BF16       bool             `json:"bf16"`
	Rented     bool             `json:"rented"` // whether a training job can ask for it
}

func allCards() *Cards {
	out := &Cards{Cards: []Card{}}
	for _, g := range hardware.GPUs() {
		out.Cards = append(out.Cards, Card{g.Name, g.Label, g.MemoryBytes, quantity.USD(g.PriceMicroUSDPerHour),
			g.PriceSource, g.PriceDate, g.BF16 > 0, g.Managed})
	}
	return out
}
