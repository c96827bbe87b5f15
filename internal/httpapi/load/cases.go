package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/graph"
)

// measured is one model and how often it is sent.
type measured struct {
	name     string
	notation string
	count    int
	bar      float64 // requests a second that must be reached; 0 where that depends on the empty handler
}

func cases() []measured {
	return []measured{
		{"10 components, an image network", small, 60_000, 0},
		{"197 components, a decoder", decoder(32), 8_000, 0},
		{"2,000 components, residual", residual(2000), 1_200, 100},
	}
}

const small = `x: input shape=[1,28,28]
c1: conv2d inChannels=1 outChannels=32 kernelSize=3 padding=1
r1: relu
p1: maxpool2d kernelSize=2
c2: conv2d inChannels=32 outChannels=64 kernelSize=3 padding=1
r2: relu
p2: maxpool2d kernelSize=2
f: flatten
l: linear inFeatures=3136 outFeatures=10
o: output
x -> c1 -> r1 -> p1 -> c2 -> r2 -> p2 -> f -> l -> o
`

// decoder is a language model of n blocks of six components, and five more.
func decoder(n int) string {
	nodes, edges := &strings.Builder{}, &strings.Builder{}
	fmt.Fprint(nodes, "x: input shape=[2048]\ntokens: embedding numEmbeddings=32000 embeddingDim=512\n")
	fmt.Fprint(edges, "x -> tokens\n")
	last := "tokens"
	for i := range n {
		fmt.Fprintf(nodes, "n%d: rmsNorm normalizedShape=512\na%d: ropeAttention embedDim=512 numHeads=8 numKVHeads=2\ns%d: add\n", i, i, i)
		fmt.Fprintf(nodes, "m%d: rmsNorm normalizedShape=512\ng%d: swiglu embedDim=512 intermediateSize=1376\nt%d: add\n", i, i, i)
		fmt.Fprintf(edges, "%s -> n%d -> a%d -> s%d -> m%d -> g%d -> t%d\n%s -> s%d\ns%d -> t%d\n", last, i, i, i, i, i, i, last, i, i, i)
		last = fmt.Sprintf("t%d", i)
	}
	fmt.Fprint(nodes, "norm: rmsNorm normalizedShape=512\nhead: lmHead inFeatures=512 outFeatures=32000 bias=false\no: output\n")
	fmt.Fprintf(edges, "%s -> norm -> head -> o\n", last)
	return nodes.String() + edges.String()
}

// residual is a convolutional network with n components, seven to a block.
func residual(n int) string {
	nodes, edges := &strings.Builder{}, &strings.Builder{}
	fmt.Fprint(nodes, "x: input shape=[3,32,32]\nstem: conv2d inChannels=3 outChannels=64 kernelSize=3 padding=1\n")
	fmt.Fprint(edges, "x -> stem\n")
	last, count := "stem", 2
	for i := 0; count < n-10; i, count = i+1, count+7 {
		fmt.Fprintf(nodes, "a%d: conv2d inChannels=64 outChannels=64 kernelSize=3 padding=1 bias=false\nb%d: batchNorm numFeatures=64\nc%d: relu\n", i, i, i)
		fmt.Fprintf(nodes, "d%d: conv2d inChannels=64 outChannels=64 kernelSize=3 padding=1 bias=false\ne%d: batchNorm numFeatures=64\nf%d: add\ng%d: relu\n", i, i, i, i)
		fmt.Fprintf(edges, "%s -> a%d -> b%d -> c%d -> d%d -> e%d -> f%d -> g%d\n%s -> f%d\n", last, i, i, i, i, i, i, i, last, i)
		last = fmt.Sprintf("g%d", i)
	}
	for ; count < n-3; count++ {
		fmt.Fprintf(nodes, "z%d: identity\n", count)
		fmt.Fprintf(edges, "%s -> z%d\n", last, count)
		last = fmt.Sprintf("z%d", count)
	}
	fmt.Fprint(nodes, "pool: globalAvgPool2d\nhead: linear inFeatures=64 outFeatures=10\no: output\n")
	fmt.Fprintf(edges, "%s -> pool -> head -> o\n", last)
	return nodes.String() + edges.String()
}

