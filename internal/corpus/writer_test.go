package corpus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
)

// kept is a store in memory that can be away. What the databases do is tested with them, in package store.
type kept struct {
	mu      sync.Mutex
	away    error
	lines   map[string]int64 // calls by digest
	batches []int
	asked   int
	groups  []Group
	wrote   chan struct{}
}

func newKept() *kept { return &kept{lines: map[string]int64{}, wrote: make(chan struct{}, 1000)} }

func (k *kept) Append(_ context.Context, b *Batch) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.away != nil {
		return k.away
	}
	for _, l := range b.Lines {
		k.lines[string(l.Digest)] += l.Calls
	}
	k.batches = append(k.batches, len(b.Lines))
	k.wrote <- struct{}{}
	return nil
}

func (k *kept) Prune(context.Context, int64) (int64, error) { return 0, nil }

func (k *kept) Groups(context.Context) ([]Group, int64, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked++
	return k.groups, 20_000, k.away
}

func (k *kept) set(away error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.away = away
}

func (k *kept) calls() (n int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.lines {
		n += c
	}
	return n
}

func row(n int) Row {
	return Row{Day: 1, Fingerprint: fmt.Sprintf("%08x", n), Types: []Count{{"linear", 2}}, Fired: []Fired{{"cycle", "block"}}}
}

func TestEqualRowsAreWrittenAsOne(t *testing.T) {
	k := newKept()
	w := NewWriter(k, nil)
	for n := range 5000 {
		w.Add(row(n % 7))
	}
	if s := w.Stats(); s != (Stats{Added: 5000, Waiting: 7}) {
		t.Errorf("%+v", s)
	}
	if err := w.Flush(t.Context()); err != nil || k.calls() != 5000 || len(k.lines) != 7 || len(k.batches) != 1 {
		t.Errorf("%d calls in %d lines and %v batches, %v", k.calls(), len(k.lines), k.batches, err)
	}
	if s := w.Stats(); s != (Stats{Added: 5000, Written: 5000}) {
		t.Errorf("%+v", s)
	}
}

func TestAWholeBatchIsWrittenAtOnceAndTheRestAtTheEnd(t *testing.T) {
	k := newKept()
	w := NewWriter(k, nil)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- w.Run(ctx) }()
	const callers, each = 8, 1500
	var wait sync.WaitGroup
	for c := range callers {
		wait.Go(func() {
			for n := range each {
				w.Add(row(c*each + n))
			}
		})
	}
	wait.Wait()
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for _, n := range k.batches {
		if n > mostInBatch {
			t.Errorf("a batch of %d rows", n)
		}
	}
	if s := w.Stats(); k.calls() != callers*each || s.Written != callers*each || s.Dropped != 0 || s.Waiting != 0 {
		t.Errorf("%d calls, %+v", k.calls(), s)
	}
}

func TestARowIsWrittenWithoutBeingAskedFor(t *testing.T) {
	k := newKept()
	w := NewWriter(k, nil)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- w.Run(ctx) }()
	for n := range 3 {
		w.Add(row(n))
		<-k.wrote
	}
	stop()
	if err := <-done; err != nil || k.calls() != 3 {
		t.Errorf("%d, %v", k.calls(), err)
	}
}

// TestWhileTheStoreIsAwayTheNewestRowsAreKept fills the memory twice over.
func TestWhileTheStoreIsAwayTheNewestRowsAreKept(t *testing.T) {
	k := newKept()
	away := errors.New("away")
	k.set(away)
	told := 0
	w := NewWriter(k, func(err error) {
		if told++; !errors.Is(err, away) {
			t.Error(err)
		}
	})
	const added = 2 * mostWaiting
	for n := range added {
		w.Add(row(n))
		if n%5000 == 4999 {
			if err := w.Flush(t.Context()); !errors.Is(err, away) {
				t.Fatal(err)
			}
		}
	}
	s := w.Stats()
	if s.Added != added || s.Written != 0 || s.Dropped+s.Waiting != added || s.Waiting != mostWaiting || s.Faults != 8 || told != 8 {
		t.Errorf("%+v, told %d times", s, told)
	}
	k.set(nil)
	if err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if k.calls() != mostWaiting {
		t.Errorf("%d rows are kept", k.calls())
	}
	newest := newBatch([]*entry{{row: row(added - 1), text: textOf(row(added - 1)), calls: 1}}).Lines[0].Digest
	oldest := newBatch([]*entry{{row: row(0), text: textOf(row(0)), calls: 1}}).Lines[0].Digest
	if k.lines[string(newest)] != 1 || k.lines[string(oldest)] != 0 {
		t.Error("the newest was dropped, or the oldest kept")
	}
}

