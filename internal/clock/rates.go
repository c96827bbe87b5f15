package clock

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// Rates is what card and host reach. Those without a unit in their names are shares of what the card's data sheet says, or factors.
type Rates struct {
	Wide, Narrow, TF32       float64 // of the rate of 32-bit and of 16-bit products, and of those in TF32
	Loose, Odd               float64 // of 16 bits and TF32, where a matrix has rows that begin at multiples of 4 bytes only, and of 2
	Batched                  float64 // of those: products of many pairs of matrices
	Wave                     float64 // how much longer a product takes that has a tile for each multiprocessor
	Convolution              float64 // of the rate of TF32, or of 16 bits
	Turned                   float64 // times the bytes of a convolution of 16-bit floats, for other layouts
	Thin, Thin16             float64 // of the rate of 32-bit floats: few channels, and the same of 16-bit floats
	Grouped, Grouped16       float64 // the same of groups of channels
	Depthwise, Depthwise16   float64 // of the rate of 32-bit floats; and times the bytes of 16-bit floats
	Attention, WideAttention float64 // of the rates of 16-bit and of 32-bit floats
	BackAttention            float64 // of those, in the backward pass
	MovedAttention           float64 // times the bytes
	HeadFeatures             float64 // heads of so many features reach half of the rate of 16-bit floats
	Memory, Reduction, Index float64 // of the bandwidth
	Optimizer                float64 // of the bandwidth
	KernelMicros             float64 // a kernel takes that long beside its work
	CallMicros, ViewMicros   float64 // the host, for an operation of the forward pass, and for one that starts no kernel
	BackMicros, LaunchMicros float64 // and for one of the backward pass, and for a kernel
	RecurrentMicros          float64 // and for one step of a recurrent layer
	WaitMicros               float64 // and where it waits for the card
	StepMicros, UnitMicros   float64 // and for a step at all, and for a unit that is computed again
	TensorMicros, ListMicros float64 // and for the gradient of a trained tensor, and for a tensor in an operation over a list
	LoopMicros               float64 // host and card, for a tensor in an optimizer that takes them one after the other
}

// Named is a rate with its name, for who fits or shows them.
type Named struct {
	Name  string
	Value *float64
}

// All lists the rates.
func (r *Rates) All() []Named {
	return []Named{
		{"wide", &r.Wide}, {"narrow", &r.Narrow}, {"tf32", &r.TF32}, {"loose", &r.Loose}, {"odd", &r.Odd}, {"batched", &r.Batched}, {"wave", &r.Wave},
		{"convolution", &r.Convolution}, {"turned", &r.Turned}, {"thin", &r.Thin}, {"thin16", &r.Thin16}, {"grouped", &r.Grouped},
		{"grouped16", &r.Grouped16}, {"depthwise", &r.Depthwise}, {"depthwise16", &r.Depthwise16},
		{"attention", &r.Attention}, {"wideAttention", &r.WideAttention}, {"backAttention", &r.BackAttention}, {"movedAttention", &r.MovedAttention},
		{"headFeatures", &r.HeadFeatures}, {"memory", &r.Memory}, {"reduction", &r.Reduction}, {"index", &r.Index}, {"optimizer", &r.Optimizer},
		{"kernelMicros", &r.KernelMicros}, {"callMicros", &r.CallMicros}, {"viewMicros", &r.ViewMicros}, {"backMicros", &r.BackMicros},
		{"launchMicros", &r.LaunchMicros}, {"recurrentMicros", &r.RecurrentMicros}, {"waitMicros", &r.WaitMicros}, {"stepMicros", &r.StepMicros},
		{"unitMicros", &r.UnitMicros}, {"tensorMicros", &r.TensorMicros}, {"listMicros", &r.ListMicros}, {"loopMicros", &r.LoopMicros},
	}
}

// most is what a rate can be at the most: no kernel reaches all that a data sheet says.
var most = map[string]float64{"wide": 0.85, "narrow": 0.8, "tf32": 0.8, "batched": 1, "wave": 3, "convolution": 0.8, "attention": 1, "wideAttention": 0.9,
	"backAttention": 1, "headFeatures": 128, "memory": 0.93, "reduction": 0.93, "index": 0.93, "optimizer": 0.93, "kernelMicros": 6}

// Most is that of a rate with a name; 0 where there is no such bound.
func Most(name string) float64 { return most[name] }

// Table is rates with where they are from.
type Table struct {
	Card    string  `json:"card"`
	Library string  `json:"library"`
	Rows    int     `json:"rows"` // that all of them were fitted on together
	Entries []Entry `json:"rates"`
	Rates   Rates   `json:"-"`
}

// Entry is one rate, and the rows in which it decides a twentieth of the time or more. Few marks one that three rows or fewer do.
type Entry struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Rows  int     `json:"rows"`
	Few   bool    `json:"few,omitempty"`
}

//go:embed rates.json
var measured []byte

// Measured is the rates of the card that runs were measured on. On another card they are an assumption; so are those of the host on another machine.
var Measured = sync.OnceValue(func() *Table {
	t := new(Table)
	if err := json.Unmarshal(measured, t); err != nil {
		panic("clock: rates.json: " + err.Error())
	}
	all := t.Rates.All()
	if len(all) != len(t.Entries) {
		panic("clock: rates.json lacks rates or has others")
	}
	for k, e := range t.Entries {
		if e.Name != all[k].Name {
			panic("clock: rates.json has " + e.Name + " in the place of " + all[k].Name)
		}
		*all[k].Value = e.Value
	}
	return t
})
