package corpus

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// How the writer batches. A process that is killed loses what came since the last write began: one second at the most, as long
// as a write takes less than half of one.
const (
	interval     = 500 * time.Millisecond // between writes
	mostInBatch  = 1000                   // different rows
	mostWaiting  = 20_000                 // different rows
	mostBytes    = 16 << 20               // that they take
	writeTimeout = 5 * time.Second
)

// Writer takes rows from calls and writes them in batches, in the background. A call never waits for the database and never
// fails for it: while it is away rows are kept up to a bound, and then the oldest are dropped and counted. A batch whose
// acknowledgement was lost is written again.
type Writer struct {
	store Store
	fault func(error)
	wake  chan struct{}

	mu      sync.Mutex
	waiting map[string]*entry // by text
	queue   []*entry          // the same, oldest first
	bytes   int64
	stats   Stats
}

// Stats is what became of rows, since the start.
type Stats struct {
	Added, Written, Dropped int64 // rows
	Faults                  int64 // writes that failed
	Waiting                 int64 // different rows that are not written yet
}

// NewWriter returns a writer to a store. fault is told about every write that failed; it may be nil.
func NewWriter(store Store, fault func(error)) *Writer {
	if fault == nil {
		fault = func(error) {}
	}
	return &Writer{store: store, fault: fault, wake: make(chan struct{}, 1), waiting: map[string]*entry{}}
}

// Add takes a row. It does not wait.
func (w *Writer) Add(r Row) {
	e := &entry{row: r, text: r.text(), calls: 1}
	w.mu.Lock()
	w.stats.Added++
	w.put(e)
	w.rouse()
	w.mu.Unlock()
}

// rouse has a whole batch written now.
func (w *Writer) rouse() {
	if len(w.queue) >= mostInBatch {
		select {
		case w.wake <- struct{}{}:
		default: // it is awake
		}
	}
}

// put adds an entry behind the others, or counts it with its equal. Where there is no room the oldest go.
func (w *Writer) put(e *entry) {
	if same := w.waiting[e.text]; same != nil {
		same.calls += e.calls
		return
	}
	w.waiting[e.text] = e
	w.queue = append(w.queue, e)
	w.bytes += e.size()
	for len(w.queue) > 1 && (len(w.queue) > mostWaiting || w.bytes > mostBytes) {
		w.stats.Dropped += w.shift().calls
	}
}

// shift takes the oldest entry out.
func (w *Writer) shift() *entry {
	e := w.queue[0]
	w.queue[0] = nil
	w.queue = w.queue[1:]
	delete(w.waiting, e.text)
	w.bytes -= e.size()
	return e
}

// Stats says what became of rows.
func (w *Writer) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.stats
	s.Waiting = int64(len(w.queue))
	return s
}

// Run writes until the context ends, and then what is left. It returns an error where that could not be written.
func (w *Writer) Run(ctx context.Context) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		wake := w.wake
		if err := w.flush(context.WithoutCancel(ctx)); err != nil {
			w.fault(err)
			wake = nil // not before the next tick: rows that come in do not make the database come back
		}
		select {
		case <-tick.C:
		case <-wake:
		case <-ctx.Done():
			return w.Flush(context.WithoutCancel(ctx))
		}
	}
}

// Flush writes everything that waits. What could not be written waits on.
func (w *Writer) Flush(ctx context.Context) error {
	for w.Stats().Waiting > 0 {
		if err := w.flush(ctx); err != nil {
			w.fault(err)
			return err
		}
	}
	return nil
}

// flush writes one batch.
func (w *Writer) flush(ctx context.Context) error {
	batch := w.next()
	if len(batch) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	err := w.store.Append(ctx, newBatch(batch))
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.stats.Faults++
		w.putBack(batch)
		return fmt.Errorf("corpus: append: %w", err)
	}
	for _, e := range batch {
		w.stats.Written += e.calls
	}
	w.rouse()
	return nil
}

// next takes a batch out of the queue.
func (w *Writer) next() []*entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	batch := make([]*entry, 0, min(len(w.queue), mostInBatch))
	for len(w.queue) > 0 && len(batch) < mostInBatch {
		batch = append(batch, w.shift())
	}
	return batch
}

// putBack puts a batch in front of what came in the meantime.
func (w *Writer) putBack(batch []*entry) {
	later := w.queue
	w.queue, w.bytes = nil, 0
	clear(w.waiting)
	for _, e := range append(batch, later...) {
		w.put(e)
	}
}
