package layout

import (
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// Memory of a card that the model does not allocate: the context of the process and workspaces of the libraries, as in a run on one
// card (package estimate), and the buffers of NCCL where there are several (342 to 392 MiB at 2 to 8 ranks, as aiconfigurator's tables have it).
const (
	contextBytes = 1<<29 + 32<<20
	ncclBytes    = 392 << 20
)

// stage is the memory of one rank of a pipeline stage.
type stage struct {
	index, layers                 int64
	params, flops                 int64
	weights, grads, optimizer     int64 // bytes on one rank
	activations, logits, gathered int64
	inFlight                      int64
	host                          int64 // bytes of the host's memory
}

func (s *stage) fixed() int64 { return plus(s.weights, s.grads, s.optimizer) }
func (s *stage) peak() int64  { return plus(s.fixed(), s.activations, s.gathered) }

// stages is the memory of every stage, nil where there are more stages than layers to put on them.
func (c *plan) stages() []stage {
	chunks := times(c.PP, c.VPP)
	if chunks > c.layers()+2 || c.framework.name == megatron.name && chunks > max(1, c.layers()) {
		return nil
	}
	c.again, c.gathered = c.recomputed(), c.gathers()
	sizes := c.framework.split(c)
	out := make([]stage, c.PP)
	for i := range out {
		out[i].index = int64(i)
	}
	held := make([][]part, c.PP) // the chunks of each stage
	start := int64(0)
	for k, size := range sizes {
		s := int64(k) % c.PP
		chunk := part{}
		end := min(start+max(0, size), c.layers())
		for l := start; l < end; l++ {
			chunk.add(&c.parts[l])
			chunk.entry = plus(chunk.entry, c.parts[l].entry)
		}
		if k == 0 {
			chunk.add(&c.first)
		}
		if k == len(sizes)-1 {
			chunk.add(&c.last)
			if c.PP > 1 && c.tied > 0 {
				chunk.split = plus(chunk.split, c.tied)
			}
		}
		out[s].layers += end - start
		held[s] = append(held[s], chunk)
		start = end
	}
	for i := range out {
		c.fill(&out[i], held[i])
	}
	return out
}

// fill computes the memory of a stage with these chunks.
func (c *plan) fill(s *stage, chunks []part) {
	all := part{}
	for i := range chunks {
		all.add(&chunks[i])
	}
	s.params, s.flops = all.params(), all.flops
	dense := plus(share(all.split, c.TP), all.whole)
	for _, t := range all.tables {
		rows := t.rows
		if pad := c.framework.padsVocab; pad > 0 {
			rows = multiple(rows, times(pad, c.TP))
		}
		dense = plus(dense, share(times(rows, t.width), c.TP))
	}
	width, ranks := times(c.etp, c.EP), times(c.DP, c.CP)
	c.states(s, dense, ranks)
	c.states(s, share(all.expert, width), max(1, c.expertRanks()/width))
	s.inFlight = c.inFlight(s.index)
	s.activations = c.activations(s, chunks)
	if s.index == c.PP-1 {
		s.logits = share(times(c.logits, c.MicroBatch, c.framework.logitBytes), times(c.TP, c.CP))
		s.activations = plus(s.activations, s.logits)
	}
	s.gathered = c.gathered
}

// gathers is the memory of the weights that ZeRO 3 gathers: those of one layer at a time, and the next one's beside them.
func (c *plan) gathers() int64 {
	if c.zero != 3 || times(c.DP, c.CP) == 1 && c.Offload != "all" {
		return 0
	}
	largest, width := int64(0), times(c.etp, c.EP)
	for i := range c.parts {
		p := &c.parts[i]
		largest = max(largest, plus(share(p.split, c.TP), p.whole, share(p.expert, width)))
	}
	return times(4, largest)
}

// states adds weights, gradients and Adam's states: 16-bit weights, gradients of 2 or 4 bytes, and 12 bytes of 32-bit weights and
// moments. ZeRO divides the states, then the gradients, then the weights among the data-parallel ranks.
func (c *plan) states(s *stage, params, ranks int64) {
	weights, grads, states := times(2, params), times(c.framework.gradBytes, params), times(12, params)
	if c.zero >= 1 {
		states = share(states, ranks)
	}
	if c.zero >= 2 {
		grads = share(grads, ranks)
	}
	if c.zero >= 3 {
		weights = share(weights, ranks)
	}
	weights, grads, states = c.offloaded(s, weights, grads, states)
	s.weights, s.grads, s.optimizer = plus(s.weights, weights), plus(s.grads, grads), plus(s.optimizer, states)
}

// inFlight is for how many micro-batches a stage keeps activations: in 1F1B those that it has begun before the first comes back;
// interleaved, how many chunks, from the warm-up of Megatron-LM's schedule (core/pipeline_parallel/schedules.py
// get_pp_rank_microbatches), which torch.distributed.pipelining shares.
func (c *plan) inFlight(index int64) int64 {
	m := max(1, c.microBatches)
	switch {
	case c.PP == 1:
		return 1
	case c.VPP == 1:
		return min(m, c.PP-index)
	}
	round := m / max(1, m/c.PP) // pp where the micro-batches are a multiple of it; torch's schedule takes others, too
	return min(times(m, c.VPP), plus(times(2, c.PP-index-1), times(c.VPP-1, round), 1))
}

// activations are what a stage keeps for the backward passes that are to come. Chunks that are in flight are taken in turn.
func (c *plan) activations(s *stage, chunks []part) int64 {
	sum := int64(0)
	for i := range chunks {
		turns, flying := int64(len(chunks)), s.inFlight
		if c.PP > 1 && c.VPP > 1 {
			flying = s.inFlight / turns
			if int64(i) < s.inFlight%turns {
				flying++
			}
		}
		p := &chunks[i]
		kept := c.onRank(p.inner, p.stream)
		switch {
		case c.Recompute == "full" && c.layers() > 0:
			outer := part{}
			if s.index == 0 && i == 0 {
				outer.add(&c.first)
			}
			if s.index == c.PP-1 && i == len(chunks)-1 {
				outer.add(&c.last)
			}
			kept = plus(c.onRank(0, p.entry), c.onRank(outer.inner, outer.stream))
		case c.Recompute == "selective":
			kept = c.onRank(p.inner-p.scores, p.stream)
		}
		sum = plus(sum, times(flying, kept))
	}
	return plus(sum, c.again)
}

// recomputed is the memory of the layer that is recomputed in the backward pass.
func (c *plan) recomputed() int64 {
	most := int64(0)
	for i := range c.parts {
		switch p := &c.parts[i]; c.Recompute {
		case "full":
			most = max(most, c.onRank(p.inner, p.stream))
		case "selective":
			most = max(most, c.onRank(p.scores, 0))
		}
	}
	return most
}

// onRank is the share that one rank has of what a micro-batch keeps. Tensor parallelism splits what is inside layers, sequence
// parallelism the rest as well, and context parallelism everything (Korthikanti et al. 2022, section 4).
func (c *plan) onRank(inner, stream int64) int64 {
	outer := c.CP
	if c.sequenceParallel {
		outer = times(c.CP, c.TP)
	}
	return plus(share(times(inner, c.MicroBatch), times(c.CP, c.TP)), share(times(stream, c.MicroBatch), outer))
}

// balance is the work of the mean stage over that of the slowest.
func balance(stages []stage) *quantity.Decimal {
	sum, slowest := int64(0), int64(0)
	for i := range stages {
		sum, slowest = plus(sum, stages[i].flops), max(slowest, stages[i].flops)
	}
	if slowest == 0 || sum >= most {
		return nil
	}
	d := quantity.Round(float64(sum)/float64(float64(slowest)*float64(len(stages))), 4)
	return &d
}

// overhead is the memory of a card that is not the model's.
func (c *plan) overhead() int64 {
	if c.gpus > 1 {
		return contextBytes + ncclBytes
	}
	return contextBytes
}

// wire writes a stage as it goes over the wire.
func (c *plan) wire(s *stage) Stage {
	out := Stage{Index: s.index, Layers: s.layers, Params: s.params, WeightsGB: quantity.GB(s.weights), GradsGB: quantity.GB(s.grads), OptimizerGB: quantity.GB(s.optimizer),
		ActivationsGB: quantity.GB(s.activations), PeakGB: quantity.GB(s.peak()), InFlight: s.inFlight, LogitsGB: quantity.GB(s.logits)}
	if c.Offload != "" {
		host := quantity.GB(s.host)
		out.HostGB = &host
	}
	if c.GPU != nil {
		if fits := plus(s.peak(), c.overhead()) <= c.GPU.MemoryBytes; !fits || c.whole {
			out.Fits = &fits
		}
	}
	return out
}

// misfit is the stage that a card does not hold: certain where weights, gradients and states alone are too large, an estimate else.
func (c *plan) misfit(stages []stage) []pending {
	if c.GPU == nil {
		return nil
	}
	worst := &stages[0]
	for i := range stages {
		if stages[i].peak() > worst.peak() {
			worst = &stages[i]
		}
	}
	room := c.GPU.MemoryBytes
	if plus(worst.peak(), c.overhead()) <= room {
		return nil
	}
	f := Finding{Rule: "layout-memory", Severity: rules.Warn, Title: "A stage does not fit on the card",
		Detail: "stage " + quantity.Grouped(worst.index) + " takes " + c.atLeast() + "an estimated " + gigabytes(plus(worst.peak(), c.overhead())) + " of the " + gigabytes(room) + " of " + c.GPU.Name + ": " + worst.breakdown()}
	if worst.fixed() > room {
		f.Severity, f.Title = rules.Block, "Weights and optimizer states alone do not fit on the card"
		f.Detail = "stage " + quantity.Grouped(worst.index) + " holds " + c.atLeast() + gigabytes(worst.fixed()) + " of weights, gradients and optimizer states, and " + c.GPU.Name + " has " + gigabytes(room)
	}
	return []pending{{Finding: f, propose: c.relief}}
}

// atLeast stands before memory that lacks components.
func (m *model) atLeast() string {
	if m.whole {
		return ""
	}
	return "at least "
}

func (s *stage) breakdown() string {
	return "weights " + gigabytes(s.weights) + ", gradients " + gigabytes(s.grads) + ", optimizer " + gigabytes(s.optimizer) + ", activations " + gigabytes(s.activations)
}
