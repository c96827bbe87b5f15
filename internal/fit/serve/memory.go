package serve

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/quantity"
)

const mib = 1 << 20

// cache is what keys and values of one token take on the fullest card.
type cache struct {
	full    int64 // bytes of the layers that see every position
	sliding int64 // bytes of those that see a window
	window  int64
	known   bool
}

// sequence is what one sequence takes. Layers with a window also keep what is in flight.
func (c cache) sequence(length, inFlight int64) int64 {
	kept := length
	if c.window > 0 {
		kept = min(length, c.window+inFlight)
	}
	a, ok := quantity.Mul(c.full, length)
	b, ok2 := quantity.Mul(c.sliding, kept)
	if !ok || !ok2 {
		return 1 << 62
	}
	return a + b
}

// longest is the longest sequence that fits some bytes.
func (c cache) longest(bytes, most, inFlight int64) int64 {
	if bytes <= 0 {
		return 0
	}
	low, high := int64(0), most
	for low < high {
		mid := low + (high-low+1)/2
		if c.sequence(mid, inFlight) <= bytes {
			low = mid
		} else {
			high = mid - 1
		}
	}
	if low > 1024 {
		low -= low % 256
	}
	return low
}

// perToken is what the cache of one card takes for one token, with elements of so many bits.
func (l *launch) perToken(s sizes, bits int64, replicate bool) cache {
	m := &l.model
	layers := m.AttentionLayers
	if layers == 0 && m.RecurrentLayers == 0 {
		layers = m.Layers
	}
	if layers == 0 || m.HeadDim == 0 && !m.HasLatent() || m.KVHeads == 0 && !m.HasLatent() {
		return cache{}
	}
	sliding := min(m.SlidingLayers, layers)
	full := layers - sliding
	stage := func(n int64) int64 { return (n + s.pp - 1) / max(s.pp, 1) }
	var element int64
	if m.HasLatent() {
		element = m.KVLoraRank + m.QKRopeHeadDim
	} else {
		heads := (m.KVHeads + s.attnTP - 1) / s.attnTP
		if !replicate {
			heads = max(1, m.KVHeads/s.attnTP)
		}
		element = heads * (m.HeadDim + max(m.VHeadDim, m.HeadDim))
		if m.VHeadDim > 0 {
			element = heads * (m.HeadDim + m.VHeadDim)
		}
	}
	one, ok := quantity.Mul(element, bits)
	a, ok2 := quantity.Mul(one, stage(full))
	b, ok3 := quantity.Mul(one, stage(sliding))
	if !ok || !ok2 || !ok3 {
		return cache{}
	}
	return cache{full: a / 8, sliding: b / 8, window: m.SlidingWindow, known: true}
}

// kvBits is what an element of the cache takes, by the word that an engine has for it.
func (l *launch) kvBits(word string, plain int64) int64 {
	switch {
	case word == "float32" || word == "f32":
		return 32
	case strings.HasPrefix(word, "fp8") || strings.HasPrefix(word, "int8") || word == "mxfp8":
		return 8
	case strings.HasPrefix(word, "nvfp4") || strings.HasPrefix(word, "fp4") || strings.HasPrefix(word, "int4") || strings.HasPrefix(word, "turboquant"):
		return 4
	case word == "" || word == "auto":
		q := l.config.object("quantization_config")
		if q.has("kv_cache_scheme") || strings.EqualFold(q.str("kv_cache_quant_algo"), "fp8") {
			return 8
		}
	}
	return plain * 8
}

// activationBytes stands for the peak that an engine measures with a dummy batch: 2 bytes for each token and feature, times a
// factor by the cards that share it, and for the logits of as many rows as sequences. It follows aiconfigurator's memory model
// and is an estimate.
func (l *launch) activationBytes(tokens, rows, tp int64, factors [4]float64) int64 {
	m := &l.model
	i := 0
	for n := int64(2); n <= tp && i < 3; n *= 2 {
		i++
	}
	width := max(m.Heads*m.HeadDim, m.Hidden)
	bytes := int64(float64(2*min(tokens, 1<<20)*min(width, 1<<20)) * factors[i])
	if m.Vocab > 0 && rows > 0 {
		bytes += min(rows, 1<<16) * min(m.Vocab, 1<<24) / max(tp, 1) * 12
	}
	return max(bytes, 70*mib)
}

// The factors for one, two, four and eight cards.
var (
	denseFactors   = [4]float64{11, 6.5, 5, 5}
	expertFactors  = [4]float64{22, 13, 10, 10}
	denseFactorsS  = [4]float64{14, 8.5, 6.5, 6.5}
	expertFactorsS = [4]float64{28, 17, 13, 13}
)

func (l *launch) factors(dense, experts [4]float64) [4]float64 {
	if l.model.HasExperts() {
		return experts
	}
	return dense
}

// communication is what NCCL takes.
func communication(tp int64) int64 {
	switch {
	case tp <= 1:
		return 0
	case tp == 2:
		return 342 * mib
	}
	return 392 * mib
}

// budget is how an engine divides a card.
type budget struct {
	capacity    int64 // that the engine may use
	weights     stored
	activations int64
	overhead    int64
	kv          int64 // what is left for keys and values, by the full estimate
	kvMost      int64 // what is left at the most, without any overhead
	cache       cache
	length      int64 // of the longest sequence
	inFlight    int64
	rows        int64 // sequences that may run at once
}

