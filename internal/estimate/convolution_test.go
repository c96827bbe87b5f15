package estimate

import (
	"math"
	"testing"

	"github.com/modelverifier/verifier/internal/infer"
)

// space is what cuDNN takes for the component named c of a text, forward and back, in KiB.
func space(t *testing.T, text string, batch, size int64) (forward, back float64) {
	t.Helper()
	res := parse(t, text)
	for i := range res.Nodes {
		if n := &res.Nodes[i]; n.Component.ID == "c" {
			if n.State != infer.Legal {
				t.Fatalf("%s is %v", text, n.State)
			}
			f, b := blockSpace(n, batch, size)
			return float64(f) / 1024, float64(b) / 1024
		}
	}
	t.Fatalf("%s has no c", text)
	return 0, 0
}

// What was measured on an H200 is what a run held more than its tensors, at the moment when it held the most. 0 stands for no more than them, and a negative
// number for what was not seen.
func TestWhatCuDNNTakesForAConvolution(t *testing.T) {
	for _, c := range []struct {
		in, conv      string
		batch, size   int64
		forward, back float64
	}{
		{"[128,15,15]", "conv2d inChannels=128 outChannels=128 kernelSize=3 padding=1 bias=false", 32, 2, 3888, 3888},
		{"[128,500]", "conv1d inChannels=128 outChannels=256 kernelSize=3 padding=1 stride=2 bias=false", 8, 2, 2192, 2192},
		{"[96,8,8]", "conv2d inChannels=96 outChannels=96 kernelSize=3 padding=1 bias=false", 16, 4, -1, 3684},
		{"[48,64,64]", "conv2d inChannels=48 outChannels=96 kernelSize=3 stride=2 padding=1 groups=8", 24, 2, 30756, -1},
		{"[96,23,23]", "conv2d inChannels=96 outChannels=192 kernelSize=3 stride=2 padding=1 groups=8", 32, 4, 21824, -1},
		{"[256,8,8]", "conv2d inChannels=256 outChannels=512 kernelSize=5 stride=2 padding=2 groups=8", 8, 2, 2240, -1},
		{"[2048,10,10]", "conv2d inChannels=2048 outChannels=512 kernelSize=1", 16, 2, 0, 8000},
		{"[384,28,28]", "conv2d inChannels=384 outChannels=64 kernelSize=1", 16, 2, 0, 0},
		{"[768,6,6]", "conv2d inChannels=768 outChannels=128 kernelSize=1", 16, 4, 0, 2400},
		{"[64,28,28]", "conv2d inChannels=64 outChannels=64 kernelSize=3 padding=1 groups=64", 16, 2, 0, 0},
		{"[64,28,28]", "depthwiseConv2d inChannels=64 kernelSize=3 padding=1", 16, 2, 0, 0},
		{"[48,20,20]", "conv2d inChannels=48 outChannels=48 kernelSize=5 padding=2", 8, 4, -1, 20480},
		{"[64,250]", "conv1d inChannels=64 outChannels=64 kernelSize=9 stride=2 padding=4", 16, 2, -1, 822},
		{"[64,1000]", "conv1d inChannels=64 outChannels=64 kernelSize=9 stride=2 padding=4", 16, 4, -1, 8288},
		{"[48,30,30]", "conv2d inChannels=48 outChannels=96 kernelSize=3 stride=2 padding=1", 16, 2, -1, 3289},
		{"[192,4,4]", "conv2d inChannels=192 outChannels=192 kernelSize=3 padding=1 groups=8", 24, 4, -1, 7478},
		{"[192,8,8]", "conv2d inChannels=192 outChannels=192 kernelSize=3 padding=1 groups=8", 8, 4, -1, 2934},
		{"[3,160,160]", "conv2d inChannels=3 outChannels=64 kernelSize=5 stride=2 padding=2 bias=false", 64, 4, 281600, -1},
	} {
		forward, back := space(t, "x: input shape="+c.in+"\nc: "+c.conv+"\no: output\nx -> c -> o", c.batch, c.size)
		for _, k := range []struct {
			way       string
			got, want float64
		}{{"forward", forward, c.forward}, {"back", back, c.back}} {
			if k.want >= 0 && math.Abs(k.got-k.want) > 0.04*k.want+lostBytes>>10 {
				t.Errorf("%s of %d times %s takes %.1f KiB %s, measured %.1f", c.conv, c.batch, c.in, k.got, k.way, k.want)
			}
		}
	}
}

// Under autocast a block that adds in place stays narrow whatever comes in; one that multiplies with a 32-bit factor gives 32 bits.
func TestBlocksUnderAutocastHaveTheirOwnWidth(t *testing.T) {
	for _, c := range []struct {
		block  string
		narrow bool
	}{
		{"basicBlock inChannels=8 channels=8", true},
		{"bottleneckBlock inChannels=8 channels=2", true},
		{"mbConvBlock inChannels=8 outChannels=8", true},
		{"invResidualBlock inChannels=8 outChannels=8", false},
		{"invResidualBlock inChannels=8 outChannels=16", true},
		{"convNeXtBlock channels=8", false},
	} {
		res := parse(t, "x: input shape=[8,16,16]\ns: softplus\nc: "+c.block+"\no: output\nx -> s -> c -> o")
		for i, narrow := range narrow(res, "amp", make([]implementation, len(res.Nodes)), make([]bool, len(res.Nodes))) {
			if res.Nodes[i].Component.ID == "c" && narrow != c.narrow {
				t.Errorf("%s behind 32 bits gives 16 bits: %v, want %v", c.block, narrow, c.narrow)
			}
		}
	}
}
