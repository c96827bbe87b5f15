package estimate

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// What decides a score: a model that fits gets up to 50 points for its latency, 30 for the memory that it leaves free and 20
// for what the target costs. One that does not fit gets none.
const (
	latencyPoints, memoryPoints = 50, 30
	promptMs                    = 100  // a reaction that people take as immediate earns all points, and a slower one its share
	freeShare                   = 0.75 // of the memory left free earns all points
	inferEfficiency             = 0.35 // of the arithmetic rate that one sample at a time reaches; an assumption
)

// costPoints are for the user's own device, one that is bought once, and two that are rented.
var costPoints = [...]float64{20, 15, 10, 0}

// Deployment is how a trained model would do on a target, one sample at a time.
type Deployment struct {
	Target          *hardware.Target
	Score           int     // 0 to 100; 0 where it does not fit
	LatencyMs       float64 // of one sample, two digits: no target was measured
	WeightBytes     int64   // of the weights as the target takes them
	QuantizedBytes  int64   // of the weights as 8-bit integers
	SizeMB          float64 // weights as the target takes them, in millions of bytes
	SizeMBQuantized float64 // weights as 8-bit integers
	Fits            bool
	Reasons         []string // what decided, in words
}

// Deploy scores every target, the best first; equal ones in the order of hardware.Targets.
func Deploy(res *infer.Result) []Deployment { return new(Room).Deploy(res) }

// Deploy is the same in memory that was used before. What it returns is good until the room is cleared.
func (r *Room) Deploy(res *infer.Result) []Deployment {
	p, out := r.profileOf(res), r.deployments.Make(len(places))
	r.texts.Reserve(2 * len(places))
	r.written.Grow(64 * len(places))
	for i := range places {
		out[i] = p.on(&places[i], r)
	}
	slices.SortStableFunc(out, func(a, b Deployment) int { return b.Score - a.Score })
	return out
}

// place is a target with what it offers in words.
type place struct {
	*hardware.Target
	room string
}

// places are all targets.
var places = func() (out []place) {
	for _, t := range hardware.Targets() {
		out = append(out, place{t, " of " + quantity.Bytes(t.MemoryBytes) + " in " + strconv.FormatInt(t.WeightBits, 10) + "-bit numbers"})
	}
	return out
}()

// profile is what a target needs to know of a model.
type profile struct {
	params, flops, layers int64
	moved                 int64 // elements that components give
	alive                 int64 // elements alive at once, at most
	largest               int64 // elements of the largest tensor
	groups                []string
	bound                 string // stands before sizes that lack components
}

func (r *Room) profileOf(res *infer.Result) profile {
	p := profile{groups: r.texts.Make(8)[:0]}
	left := r.ints.Make(len(res.Nodes)) // readers that are still to come
	sizes := r.int64s.Make(len(res.Nodes))
	live := int64(0)
	for _, i := range res.Wiring.Order {
		n := &res.Nodes[i]
		if known(n) && n.Out != nil && !neverRead(res, i) {
			sizes[i] = max(0, n.Out.Size())
		}
		left[i] = len(res.Wiring.Outputs(i))
		live = plus(live, sizes[i])
		p.alive = max(p.alive, live)
		for _, j := range res.Wiring.Inputs(i) {
			if left[j]--; left[j] == 0 {
				live -= min(live, sizes[j])
			}
		}
		for k := range n.Weights {
			p.largest = max(p.largest, n.Weights[k].Shape.Size())
		}
		if known(n) && !n.Type.Has(catalog.IsVirtual) {
			p.count(n, sizes[i])
		}
	}
	p.params = max(0, res.Params)
	if len(res.CostWithheld()) > 0 {
		p.bound = "at least "
	}
	return p
}

