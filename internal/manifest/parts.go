package manifest

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"github.com/modelverifier/verifier/internal/attest"
)

// The sizes of what is read and digested at once. A chunk that is read stays in the cache of a processor until it is digested, and a file of
// one chunk needs nobody to read ahead. Between two chunks a worker can be stopped; SHA-256 itself cannot.
const (
	chunkBytes = 256 << 10
	chunks     = 4 // of a worker
)

// source gives a file in parts, one after the other, and io.EOF with or after the last. A part is there until the source was asked for as
// many more as it holds.
type source struct {
	holds int
	next  func() ([]byte, error)
}

// reading copies a file from where it stands into the worker's memory.
func (w *worker) reading(f *os.File) source {
	i := 0
	return source{chunks, func() ([]byte, error) {
		buf := w.buf(i % chunks)
		i++
		n, err := io.ReadFull(f, buf)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		return buf[:n], err
	}}
}

// large digests a file of some size. Where the system shows its own copy of the file, nothing is copied, which is a sixth of the time on a
// machine whose processors all digest. Whatever goes wrong there, the file is read instead, which tells how it is: cut short, or what of it
// cannot be read.
func (w *worker) large(ctx context.Context, f *os.File, size int64) (attest.Sum, int64, error) {
	if m := mapped(f, size); m != nil {
		sum, n, err := w.ahead(ctx, source{len(m.windows), m.next})
		m.close()
		if err == nil || ctx.Err() != nil {
			return sum, n, err
		}
		w.meter.add(0, -n)
	}
	return w.ahead(ctx, w.reading(f))
}

// part is what the reader hands over.
type part struct {
	data []byte
	err  error
}

// ahead digests a part while the next one is fetched, and says how many bytes it got to.
func (w *worker) ahead(ctx context.Context, from source) (attest.Sum, int64, error) {
	full, room := make(chan part, from.holds), make(chan struct{}, from.holds)
	for range from.holds {
		room <- struct{}{}
	}
	stop := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() { fetch(from, full, room, stop) })
	defer reader.Wait()
	defer close(stop)
	h := sha256.New()
	var n int64
	for {
		p := <-full
		for data := p.data; len(data) > 0; {
			if ctx.Err() != nil {
				return attest.Sum{}, n, context.Cause(ctx)
			}
			k := min(len(data), chunkBytes)
			if err := feed(h, data[:k]); err != nil {
				return attest.Sum{}, n, err
			}
			data = data[k:]
			n += int64(k)
			w.meter.add(0, int64(k))
		}
		switch {
		case p.err == io.EOF:
			return attest.Sum(h.Sum(nil)), n, nil
		case p.err != nil:
			return attest.Sum{}, n, p.err
		}
		room <- struct{}{}
	}
}

func fetch(from source, full chan<- part, room <-chan struct{}, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-room:
			data, err := from.next()
			full <- part{data, err} // there is room for every part that is held
			if err != nil {
				return
			}
		}
	}
}

// errLost is that memory which shows a file went away: the file was cut short, or the disk fails.
var errLost = errors.New("part of the file is no longer there")

// feed digests memory that may show a file. Reading what is gone from there is a fault, which would end the program.
func feed(h hash.Hash, data []byte) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }: // what the runtime says about a fault has the address of it
			err = errLost
		default:
			panic(r)
		}
	}()
	_, err = h.Write(data)
	return err
}
