package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
)

const imageNetwork = `{"model":{"components":[{"id":"x","type":"input","params":{"shape":[1,28,28]}},{"id":"c1","type":"conv2d","params":{"inChannels":1,"outChannels":32,"kernelSize":3,"padding":1}},{"id":"r1","type":"relu"},{"id":"p1","type":"maxpool2d","params":{"kernelSize":2}},{"id":"c2","type":"conv2d","params":{"inChannels":32,"outChannels":64,"kernelSize":3,"padding":1}},{"id":"r2","type":"relu"},{"id":"p2","type":"maxpool2d","params":{"kernelSize":2}},{"id":"f","type":"flatten"},{"id":"l","type":"linear","params":{"inFeatures":3136,"outFeatures":10}},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"c1"},{"from":"c1","to":"r1"},{"from":"r1","to":"p1"},{"from":"p1","to":"c2"},{"from":"c2","to":"r2"},{"from":"r2","to":"p2"},{"from":"p2","to":"f"},{"from":"f","to":"l"},{"from":"l","to":"o"}]}}`

// BenchmarkHandler is one request through the handler, without a network: 10 components.
func BenchmarkHandler(b *testing.B) {
	s := New(testConfig(io.Discard))
	for _, a := range s.Config.Actions {
		b.Run(a.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest("POST", a.Path, bytes.NewReader([]byte(imageNetwork)))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				if s.ServeHTTP(w, r); w.Code != 200 && a.Name != "rank" {
					b.Fatal(w.Body)
				}
			}
		})
	}
}

// BenchmarkServer is the same request over a connection, net/http and the kernel included.
func BenchmarkServer(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- New(testConfig(io.Discard)).Serve(ctx, l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	answers := bufio.NewReader(conn)
	request := fmt.Appendf(nil, "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(imageNetwork), imageNetwork)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = conn.Write(request)
		answer, err := http.ReadResponse(answers, nil)
		if err != nil || answer.StatusCode != http.StatusOK {
			b.Fatal(answer, err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
	}
	conn.Close()
	stop()
	<-ended
}

// BenchmarkEncode is the part of it that writes the answer.
func BenchmarkEncode(b *testing.B) {
	s := New(testConfig(io.Discard))
	for _, a := range s.Config.Actions {
		result, err := a.Run(new(action.Room), []byte(imageNetwork), nil)
		if err != nil {
			continue
		}
		b.Run(a.Name, func(b *testing.B) {
			b.ReportAllocs()
			buf := buffers.Get().(*buffer)
			for b.Loop() {
				buf.encode(&Reply{status: 200, body: result})
			}
			b.SetBytes(int64(len(buf.data)))
		})
	}
}
