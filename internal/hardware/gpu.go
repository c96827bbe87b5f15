package hardware

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/modelverifier/verifier/internal/spelling"
)

// GPU is a card, and what an hour of it costs. Rates are dense, in TFLOP/s; 0 means that the card does not have the type.
type GPU struct {
	Name         string   `json:"name"`
	Label        string   `json:"label"`
	Aliases      []string `json:"aliases"`
	Managed      bool     `json:"managed"` // whether a training job can ask for it
	Capability   string   `json:"computeCapability"`
	Processors   int64    `json:"multiprocessors"`          // an H200's is seen in measured runs; the others, with Threads, are not yet checked against Source
	Threads      int64    `json:"threadsPerMultiprocessor"` // that run on one at the most
	MarketedGB   int64    `json:"marketedGb"`
	VisibleMiB   int64    `json:"visibleMib"`
	BandwidthGBs float64  `json:"bandwidthGbs"`
	FP32         float64  `json:"fp32"`
	TF32         float64  `json:"tf32"`
	FP16         float64  `json:"fp16"`
	BF16         float64  `json:"bf16"`
	Source       string   `json:"source"`

	PriceMicroUSDPerHour int64  `json:"priceMicroUsdPerHour"`
	PriceSource          string `json:"priceSource"`
	PriceDate            string `json:"priceDate"`

	MemoryBytes int64 `json:"-"` // what a process can allocate, its own context included
}

// gpus are read when they are first asked for: most runs ask for none.
var gpus = sync.OnceValue(func() []*GPU {
	all := load[GPU]("gpus")
	for _, g := range all {
		g.MemoryBytes = g.VisibleMiB << 20
	}
	slices.SortFunc(all, func(a, b *GPU) int {
		return cmp.Or(cmp.Compare(a.PriceMicroUSDPerHour, b.PriceMicroUSDPerHour), strings.Compare(a.Name, b.Name))
	})
	return all
})

// GPUs lists every card, the cheapest hour first.
func GPUs() []*GPU { return slices.Clone(gpus()) }

// Smallest is the card with the least memory, of those the one with the cheapest hour, that holds so many bytes and computes in a precision; nil
// where there is none.
func Smallest(bytes int64, precision string) *GPU {
	var found *GPU
	for _, g := range gpus() {
		if bytes <= g.MemoryBytes && g.computes(precision) && (found == nil || g.MemoryBytes < found.MemoryBytes) {
			found = g
		}
	}
	return found
}

func (g *GPU) computes(precision string) bool {
	switch precision {
	case "fp16":
		return g.FP16 > 0
	case "amp", "bf16", "int8", "int4": // what is held in fewer bits is computed in bf16
		return g.BF16 > 0
	}
	return g.FP32 > 0
}

// Names lists the names of every card, the cheapest hour first.
func Names() []string {
	out := make([]string, len(gpus()))
	for i, g := range gpus() {
		out[i] = g.Name
	}
	return out
}

// Lookup finds a card by its name or another spelling of it, and returns nil for one that is not known. Case, "-", "_",
// spaces, the maker and a trailing GB do not matter.
func Lookup(name string) *GPU {
	key := squash(name)
	if key == "" {
		return nil
	}
	for _, g := range gpus() {
		if slices.Contains(g.keys(), key) {
			return g
		}
	}
	return nil
}

func (g *GPU) keys() []string {
	keys := []string{squash(g.Name)}
	for _, a := range g.Aliases {
		keys = append(keys, squash(a))
	}
	return keys
}

// squash leaves of a spelling what tells cards apart.
func squash(name string) string {
	key := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(name))
	for _, maker := range []string{"nvidia", "amd"} {
		key = strings.TrimPrefix(key, maker)
	}
	return strings.TrimSuffix(key, "gb")
}

// Nearest returns the name of the card whose spelling is closest to a word, or the empty string where none is close enough
// to be meant.
func Nearest(name string) string {
	key := squash(name)
	best, least := "", max(1, len(key)/2)+1
	if len(key) > 32 {
		return ""
	}
	for _, g := range gpus() {
		for _, k := range g.keys() {
			if d := spelling.Distance(key, k, least); d < least {
				best, least = g.Name, d
			}
		}
	}
	return best
}
