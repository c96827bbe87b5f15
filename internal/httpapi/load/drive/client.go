// Package drive puts load on a server that runs as a process of its own, with a client as small as it can be. It is for
// measuring only: no program that is delivered links it.
package drive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// client sends one request again and again on one connection. It is as small as it can be, because it takes its time from
// the same processors as the server.
type client struct {
	conn    net.Conn
	reader  *bufio.Reader
	request []byte
}

func dial(l Load) (*client, error) {
	conn, err := net.Dial("tcp", l.Addr)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n", l.Path, len(l.Body), l.Header)
	return &client{conn, bufio.NewReaderSize(conn, 64<<10), append([]byte(head), l.Body...)}, nil
}

var contentLength = []byte("Content-Length: ")

// ask sends the request and steps over the answer. It returns the status and the size of the body.
func (c *client) ask() (status, size int, err error) {
	if _, err := c.conn.Write(c.request); err != nil {
		return 0, 0, err
	}
	size = -1
	for first := true; ; first = false {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return 0, 0, err
		}
		switch line = bytes.TrimRight(line, "\r\n"); {
		case first && len(line) >= 12:
			status, err = strconv.Atoi(string(line[9:12]))
		case len(line) == 0 && size < 0:
			return 0, 0, errors.New("an answer without Content-Length")
		case len(line) == 0:
			_, err = c.reader.Discard(size)
			return status, size, err
		case bytes.HasPrefix(line, contentLength):
			size, err = strconv.Atoi(string(line[len(contentLength):]))
		}
		if err != nil {
			return 0, 0, err
		}
	}
}

// Load is one run.
type Load struct {
	Addr, Path  string
	Header      string // more lines, each with its end
	Body        []byte
	Count       int
	Connections int
	Rate        float64 // requests a second, evenly spaced; 0 is as fast as the answers come
}

// Result is how it went.
type Result struct {
	PerSecond float64
	P50, P99  time.Duration
	Processor time.Duration // of a request, client and server; filled in by who measures it
}

// Run sends count requests. With a rate, a time is counted from when the request was due, not from when it could be sent.
func (l Load) Run() (Result, error) {
	times := make([][]time.Duration, l.Connections)
	failures := make([]error, l.Connections)
	var running sync.WaitGroup
	start := time.Now()
	for i := range l.Connections {
		running.Go(func() { times[i], failures[i] = l.one(i, start) })
	}
	running.Wait()
	took := time.Since(start)
	if err := errors.Join(failures...); err != nil {
		return Result{}, err
	}
	all := slices.Concat(times...)
	slices.Sort(all)
	return Result{PerSecond: float64(len(all)) / took.Seconds(), P50: all[len(all)/2], P99: all[len(all)*99/100]}, nil
}

// one is what one connection sends: every request whose number leaves the remainder i.
func (l Load) one(i int, start time.Time) ([]time.Duration, error) {
	c, err := dial(l)
	if err != nil {
		return nil, err
	}
	defer c.conn.Close()
	out := make([]time.Duration, 0, l.Count/l.Connections+1)
	for n := i; n < l.Count; n += l.Connections {
		due := time.Now()
		if l.Rate > 0 {
			due = start.Add(time.Duration(float64(n) / l.Rate * float64(time.Second)))
			time.Sleep(time.Until(due))
		}
		status, _, err := c.ask()
		if err != nil || status != 200 {
			return nil, fmt.Errorf("status %d: %w", status, err)
		}
		out = append(out, time.Since(due))
	}
	return out, nil
}

// AnswerSize asks once.
func (l Load) AnswerSize() (int, error) {
	c, err := dial(l)
	if err != nil {
		return 0, err
	}
	defer c.conn.Close()
	status, size, err := c.ask()
	if err == nil && status != 200 {
		err = fmt.Errorf("the first request: status %d", status)
	}
	return size, err
}