// settle fills in what follows from the parts.
func (b *budget) settle() {
	b.kv = b.capacity - b.weights.about - b.activations - b.overhead
	b.kvMost = b.capacity - b.weights.least
}

// offloaded takes from the cards what the command keeps on the host. How much a group of layers or experts is, is not reckoned: then
// the weights may take nothing at the least.
func (l *launch) offloaded(b *budget) {
	l.judged("mem-cpu-offload")
	if off, ok := l.fraction("--cpu-offload-gb", 0); l.hidden("--cpu-offload-gb") || ok && off > 0 {
		moved := int64(min(off, 1<<20) * (1 << 30))
		if !ok {
			moved = b.weights.about
		}
		b.weights.least, b.weights.about = max(0, b.weights.least-moved), max(0, b.weights.about-moved)
		l.warn("mem-cpu-offload", nil, "%s of the weights of each card are kept on the host, and read over the bus in every step", shownGB(moved))
	}
	for _, name := range []string{"--offload-group-size", "--offload-backend", "--kt-num-gpu-experts", "--kt-weight-path"} {
		if l.given(name) {
			b.weights.least = 0
			l.warn("mem-cpu-offload", nil, "%s keeps part of the weights on the host: how much is not reckoned here", name)
			return
		}
	}
}

// publish puts the division into the answer. Of a model that is known in part only what a token takes of the cache is known.
func (l *launch) publish(b *budget) {
	out, counted := l.out, facts.Counted(l.walked)
	l.imageRules(b.length)
	if counted {
		out.Memory = &Memory{quantity.GB(b.weights.about), quantity.GB(max(b.kv, 0)), quantity.GB(b.activations), quantity.GB(b.overhead), quantity.GB(b.capacity)}
	}
	if !b.cache.known {
		return
	}
	per := b.cache.full + b.cache.sliding
	out.KVBytesPerToken = &per
	if b.length > 0 && counted {
		n := int64(0)
		if one := b.cache.sequence(b.length, b.inFlight); one > 0 && b.kv > 0 {
			n = b.kv / one
		}
		if b.rows > 0 {
			n = min(n, b.rows)
		}
		out.MaxConcurrentSequences = &n
	}
}

// shownGB is a size for a message.
func shownGB(n int64) string { return quantity.GB(max(n, 0)).String() + " GB" }

// shareRule judges a share of the card that is given and too small for weights that the card itself would hold.
func (l *launch) shareRule(b *budget, flag string) bool {
	total := l.request.GPU.MemoryBytes
	if !l.given(flag) || b.weights.least <= b.capacity || b.weights.about > total/100*85 {
		return true
	}
	percent := b.weights.about*100/total + 6
	l.block("mem-weights", set(flag, fmt.Sprintf("0.%02d", percent)), "the weights take at least %s on each card, and %s leaves %s", shownGB(b.weights.least), flag, shownGB(b.capacity))
	return false
}

// weightRule judges whether the weights fit; false where they do not, and nothing more is checked.
func (l *launch) weightRule(b *budget, flag string, s sizes, dtypeFlag, method string) bool {
	l.judged("mem-weights")
	if b.weights.least <= b.capacity {
		return true
	}
	var fix remedy
	for _, n := range []int64{2, 4, 8, 16} {
		t := s
		t.tp, t.attnTP = n, n
		if t.ep {
			t.epSize = max(n*s.dp, 1)
		}
		if n > s.tp && flag != "" && l.legalTP(n, t) && l.weightBytes(t, dtypeFlag, method).about < b.capacity {
			fix = append(fix, setSize(flag, n)...)
		}
	}
	l.block("mem-weights", fix, "the weights take at least %s on each card, and the engine may use %s of %s", shownGB(b.weights.least), shownGB(b.capacity), l.request.GPU.Name)
	return false
}

// oneSequence judges whether one sequence of full length fits. Refuses says whether the engine does not start otherwise.
func (l *launch) oneSequence(b *budget, lengthFlag string, refuses bool) {
	if !b.cache.known || b.length <= 0 {
		return
	}
	l.judged("mem-kv-one-seq", "mem-kv-none")
	need := b.cache.sequence(b.length, b.inFlight)
	fit := b.cache.longest(b.kv, b.length, b.inFlight)
	var fix remedy
	if fit > 0 {
		fix = setSize(lengthFlag, fit)
	}
	switch {
	case b.cache.sequence(b.length, 0) > b.kvMost && refuses:
		l.block("mem-kv-one-seq", fix, "one sequence of %d tokens takes %s of cache, and at most %s are left beside the weights", b.length, shownGB(need), shownGB(b.kvMost))
	case b.kv <= 0:
		l.warn("mem-kv-none", fix, "by our estimate nothing is left for keys and values: weights %s, activations %s and overhead %s of %s",
			shownGB(b.weights.about), shownGB(b.activations), shownGB(b.overhead), shownGB(b.capacity))
	case need > b.kv:
		l.warn("mem-kv-one-seq", fix, "one sequence of %d tokens takes %s of cache, and by our estimate %s are left", b.length, shownGB(need), shownGB(b.kv))
	}
}