func textOf(r Row) string { return r.text() }

func TestMemoryIsBoundedByBytesToo(t *testing.T) {
	w := NewWriter(newKept(), nil)
	wide := make([]Count, 2000)
	for i := range wide {
		wide[i] = Count{fmt.Sprintf("type-%d", i), 1}
	}
	for n := range 1000 {
		r := row(n)
		r.Types = wide
		w.Add(r)
	}
	if s := w.Stats(); w.bytes > mostBytes || s.Waiting == 0 || s.Waiting+s.Dropped != 1000 || s.Dropped == 0 {
		t.Errorf("%d bytes, %+v", w.bytes, s)
	}
}

func TestAtTheEndAStoreThatIsAwayIsAnError(t *testing.T) {
	k := newKept()
	away := errors.New("away")
	k.set(away)
	w := NewWriter(k, nil)
	w.Add(row(1))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := w.Run(ctx); !errors.Is(err, away) {
		t.Error(err)
	}
}

func TestAReportIsAtMostAMinuteOld(t *testing.T) {
	k := newKept()
	now := time.Unix(0, 0)
	r := NewReporter(k, func() time.Time { return now })
	get := func(rows int64, asked int) {
		t.Helper()
		k.groups = []Group{{Kind: GroupTotal, Count: rows, Structures: Least}}
		report, err := r.Report(t.Context())
		if err != nil || k.asked != asked {
			t.Fatalf("%+v, %v, asked %d times", report, err, k.asked)
		}
		if asked == 1 && report.Rows != 1 || asked > 1 && report.Rows != rows {
			t.Errorf("%+v", report)
		}
	}
	get(1, 1)
	now = now.Add(59 * time.Second)
	get(2, 1)
	now = now.Add(time.Second)
	get(3, 2)
	now = now.Add(time.Minute)
	away := errors.New("away")
	k.set(away)
	for range 10 { // one question for all who ask within a second
		if report, err := r.Report(t.Context()); !errors.Is(err, away) || report != nil {
			t.Errorf("%+v, %v", report, err)
		}
	}
	if k.asked != 3 {
		t.Errorf("asked %d times", k.asked)
	}
	k.set(nil)
	now = now.Add(time.Second)
	get(4, 4)
}

func TestSmallGroupsCannotBeWorkedOut(t *testing.T) {
	groups := []Group{
		{Kind: GroupTotal, Count: 100, Structures: 50}, {Kind: GroupVerdict, Name: "ok", Count: 60, Structures: Least}, {Kind: GroupVerdict, Name: "warn", Count: 37, Structures: Least},
		{Kind: GroupVerdict, Name: "block", Count: 3, Structures: Least - 1}, {Kind: GroupRule, Name: "b", Severity: "warn", Count: 7, Structures: Least},
		{Kind: GroupRule, Name: "a", Severity: "warn", Count: 7, Structures: Least}, {Kind: GroupRule, Name: "c", Severity: "warn", Count: 9, Structures: Least},
		{Kind: GroupRule, Name: "rare", Severity: "warn", Count: 9000, Structures: Least - 1}, {Kind: GroupType, Name: "rare", Count: 9000, Structures: 1},
		{Kind: GroupType, Name: "linear", Count: 5, Structures: Least},
	}
	text, err := json.Marshal(newReport(groups, 20_000))
	want := `{"rows":100,"structures":50,"since":"2024-10-04","verdicts":{},"rules":[{"ruleId":"c","severity":"warn","rows":9},{"ruleId":"a","severity":"warn","rows":7},{"ruleId":"b","severity":"warn","rows":7}],"types":[{"type":"linear","components":5}]}`
	if err != nil || string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	groups[3].Structures = Least
	if r := newReport(groups, 0); len(r.Verdicts) != 3 || r.Verdicts["block"] != 3 {
		t.Errorf("%+v", r)
	}
	text, err = json.Marshal(newReport(nil, 0))
	if want := `{"rows":0,"structures":0,"since":null,"verdicts":{},"rules":[],"types":[]}`; err != nil || string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
}
