package tape

import "github.com/modelverifier/verifier/internal/allocator"

// Part is what memory is taken for.
type Part uint8

// The parts of what a step holds.
const (
	Inputs      Part = iota // what the model is given, its targets, and buffers
	Weights                 // trained or not
	States                  // what the optimizer keeps between steps
	Gradients               // of weights
	Activations             // results that somebody still reads, and what autograd saved
	Logits                  // the model's results, what the loss makes of them, and their gradients
	Copies                  // what the optimizer makes while it works
	Passing                 // gradients of activations, and workspaces
	partCount
)

// Parts is how many bytes each part takes.
type Parts [partCount]int64

// Sum is all of them.
func (p *Parts) Sum() (sum int64) {
	for _, n := range p {
		sum += n
	}
	return sum
}

// memory counts what is allocated, and the most of it since it was last asked.
type memory struct {
	allocator  allocator.Allocator
	mean       bool // count what the allocator takes for a tensor in the mean, and do not follow it
	live, most int64
	parts      Parts // of live
	rising     bool  // most is now
	atMost     Parts // of most, where it was before
	largest    Parts // the most that each part took by itself
	takes      int32 // how often memory was taken, and how often when there was the most
	atTake     int32
	recorder   recorder
}

// block is an allocation.
type block struct {
	size  int64
	place allocator.Place
	noted int32 // the number of its take in what is recorded
	part  Part
}

func (m *memory) take(bytes int64, part Part) block {
	b := block{part: part}
	if m.mean {
		b.size = allocator.Mean(bytes)
	} else {
		b.place, b.size = m.allocator.Take(bytes)
	}
	if m.recorder.on {
		b.noted = m.recorder.trace.Take(bytes)
	}
	m.takes++
	m.live += b.size
	m.parts[part] += b.size
	m.largest[part] = max(m.largest[part], m.parts[part])
	if m.live > m.most {
		m.most, m.rising, m.atTake = m.live, true, m.takes
	}
	return b
}

// partsAtMost is what the parts took when there was the most. They are noted when something changes behind that: there is a new most at
// every other tensor while a forward pass runs.
func (m *memory) partsAtMost() Parts {
	if m.rising {
		m.atMost, m.rising = m.parts, false
	}
	return m.atMost
}

func (m *memory) give(b block) {
	if m.rising {
		m.atMost, m.rising = m.parts, false
	}
	if b.place != 0 {
		m.allocator.Give(b.place)
	}
	if m.recorder.on {
		m.recorder.trace.Give(b.noted)
	}
	m.live -= b.size
	m.parts[b.part] -= b.size
}

// move counts an allocation as another part.
func (m *memory) move(b *block, part Part) {
	if m.rising {
		m.atMost, m.rising = m.parts, false
	}
	m.parts[b.part] -= b.size
	m.parts[part] += b.size
	b.part = part
}

// passing takes memory and gives it back.
func (m *memory) passing(bytes int64, part Part) {
	if bytes > 0 {
		m.give(m.take(bytes, part))
	}
}

// phase returns the most since the last phase ended.
func (m *memory) phase() int64 {
	most := m.most
	m.most, m.rising, m.atTake = m.live, true, m.takes
	return most
}
