package ndjson

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestLinesAreReadWithoutTheirEnds(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "EOF"},
		{"a", "a EOF"},
		{"a\nb\n", "a b EOF"},
		{"a\r\n\r\n \n b \n", "a b EOF"},
		{"aaaa\nb", "aaaa b EOF"},
		{"aaaaa\nb", "long b EOF"},
		{"aaaaa", "long EOF"},
		{strings.Repeat("a", 200_000) + "\nb\n" + strings.Repeat("c", 100_000), "long b long EOF"},
	} {
		r, got := NewReader(strings.NewReader(c.text), 4), []string{}
		for {
			line, _, err := r.Next()
			if errors.Is(err, ErrTooLong) {
				got = append(got, "long")
				continue
			}
			if err != nil {
				got = append(got, err.Error())
				break
			}
			got = append(got, string(line))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%.20q is read as %v, want %s", c.text, got, c.want)
		}
	}
}

// numbers counts up to n.
func numbers(n int) func() ([]byte, error) {
	i := 0
	return func() ([]byte, error) {
		if i++; i > n {
			return nil, io.EOF
		}
		return strconv.AppendInt(nil, int64(i), 10), nil
	}
}

func TestAnswersComeInTheOrderOfTheLines(t *testing.T) {
	var got []string
	var at, most atomic.Int64
	s := Stream[[]byte]{Next: numbers(500), Most: 500, Ahead: 8, Answer: func(line []byte, _ bool) []byte {
		most.Store(max(most.Load(), at.Add(1)))
		defer at.Add(-1)
		n, _ := strconv.Atoi(string(line))
		time.Sleep(time.Duration(n*7919%300) * time.Microsecond) // some are done before those in front of them
		return line
	}, Write: func(b []byte, _ bool) error { got = append(got, string(b)); return nil }}
	n, err := s.Run()
	if n != 500 || err != nil || !slices.IsSortedFunc(got, func(a, b string) int { x, _ := strconv.Atoi(a); y, _ := strconv.Atoi(b); return x - y }) || len(got) != 500 {
		t.Errorf("%d lines, %v, in the order %v", n, err, got)
	}
	if most.Load() > 8 {
		t.Errorf("%d were answered at once, 8 may be", most.Load())
	}
}

func TestAStreamEndsWithItsFaults(t *testing.T) {
	broken := errors.New("broken")
	echo := func(line []byte, long bool) []byte {
		if long {
			return []byte("long")
		}
		return line
	}
	keep := func([]byte, bool) error { return nil }
	count := 0
	for name, c := range map[string]struct {
		stream Stream[[]byte]
		n      int
		err    error
	}{
		"too many lines": {Stream[[]byte]{Next: numbers(11), Answer: echo, Write: keep, Most: 10, Ahead: 3}, 10, ErrTooMany},
		"a broken read": {Stream[[]byte]{Next: func() ([]byte, error) {
			if count++; count > 5 {
				return nil, broken
			}
			return []byte("a"), nil
		}, Answer: echo, Write: keep, Most: 10, Ahead: 3}, 5, broken},
		"a broken write": {Stream[[]byte]{Next: numbers(1000), Answer: echo, Write: func(b []byte, _ bool) error {
			if string(b) == "7" {
				return broken
			}
			return nil
		}, Most: 1000, Ahead: 3}, 6, broken},
	} {
		if n, err := c.stream.Run(); n != c.n || !errors.Is(err, c.err) {
			t.Errorf("%s: %d lines, %v; want %d, %v", name, n, err, c.n, c.err)
		}
	}
}
