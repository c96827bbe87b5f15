package hardware

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Target is a place that a trained model can be deployed to.
type Target struct {
	ID           string   `json:"id"`
	Label        string   `json:"label"`
	Order        int      `json:"order"`       // among targets that serve a model equally well
	MemoryBytes  int64    `json:"memoryBytes"` // for weights and activations
	TensorBytes  int64    `json:"tensorBytes"` // the largest single tensor; 0 for no limit
	OnChipBytes  int64    `json:"onChipBytes"` // weights beyond this stream over the bus for every sample; 0 where they do not
	WeightBits   int64    `json:"weightBits"`  // what weights and activations are deployed in
	TFLOPS       float64  `json:"tflops"`      // at that precision
	BandwidthGBs float64  `json:"bandwidthGbs"`
	LayerMicros  float64  `json:"microsPerLayer"` // to start one layer
	CostClass    int64    `json:"costClass"`      // 0 the user's own device, 1 bought once, 2 and 3 rented
	Refuses      []string `json:"refuses"`        // groups of component types that do not run there
	Source       string   `json:"source"`
	Date         string   `json:"date"`
}

var targets = sync.OnceValue(func() []*Target {
	all := load[Target]("targets")
	slices.SortFunc(all, func(a, b *Target) int { return cmp.Or(cmp.Compare(a.Order, b.Order), strings.Compare(a.ID, b.ID)) })
	return all
})

// Targets lists every target, in a fixed order.
func Targets() []*Target { return slices.Clone(targets()) }
