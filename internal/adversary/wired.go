package adversary

import (
	"fmt"
	"strconv"
	"strings"
)

// sketch is a graph that is being written.
type sketch struct{ nodes, wires []string }

// add adds a component, given by its type and its parameters, and connections to it; it returns its id.
func (s *sketch) add(typ, params string, from ...string) string {
	id := fmt.Sprint("n", len(s.nodes))
	s.nodes = append(s.nodes, fmt.Sprintf(`{"id":"%s","type":"%s","params":{%s}}`, id, typ, params))
	for _, f := range from {
		s.read(f, id, 1)
	}
	return id
}

// read connects two components so many times.
func (s *sketch) read(from, to string, times int) {
	for range times {
		s.wires = append(s.wires, `{"from":"`+from+`","to":"`+to+`"}`)
	}
}

func (s *sketch) String() string {
	return `{"components":[` + strings.Join(s.nodes, ",") + `],"connections":[` + strings.Join(s.wires, ",") + `]}`
}

// wired are requests whose models cost much to walk: lists that make weights, components of many parts, one that many read or that reads
// many, and what is tried over and over.
func wired() []Request {
	request := func(name, action, options, model string) Request {
		return Request{Name: name, Action: action, Body: `{` + options + `"model":` + model + `}`}
	}
	attentions := row(`{"shape":[64,64]}`, 1990, func(int) string { return `"causalAttention","params":{"embedDim":64,"numHeads":8}` })
	stages := `"layout":{"pp":1990,"recompute":"full","zero":3,"dp":2,"tp":11},`
	experts := `{"components":[{"id":"x","type":"relu"}],"config":{"num_experts":1099511627689}}`
	nothings := list(32, func(i int) string { return fmt.Sprintf(`"k%d":[%s{}]`, i, strings.Repeat("{},", 85_000)) })
	return []Request{
		request("experts that no number divides", "check", `"layout":{"ep":1099511627688},`, experts),
		request("a stage for every layer", "check", stages, attentions),
		request("a pyramid of one input", "check", "", pyramid(19_999, 19_999)),
		request("a pyramid that nothing reads", "plan", "", pyramid(199_990, 0)),
		request("pyramids", "plan", "", some(1990, "fpn", func(i int) string { return `"outChannels":1,"inChannels":` + lone(16, i) })),
		request("a long list of convolutions", "plan", "", some(1, "setAbstraction", func(int) string { return points(199_990, 0) })),
		request("long lists of convolutions", "check", "", some(195, "setAbstraction", func(i int) string { return points(1020, i) })),
		request("many lists of convolutions", "plan", "", some(1990, "setAbstraction", func(i int) string { return points(16, i) })),
		request("crosses of a thousand layers", "check", "", row(`{"shape":[8]}`, 1990, func(i int) string {
			return fmt.Sprintf(`"crossNetwork","params":{"inputDim":8,"numLayers":%d}`, 1024-i%9)
		})),
		request("latents of many layers", "check", stages, row(`{"shape":[8,8]}`, 1990, func(i int) string {
			return fmt.Sprintf(`"perceiverResampler","params":{"embedDim":8,"numHeads":2,"numLatents":4,"depth":%d}`, 64-i%9)
		})),
		request("latents of one depth", "check", stages, row(`{"shape":[8,8]}`, 1990, func(int) string {
			return `"perceiverResampler","params":{"embedDim":8,"numHeads":2,"numLatents":4,"depth":64}`
		})),
		request("four hundred lengths", "check", "", lengths()),
		request("an index among many", "check", "", indexed()),
		request("one read many times", "plan", "", often(0)),
		request("the end of many views read many times", "check", `"layout":{"tp":2},`, often(1900)),
		request("inputs out of order", "check", "", unordered()),
		request("tied to one of a thousand", "check", "", tied()),
		request("a config of nothing", "check", "", `{"components":[{"id":"x","type":"relu"}],"config":{`+nothings[1:len(nothings)-1]+`}}`),
		request("many inputs of integers", "check", `"layout":{"tp":2},"data":{"seq_len":9},`, integers()),
		request("names that are almost right", "lint", "", some(1990, "groupedQueryAttention", func(i int) string {
			return fmt.Sprintf(`"embedDim":8,"numHeads":1,"embedDimensions%[1]d":1,"numberOfHeads%[1]d":1,"numKeyValueHeads%[1]d":1,"slidingWindows%[1]d":1`, i)
		})),
		request("many that are to blame", "check", "", blamed()),
	}
}

// some are components that nothing connects.
func some(n int, typ string, params func(i int) string) string {
	s := &sketch{}
	for i := range n {
		s.add(typ, params(i))
	}
	return s.String()
}

// lone is a list of ones, and a number by which it differs from others.
func lone(n, i int) string {
	return strings.Replace(list(n, func(int) string { return "1" }), "1", strconv.Itoa(1+i), 1)
}

