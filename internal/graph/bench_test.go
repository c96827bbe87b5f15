package graph

import (
	"encoding/json"
	"fmt"
	"testing"
)

// realistic returns a graph as an editor sends it: about two connections for three components, positions, four parameters.
func realistic(n int) []byte {
	b := []byte(`{"name":"bench","components":[`)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"id":"node_%d","type":%q,"name":"layer %d","position":{"x":%d.5,"y":%d},"params":{`, i, [...]string{"conv2d", "batchNorm", "relu", "linear"}[i%4], i, i*40, i%7*80)
		switch i % 4 {
		case 0:
			b = append(b, `"inChannels":64,"outChannels":128,"kernelSize":[3,3],"padding":"same","bias":false`...)
		case 1:
			b = append(b, `"numFeatures":128,"eps":1e-5,"momentum":0.1,"affine":true`...)
		case 2:
			b = append(b, `"inplace":true,"negativeSlope":0.01,"mode":"fast"`...)
		case 3:
			b = append(b, `"inFeatures":4096,"outFeatures":1024,"bias":true`...)
		}
		b = append(b, `}}`...)
	}
	b = append(b, `],"connections":[`...)
	for i := 1; i < n; i++ {
		if i > 1 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"from":"node_%d","to":"node_%d"}`, i-1, i)
		if i%2 == 0 && i > 4 {
			b = fmt.Appendf(b, `,{"from":"node_%d","to":"node_%d"}`, i-4, i)
		}
	}
	return append(b, `]}`...)
}

func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 2000} {
		data := realistic(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode(data, "model", ServiceLimits); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/component")
		})
	}
}

// BenchmarkValid is the yardstick for BenchmarkDecode: the same bytes, looked at by the standard library and thrown away.
func BenchmarkValid(b *testing.B) {
	data := realistic(2000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if !json.Valid(data) {
			b.Fatal("not JSON")
		}
	}
}