func (p *profile) count(n *infer.Node, size int64) {
	p.layers++
	p.flops, p.moved = plus(p.flops, max(0, n.FLOPs)), plus(p.moved, size)
	p.largest = max(p.largest, size)
	if name := string(n.Type.Group); !slices.Contains(p.groups, name) {
		p.groups = append(p.groups, name)
	}
	if name := string(catalog.Attention); n.Type.Has(catalog.IsAttention) && !slices.Contains(p.groups, name) {
		p.groups = append(p.groups, name) // a block with attention inside
	}
}

// on judges one target. The room is for the reasons.
func (p *profile) on(t *place, r *Room) Deployment {
	reasons := &r.texts
	size := t.WeightBits / 8
	weights := times(p.params, size)
	need := plus(weights, times(p.alive, size))
	d := Deployment{Target: t.Target, Fits: true, WeightBytes: weights, QuantizedBytes: p.params, SizeMB: thousandths(float64(weights) / 1e6), SizeMBQuantized: thousandths(float64(p.params) / 1e6)}
	d.LatencyMs = float64(quantity.Significant(int64(math.Round(min(p.latencyMs(t.Target, weights)*1000, most))), 2)) / 1000
	no := func(format string, args ...any) {
		d.Fits = false
		reasons.Push(fmt.Sprintf(format, args...))
	}
	if need > t.MemoryBytes {
		no("needs %s%s of memory, %s are there", p.bound, quantity.Bytes(need), quantity.Bytes(t.MemoryBytes))
	}
	if largest := times(p.largest, size); t.TensorBytes > 0 && largest > t.TensorBytes {
		no("its largest tensor takes %s%s, one binding holds %s", p.bound, quantity.Bytes(largest), quantity.Bytes(t.TensorBytes))
	}
	for _, group := range t.Refuses {
		if slices.Contains(p.groups, group) {
			no("%s layers do not run there", group)
		}
	}
	if !d.Fits {
		d.Reasons = reasons.Take()
		return d
	}
	reasons.Push(r.taking(need, t))
	if d.LatencyMs > promptMs {
		reasons.Push("takes longer for a sample than the 100 ms that feel immediate")
	}
	if t.OnChipBytes > 0 && weights > t.OnChipBytes {
		reasons.Push("weights beyond the " + quantity.Bytes(t.OnChipBytes) + " on the chip are sent again for every sample")
	}
	d.Reasons = reasons.Take()
	free := 1 - float64(need)/float64(t.MemoryBytes)
	score := float64(latencyPoints*min(1, promptMs/max(d.LatencyMs, 0.001))) + float64(memoryPoints*min(1, free/freeShare))
	d.Score = int(math.Floor(score + costPoints[min(max(t.CostClass, 0), 3)]))
	return d
}

// taking is the reason of every target that holds the model. Those of all targets are parts of one text.
func (r *Room) taking(need int64, t *place) string {
	var buffer [32]byte
	from := r.written.Len()
	r.written.WriteString("takes ")
	r.written.Write(quantity.AppendBytes(buffer[:0], need))
	r.written.WriteString(t.room)
	return r.written.String()[from:]
}

// latencyMs is the larger of arithmetic and memory traffic, and the time to start the layers.
func (p *profile) latencyMs(t *hardware.Target, weights int64) float64 {
	traffic := plus(weights, times(2, p.moved, t.WeightBits/8))
	if t.OnChipBytes > 0 {
		traffic = max(0, weights-t.OnChipBytes)
	}
	arithmetic := float64(p.flops) / float64(t.TFLOPS*(inferEfficiency*1e9))
	bus := float64(traffic) / float64(t.BandwidthGBs*1e6)
	return max(arithmetic, bus) + float64(float64(p.layers)*t.LayerMicros)/1e3
}

// thousandths rounds to three digits behind the point.
func thousandths(x float64) float64 { return math.Round(x*1000) / 1000 }

// neverRead reports whether a component is a tensor of the model that nothing reads: no copy of it is made for a sample.
func neverRead(res *infer.Result, i int) bool {
	return res.Nodes[i].Type.Has(catalog.IsTensor) && len(res.Wiring.Outputs(i)) == 0
}
