package httpapi

import (
	"bytes"
	"io"
	"net/http/httptest"
	"testing"
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

// BenchmarkEncode is the part of it that writes the answer.
func BenchmarkEncode(b *testing.B) {
	s := New(testConfig(io.Discard))
	for _, a := range s.Config.Actions {
		result, err := a.Run([]byte(imageNetwork))
		if err != nil {
			continue
		}
		b.Run(a.Name, func(b *testing.B) {
			b.ReportAllocs()
			buf := buffers.Get().(*buffer)
			for b.Loop() {
				buf.encode(&reply{status: 200, body: result})
			}
			b.SetBytes(int64(len(buf.data)))
		})
	}
}