// body is the request for a model.
func (m measured) body() ([]byte, error) {
	g, err := graph.Parse(m.notation)
	if err != nil {
		return nil, err
	}
	return append(g.AppendJSON([]byte(`{"model":`)), '}'), nil
}

// connections keeps both processors busy without a queue that would hide in the latency. The two servers take turns, so
// that what else happens on the machine meets both alike, and the round in the middle is reported.
const connections, rounds = 8, 5

// measure runs the server and an empty handler at their full rates in turns, and then the server at half of its rate.
func (m measured) measure(server, path string, scale float64) error {
	body, err := m.body()
	if err != nil {
		return err
	}
	t, err := launch(server, func(addr string) []string { return []string{"--addr", addr} })
	if err != nil {
		return err
	}
	defer t.stop()
	size, err := answerSize(t.addr, path, body)
	if err != nil {
		return err
	}
	none, err := launchEmpty(size)
	if err != nil {
		return err
	}
	defer none.stop()
	l := load{t.addr, path, body, max(int(float64(m.count)*scale)/rounds, 50), connections, 0}
	full, idle, err := l.compare(t, none)
	if err != nil {
		return err
	}
	l.rate = full.perSecond / 2
	half, err := l.run()
	if err != nil {
		return err
	}
	fmt.Printf("%-32s %8d %8d %10.0f %9.2f %9.2f %9.2f %9.2f %8.0f\n", m.name, len(body), size, full.perSecond, ms(full.p50), ms(full.p99), ms(half.p50), ms(half.p99), t.peakMB())
	fmt.Printf("%-32s %8d %8d %10.0f %9.2f %9.2f   the server does %.2f of it, %.2f by processor time (%d and %d us a request, client included)\n", "  an empty handler",
		len(body), size, idle.perSecond, ms(idle.p50), ms(idle.p99), full.perSecond/idle.perSecond, idle.processor.Seconds()/full.processor.Seconds(),
		full.processor.Microseconds(), idle.processor.Microseconds())
	if m.bar == 0 {
		return nil
	}
	l.rate = m.bar / 2
	slow, err := l.run()
	fmt.Printf("%-32s %59.2f %9.2f   at %.0f a second, half of the bar\n", "", ms(slow.p50), ms(slow.p99), l.rate)
	return err
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// compare takes turns, and returns the middle round of each, with the processor time of a request over all rounds: what else
// runs on the machine changes that far less than it changes a rate.
func (l load) compare(server, empty *target) (mine, theirs result, err error) {
	var rates [2][]result
	var took [2]time.Duration
	for range rounds {
		for i, t := range []*target{server, empty} {
			turn := l
			turn.addr = t.addr
			before := processor(t.cmd.Process.Pid) + processor(os.Getpid())
			r, err := turn.run()
			if err != nil {
				return mine, theirs, err
			}
			took[i] += processor(t.cmd.Process.Pid) + processor(os.Getpid()) - before
			rates[i] = append(rates[i], r)
		}
	}
	mine, theirs = middle(rates[0]), middle(rates[1])
	mine.processor, theirs.processor = took[0]/time.Duration(rounds*l.count), took[1]/time.Duration(rounds*l.count)
	return mine, theirs, nil
}

func middle(all []result) result {
	slices.SortFunc(all, func(a, b result) int { return cmp.Compare(a.perSecond, b.perSecond) })
	return all[len(all)/2]
}

// answerSize asks once.
func answerSize(addr, path string, body []byte) (int, error) {
	c, err := dial(addr, path, body)
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

// launchEmpty starts this program as a handler that does nothing.
func launchEmpty(size int) (*target, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return launch(self, func(addr string) []string { return []string{"-empty", fmt.Sprintf("%s,%d", addr, size)} })
}
