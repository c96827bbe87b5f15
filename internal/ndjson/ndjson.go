// Package ndjson answers many requests of one stream, one on each line, in the order in which they came.
//
// It must not know what a line means.
package ndjson

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
)

// ErrTooLong is the error of a line that is longer than the limit. The line behind it can be read.
var ErrTooLong = errors.New("ndjson: the line is too long")

// Reader reads lines.
type Reader struct {
	// Hold is asked before so many more bytes of a line are kept, and may wait. Its error ends the reading. nil: nobody is asked.
	Hold func(n int) error

	in   *bufio.Reader
	most int
}

// NewReader makes a reader of lines of at most so many bytes.
func NewReader(r io.Reader, most int) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, 64<<10), most: most}
}

// Next is the next line that is not blank, without its end. It is the caller's to keep. The last line needs no end. Held is for how many bytes
// Hold was asked since the last call, whatever came of them.
func (r *Reader) Next() (line []byte, held int, err error) {
	for {
		line, err := r.line(&held)
		if line = bytes.TrimSpace(line); len(line) > 0 || err != nil {
			if err == io.EOF && len(line) > 0 {
				err = nil
			}
			return line, held, err
		}
	}
}

// line reads up to the end of a line. Of one that is too long nothing is kept.
func (r *Reader) line(held *int) (out []byte, err error) {
	long := false
	for {
		piece, err := r.in.ReadSlice('\n')
		if !long {
			if r.Hold != nil {
				if err := r.Hold(len(piece)); err != nil {
					return nil, err
				}
				*held += len(piece)
			}
			out = append(out, piece...)
		}
		if len(bytes.TrimSuffix(out, []byte{'\n'})) > r.most {
			out, long = nil, true
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && (err != io.EOF || !long):
			return out, err
		case long:
			return nil, ErrTooLong
		default:
			return out, nil
		}
	}
}

// Stream is lines, each of which has an answer.
type Stream[A any] struct {
	Next   func() ([]byte, error)          // the next line; ErrTooLong ends nothing, any other error does
	Answer func(line []byte, long bool) A  // of one line, or of one that was too long; called by several goroutines at once
	Write  func(answer A, last bool) error // last: no further answer is ready
	Most   int                             // lines, at the most; below zero for any number
	Ahead  int                             // lines that are answered at once
}

// ErrTooMany is the error of a stream that has more lines than it may.
var ErrTooMany = errors.New("ndjson: there are more lines than are answered")

// Run answers every line. It returns how many were answered and written, and what ended the stream, nil for its end. Next is never called
// again once Run has returned, so that a write which fails has to wait for it.
func (s *Stream[A]) Run() (written int, err error) {
	order := make(chan chan A, s.Ahead) // in which answers are written: a slot is there before its line is answered
	places := make(chan struct{}, s.Ahead)
	stop := make(chan struct{})
	var reading sync.WaitGroup
	var ended error
	reading.Go(func() {
		defer close(order)
		for n := 0; ; n++ {
			select {
			case places <- struct{}{}:
			case <-stop:
				return
			}
			line, err := s.Next()
			long := errors.Is(err, ErrTooLong)
			if n == s.Most && (err == nil || errors.Is(err, ErrTooLong)) {
				err = ErrTooMany
			}
			if err != nil && !long {
				if err != io.EOF {
					ended = err
				}
				return
			}
			answer := make(chan A, 1)
			order <- answer
			go func() {
				answer <- s.Answer(line, long)
				<-places
			}()
		}
	})
	for answer := range order {
		said := <-answer
		if err != nil {
			continue // nobody reads any more
		}
		if err = s.Write(said, len(order) == 0); err != nil {
			close(stop)
			continue
		}
		written++
	}
	reading.Wait()
	if err == nil {
		err = ended
	}
	return written, err
}
