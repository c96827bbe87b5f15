package httpapi

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// compressFrom is the size from which an answer is compressed for who asks for it. Smaller ones fit into a few packets, and the time
// that compressing takes is a caller's too.
const compressFrom = 16 << 10

var (
	typeGzip     = []string{"gzip"}
	varyEncoding = []string{"Accept-Encoding"}
)

// takesGzip says whether a request asks for compressed answers: gzip, or everything, with a weight that is not zero (RFC 9110,
// section 12.5.3).
func takesGzip(r *http.Request) bool {
	all := false
	for _, line := range r.Header["Accept-Encoding"] {
		for word := range strings.SplitSeq(line, ",") {
			name, rest, _ := strings.Cut(word, ";")
			weight := 1.0
			if _, q, given := strings.Cut(rest, "="); given {
				var err error
				if weight, err = strconv.ParseFloat(strings.TrimSpace(q), 64); err != nil {
					weight = 0
				}
			}
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "gzip", "x-gzip":
				return weight > 0
			case "*":
				all = weight > 0
			}
		}
	}
	return all
}

// packer compresses answers. Its header has no name and no time, so that equal answers are equal bytes.
type packer struct {
	bytes.Buffer
	writer *gzip.Writer
}

var packers = sync.Pool{New: func() any {
	writer, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is one of the package's own
	}
	return &packer{writer: writer}
}}

func pack(data []byte) *packer {
	p := packers.Get().(*packer)
	p.writer.Reset(&p.Buffer)
	_, _ = p.writer.Write(data) // memory takes all
	_ = p.writer.Close()
	return p
}

func (p *packer) release() {
	if p.Cap() > keepBytes {
		return
	}
	clear(p.Bytes()) // what one caller asked is not kept for the next
	p.Reset()
	packers.Put(p)
}