// points are parameters of a setAbstraction with so many convolutions.
func points(convolutions, i int) string {
	return `"numPoints":1,"radius":1,"numSamples":1,"inChannels":3,"mlp":` + lone(convolutions, i)
}

// pyramid is one of so many levels, all of which read one input.
func pyramid(levels, wires int) string {
	s := &sketch{}
	x := s.add("input", `"shape":[1,8,8]`)
	s.read(x, s.add("fpn", `"outChannels":1,"inChannels":`+lone(levels, 0)), wires)
	return s.String()
}

// lengths are four hundred inputs of tokens, each of another length, which a linear layer holds the model to, and numbers among which
// those lengths may be.
func lengths() string {
	s := &sketch{}
	for i := range 390 {
		n := 2100 + i
		x := s.add("input", fmt.Sprintf(`"shape":[%d],"dtype":"int64"`, n))
		flat := s.add("flatten", "", s.add("embedding", `"vocabSize":9,"embedDim":1`, x))
		s.add("output", "", s.add("linear", fmt.Sprintf(`"inFeatures":%d,"outFeatures":1`, n), flat))
	}
	s.add("parameter", `"shape":[1],"trainable":false,"x":`+list(190_000, func(int) string { return "1" }), "n0")
	return s.String()
}

// indexed is a component whose second input must be integers, and that reads another twenty thousand times behind it.
func indexed() string {
	s := &sketch{}
	a, b, reader := s.add("input", `"shape":[8,8]`), s.add("input", `"shape":[2,8]`), s.add("gcn", `"inFeatures":8,"outFeatures":8`)
	s.read(b, reader, 2)
	s.read(a, reader, mostConnections-2)
	return s.String()
}

// often reads the end of a chain of views as often as connections may be.
func often(views int) string {
	s := &sketch{}
	x := s.add("identity", "", s.add("input", `"shape":[8]`))
	for range views {
		x = s.add("identity", "", x)
	}
	s.read(x, s.add("customModule", `"outShape":[8],"flops":1,"params":1`), mostConnections-len(s.wires))
	return s.String()
}

// unordered is a component that reads half of its inputs before those that run first.
func unordered() string {
	s := &sketch{}
	x, y := s.add("input", `"shape":[8]`), s.add("relu", "", s.add("input", `"shape":[8]`))
	sum := s.add("add", "")
	s.read(x, sum, 9999)
	s.read(y, sum, 9999)
	return s.String()
}

// tied are a thousand heads and as many tables of other sizes, and a few layers that do not run, so that the model is walked again and
// again.
func tied() string {
	s := &sketch{}
	x := s.add("input", `"shape":[8],"dtype":"int64"`)
	for i := range 980 {
		e := s.add("embedding", fmt.Sprintf(`"vocabSize":%d,"embedDim":8`, 10+i), x)
		s.add("lmHead", fmt.Sprintf(`"embedDim":8,"vocabSize":%d,"tied":true`, 5000+i), e)
	}
	for i := range 4 {
		batch := s.add("input", `"shape":[1,3,8,8]`)
		wide := s.add("conv2d", `"inChannels":3,"outChannels":4,"kernelSize":3`, batch)
		s.add("linear", `"inFeatures":144,"outFeatures":1`, wide)
		table := s.add("embedding", fmt.Sprintf(`"vocabSize":9,"embedDim":%d`, 65+i), x)
		s.add("linear", `"inFeatures":64,"outFeatures":1`, table)
		s.add(fmt.Sprint("unknown", i), "", table)
	}
	return s.String()
}

// integers are inputs of whole numbers that are added up, and the sums of sums, none of which reaches a table.
func integers() string {
	s := &sketch{}
	var sums, inputs []string
	for range 1800 {
		inputs = append(inputs, s.add("input", `"shape":[8],"dtype":"int64"`))
	}
	for range 190 {
		sums = append(sums, s.add("add", "", sums...))
	}
	for _, x := range inputs {
		s.read(x, sums[0], 1)
	}
	return s.String()
}

// blamed are layers with two readers each that want another size of them, before modules that keep shapes and read too much.
func blamed() string {
	s := &sketch{}
	x := s.add("input", `"shape":[8]`)
	var made []string
	for range 600 {
		y := s.add("linear", `"inFeatures":8,"outFeatures":8`, x)
		s.add("linear", `"inFeatures":9,"outFeatures":8`, y)
		s.add("linear", `"inFeatures":9,"outFeatures":8`, y)
		made = append(made, y)
	}
	last := []string{s.add("film", "", made...)}
	for len(s.nodes) < mostComponents {
		last = append(last, s.add("film", "", last[max(0, len(last)-90):]...))
	}
	s.wires = s.wires[:min(len(s.wires), mostConnections)]
	return s.String()
}
