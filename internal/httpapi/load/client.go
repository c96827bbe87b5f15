package main

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

func dial(addr, path string, body []byte) (*client, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, len(body))
	return &client{conn, bufio.NewReaderSize(conn, 64<<10), append([]byte(head), body...)}, nil
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

// load is one run.
type load struct {
	addr, path  string
	body        []byte
	count       int
	connections int
	rate        float64 // requests a second, evenly spaced; 0 is as fast as the answers come
}

type result struct {
	perSecond float64
	p50, p99  time.Duration
	processor time.Duration // of a request, client and server; see compare
}

// run sends count requests. With a rate, a time is counted from when the request was due, not from when it could be sent.
func (l load) run() (result, error) {
	times := make([][]time.Duration, l.connections)
	failures := make([]error, l.connections)
	var running sync.WaitGroup
	start := time.Now()
	for i := range l.connections {
		running.Go(func() { times[i], failures[i] = l.one(i, start) })
	}
	running.Wait()
	took := time.Since(start)
	if err := errors.Join(failures...); err != nil {
		return result{}, err
	}
	all := slices.Concat(times...)
	slices.Sort(all)
	return result{perSecond: float64(len(all)) / took.Seconds(), p50: all[len(all)/2], p99: all[len(all)*99/100]}, nil
}

// one is what one connection sends: every request whose number leaves the remainder i.
func (l load) one(i int, start time.Time) ([]time.Duration, error) {
	c, err := dial(l.addr, l.path, l.body)
	if err != nil {
		return nil, err
	}
	defer c.conn.Close()
	out := make([]time.Duration, 0, l.count/l.connections+1)
	for n := i; n < l.count; n += l.connections {
		due := time.Now()
		if l.rate > 0 {
			due = start.Add(time.Duration(float64(n) / l.rate * float64(time.Second)))
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
