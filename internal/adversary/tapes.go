package adversary

import (
	"fmt"
	"strconv"
	"strings"
)

// tapes are requests that cost much where memory is followed: modules in modules, weights that do not run, lengths with which a model does
// not, and layers no two neighbours of which cost the same.
func tapes() []Request {
	plan := func(name, options, model string) Request {
		return Request{Name: name, Action: "plan", Body: `{` + options + `"model":` + model + `}`}
	}
	blocks := row(`{"shape":[64,4096]}`, mostComponents-2, func(i int) string {
		return fmt.Sprintf(`"transformerBlock","params":{"embedDim":4096,"numHeads":32,"ffnDim":%d}`, 4096+i%11)
	})
	attentions := row(`{"shape":[64,64]}`, mostComponents-2, func(i int) string {
		return fmt.Sprintf(`"multiHeadAttention","params":{"embedDim":64,"numHeads":%d,"dropout":0.%d}`, 1<<(i%7), 1+i%97)
	})
	lengths := row(`{"shape":[524288],"dtype":"int64"}`, 1900, func(i int) string {
		switch i {
		case 0:
			return `"embedding","params":{"vocabSize":100,"embedDim":64}`
		case 1:
			return `"reshape","params":{"shape":[-1,33554432]}`
		}
		return fmt.Sprintf(`"dropout","params":{"p":0.%d}`, 1+i%97)
	})
	experts := row(`{"shape":[64,2048]}`, 4, func(i int) string {
		return fmt.Sprintf(`"moeLayer","params":{"embedDim":2048,"numExperts":1000,"topK":2,"expertDim":%d}`, 2048+i)
	})
	writers := row(`{"shape":[64],"dtype":"int64"}`, mostComponents-2, func(i int) string {
		switch i % 3 {
		case 0:
			if i == 0 {
				return `"embedding","params":{"vocabSize":100,"embedDim":16}`
			}
			return fmt.Sprintf(`"mla","params":{"embedDim":16,"numHeads":1,"kvLoraRank":%d,"qkNopeHeadDim":7,"qkRopeHeadDim":4,"vHeadDim":2}`, 2+i/3%7)
		case 1:
			return `"threshold","params":{"threshold":0.5,"value":-2.5}`
		}
		return `"linear","params":{"outFeatures":16}`
	})
	return []Request{
		plan("a module in a million others, of transformers", "", foreign(strings.Repeat("a.", 1<<20), 2)),
		plan("modules around each that is read, of transformers", "", foreign(strings.Repeat("b.", 62), 201)),
		plan("weights that do not run", "", idle(1990)),
		plan("blocks that fit no card", "", blocks),
		plan("the cheapest of blocks that fit no card", `"training":{"solve":"cheapest","batch":1048576},`, blocks),
		plan("attentions that differ from their neighbours", `"training":{"gpu":"T4","batch":65536},`, attentions),
		plan("no length runs", `"training":{"gpu":"H100","solve":"max-seq-len"},`, lengths),
		plan("no context runs", `"training":{"gpu":"H100","solve":"max-context"},`, lengths),
		plan("the largest batch that a model writes", `"training":{"gpu":"T4","solve":"max-batch","objective":"grpo"},`, writers),
		plan("the longest sample that a model writes", `"training":{"gpu":"H100","solve":"max-seq-len","objective":"ppo"},`, writers),
		plan("the longest context of latents", `"training":{"gpu":"T4","solve":"max-context"},`, writers),
		plan("the cheapest card for a model that writes", `"training":{"solve":"cheapest","batch":4096,"objective":"ppo"},`, writers),
		plan("the longest sample of experts", `"training":{"gpu":"H100","solve":"max-seq-len"},`, mixture()),
		plan("the longest context of experts", `"training":{"gpu":"H100","solve":"max-context"},`, mixture()),
		plan("the largest batch of experts", `"training":{"gpu":"H100","solve":"max-batch"},`, mixture()),
		plan("the cheapest card for experts", `"training":{"solve":"cheapest"},`, mixture()),
		plan("experts in one range of addresses", `"training":{"gpu":"H100","expandableSegments":true,"batch":4},`, experts),
	}
}

// mixture is a short decoder of many experts, no two layers of which are alike.
func mixture() string {
	return row(`{"shape":[64],"dtype":"int64"}`, 9, func(i int) string {
		switch {
		case i == 0:
			return `"embedding","params":{"vocabSize":100,"embedDim":256}`
		case i%2 == 1:
			return `"mla","params":{"embedDim":256,"numHeads":4,"kvLoraRank":64,"qkNopeHeadDim":32,"qkRopeHeadDim":16,"vHeadDim":32}`
		}
		return fmt.Sprintf(`"moeLayer","params":{"embedDim":256,"numExperts":1000,"topK":2,"expertDim":%d}`, 512+i)
	})
}

// row writes components that run one behind the other, each given by its type and parameters.
func row(input string, n int, typ func(i int) string) string {
	nodes := list(n, func(i int) string { return fmt.Sprintf(`{"id":"n%d","type":%s}`, i, typ(i)) })
	wires := list(n-1, func(i int) string { return fmt.Sprintf(`{"from":"n%d","to":"n%d"}`, i, i+1) })
	return `{"components":[{"id":"x","type":"input","params":` + input + `},{"id":"o","type":"output"},` + nodes[1:] +
		`,"connections":[{"from":"x","to":"n0"},{"from":"n` + strconv.Itoa(n-1) + `","to":"o"},` + wires[1:] + `}`
}

// foreign is a model of transformers', so many components of which read all before them, each in as many modules as a scope has.
func foreign(scope string, n int) string {
	nodes := list(n, func(i int) string {
		return fmt.Sprintf(`{"id":"r%d","type":"add","scope":%s}`, i, quote(fmt.Sprint(scope, i)))
	})
	to, from := 0, 0
	wires := list(min(mostConnections-n-2, n*(n-1)/2), func(int) string {
		if from++; from >= to {
			to, from = to+1, 0
		}
		return fmt.Sprintf(`{"from":"r%d","to":"r%d"}`, from, to)
	})
	return `{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"o","type":"output","as":"transformers.PreTrainedModel"},` + nodes[1:] +
		`,"connections":[{"from":"x","to":"r0"},{"from":"r` + strconv.Itoa(n-1) + `","to":"o"},` + wires[1:] + `}`
}

// idle has so many experts behind an input that is not given, beside a layer that runs.
func idle(n int) string {
	nodes := list(n, func(i int) string {
		return fmt.Sprintf(`{"id":"m%d","type":"moeLayer","params":{"embedDim":1,"numExperts":4096,"topK":1,"expertDim":1}}`, i)
	})
	wires := list(n-1, func(i int) string { return fmt.Sprintf(`{"from":"m%d","to":"m%d"}`, i, i+1) })
	return `{"components":[{"id":"g","type":"input","params":{"shape":[8,1],"given":false}},{"id":"x","type":"input","params":{"shape":[8,1]}},` +
		`{"id":"l","type":"linear","params":{"inFeatures":1,"outFeatures":1}},{"id":"o","type":"output"},` + nodes[1:] +
		`,"connections":[{"from":"g","to":"m0"},{"from":"x","to":"l"},{"from":"l","to":"o"},` + wires[1:] + `}`
}
