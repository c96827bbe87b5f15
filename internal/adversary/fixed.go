package adversary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/solve"
)

// Fixed are the requests that once cost too much, and those at each limit: every shape of graph, every kind of component as often as
// it may be there, and text of megabytes in every place that takes text.
func Fixed() []Request {
	out := slices.Concat(found(), tapes(), wired(), neurarch(), trials())
	for _, t := range topologies {
		body := `{"model":` + plain(mostComponents, t, func(i int) string { return pair(i, "add", "relu") }) + `}`
		out = append(out, Request{Name: t.name, Action: "plan", Body: body}, Request{Name: t.name, Action: "check", Body: body})
	}
	for _, t := range topologies {
		for _, question := range solve.Questions {
			out = append(out, Request{Name: question + " of a " + t.name, Action: "plan",
				Body: `{"training":{"gpu":"T4","solve":"` + question + `"},"model":` + plain(mostComponents, t, mixed(t)) + `}`})
		}
	}
	for _, l := range letters {
		word := quote(strings.Repeat(l, 1<<20/len(quote(l))))
		out = append(out,
			Request{Name: "a name of " + quote(l), Action: "plan", Body: fmt.Sprintf(`{"model":{"name":%s,"components":[{"id":"x","type":"input","params":{"shape":[8]}}]}}`, word)},
			Request{Name: "an id of " + quote(l), Action: "check", Body: fmt.Sprintf(`{"model":{"components":[{"id":%s,"type":%s,"name":%s,"params":{"shape":%s}}]}}`, word, word, word, word)},
			Request{Name: "a scope of " + quote(l), Action: "plan", Body: fmt.Sprintf(`{"model":{"components":[{"id":"x","type":"relu","scope":%s},{"id":%s,"type":"relu"}]}}`, word, word)},
			Request{Name: "a command of " + quote(l), Action: "check", Body: fmt.Sprintf(`{"model":{"components":[{"id":"x","type":"relu"}]},"serve":{"command":%s,"gpu":"H100"}}`, `"vllm serve `+word[1:])})
	}
	for _, c := range Commands() {
		out = append(out, c.check())
	}
	for _, f := range abbreviations {
		for _, launch := range []string{"vllm serve m ", "python -m sglang.launch_server --model-path m "} {
			command := quote(launch + strings.Repeat(f, (1<<20-len(launch))/len(f)))
			out = append(out, Request{Name: launch + f, Action: "check", Body: `{"model":{"components":[{"id":"x","type":"relu"}]},"serve":{"command":` + command + `,"gpu":"H100"}}`})
		}
	}
	return out
}

// found are those of a penetration test, and of what came out beside them.
func found() []Request {
	ones := func(n int) string { return list(n, func(int) string { return "1" }) }
	star := plain(mostComponents, topologies[3], func(i int) string { return pair(i, "add", "relu") })
	axes := plain(mostComponents, topologies[0], func(i int) string { return "unsqueeze\",\"params\":{\"dim\":1},\"x\":\"" })
	long := strings.Repeat("w", 700_000)
	named := strings.Replace(plain(mostComponents, topologies[1], func(int) string { return "batchNorm" }), `"id":"n0"`, `"id":"n0","name":"`+long+`"`, 1)
	deep := quote(strings.Repeat("a.", 1<<20))
	escapes := plain(mostComponents, topologies[0], func(int) string { return "elu" + strings.Repeat(`\\`, 1900) })
	unread := plain(mostComponents, topologies[0], func(int) string { return `relu","params":{"` + strings.Repeat("k", 3900) + `":1},"x":"` })
	keys := func(n int) string { // each has so many parameters that it does not read
		some := list(n, func(i int) string { return fmt.Sprintf(`"k%d":1`, i) })
		return `relu","params":{` + some[1:len(some)-1] + `},"x":"`
	}
	full := plain(mostKeys/1000, topologies[0], func(int) string { return keys(1000) })
	wide := plain(mostComponents, topologies[6], func(int) string { return keys(mostKeys / mostComponents) })
	objects := func(of int) string { // which no type reads
		members := list(1000, func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, of) })
		return plain(200, topologies[0], func(int) string { return `relu","params":{"a":{` + members[1:len(members)-1] + `}},"x":"` })
	}
	tangle := plain(200, topologies[6], func(i int) string { return pair(i, "concat", "add") })
	far := func(i int) string {
		return fmt.Sprintf(`linear","params":{"inFeatures":8,"outFeatures":8},"scope":"%s.%d`, strings.Repeat("ab.", 30), i)
	}
	named64 := func(pattern string) string { return list(64, func(int) string { return quote(pattern) }) }
	targeted := func(pattern string) string {
		return `{"training":{"lora":{"rank":8,"targets":` + named64(pattern) + `}},"model":` + plain(mostComponents, topologies[0], far) + `}`
	}
	frozen := func(pattern string) string {
		return `{"training":{"frozen":` + named64(pattern) + `},"model":` + plain(mostComponents, topologies[0], far) + `}`
	}
	other := plain(mostComponents, topologies[0], func(i int) string { return pair(i, "elu", "gelu") })
	return []Request{
		{Name: "many parameters against few", Action: "plan", Body: `{"model":` + full + `,"base":` + other + `}`},
		{Name: "some parameters of all against none", Action: "plan", Body: `{"model":` + other + `,"base":` + wide + `}`},
		{Name: "objects against others", Action: "plan", Body: `{"model":` + objects(1) + `,"base":` + objects(2) + `}`},
		{Name: "each of 200 reads all before it", Action: "plan", Body: `{"model":` + tangle + `,"share":true}`},
		{Name: "64 regular expressions", Action: "plan", Body: targeted("(a|ab|b)*(a|ab|b)*.*n")},
		{Name: "64 repetitions", Action: "plan", Body: targeted("((a|b){30}){30}")},
		{Name: "64 patterns of letters", Action: "plan", Body: frozen("*" + strings.Repeat("?", 200))},
		{Name: "64 patterns of stars", Action: "plan", Body: frozen(strings.Repeat("*a", 150))},
		{Name: "one long word", Action: "plan", Body: `{"model":{"components":[{"id":"` + long + `","type":"linear","params":{"inFeatures":3.5,"outFeatures":1}}]}}`},
		{Name: "many axes", Action: "plan", Body: `{"model":{"components":[{"id":"x","type":"input","params":{"shape":` + ones(190_000) + `}}` + strings.Repeat(`,{"type":"relu"}`, 1000) + `]}}`},
		{Name: "more and more axes", Action: "check", Body: `{"model":` + axes + `}`},
		{Name: "a star to be folded", Action: "plan", Body: `{"model":` + star + `,"share":true}`},
		{Name: "one long name that many read", Action: "lint", Body: `{"model":` + named + `}`},
		{Name: "a variable behind every word", Action: "check", Body: `{"model":{"components":[{"id":"x","type":"relu"}]},"serve":{"command":` + quote("llama-server -m m.gguf "+strings.Repeat("$A ", 8000)+strings.Repeat("$(x) ", 5000)) + `,"gpu":"H100"}}`},
		{Name: "a long name of a variable", Action: "check", Body: `{"model":{"components":[{"id":"x","type":"relu"}]},"serve":{"command":` + quote("vllm serve $"+strings.Repeat("a", 1_000_000)) + `,"gpu":"H100"}}`},
		{Name: "a variable that doubles", Action: "check", Body: `{"model":{"components":[{"id":"x","type":"relu"}]},"serve":{"command":` + quote("A=x\n"+strings.Repeat("A=$A$A\n", 60)+"vllm serve $A") + `,"gpu":"H100"}}`},
		{Name: "types that are escaped", Action: "check", Body: `{"model":` + escapes + `}`},
		{Name: "parameters with long names", Action: "plan", Body: `{"model":` + unread + `}`},
		{Name: "objects in a policy", Action: "check", Body: `{"model":{"components":[{"id":"x","type":"relu"}]},"policy":{"x":` + strings.Repeat(`{"a":`, 60) + quote(strings.Repeat("a", 7_900_000)) + strings.Repeat("}", 60) + `}}`},
		{Name: "modules in modules", Action: "plan", Body: `{"model":{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"r","type":"relu","scope":` + deep + `}],"connections":[{"from":"x","to":"r"}]}}`},
	}
}

// mixed are components that run: a sum where several are read, else layers no two neighbours of which cost the same.
func mixed(t topology) func(i int) string {
	reads := map[int]int{} // some connections end nowhere
	for _, e := range t.edges(mostComponents) {
		reads[e[1]]++
	}
	return func(i int) string {
		switch {
		case i == mostComponents-1 && reads[i] < 2:
			return "output"
		case reads[i] > 1:
			return "add"
		case i%3 == 0:
			return `layerNorm","params":{"normalizedShape":8},"x":"`
		case i%3 == 1:
			return `linear","params":{"inFeatures":8,"outFeatures":8},"x":"`
		}
		return "gelu"
	}
}

// pair is the first of two words for the first component of a pair.
func pair(i int, even, odd string) string {
	if i%2 == 0 {
		return even
	}
	return odd
}

// plain writes a graph without anything unusual but its topology: an input, and so many components.
func plain(n int, t topology, typ func(i int) string) string {
	nodes := list(n, func(i int) string {
		if i == 0 {
			return `{"id":"n0","type":"input","params":{"shape":[8,8]}}`
		}
		return fmt.Sprintf(`{"id":"n%d","type":"%s"}`, i, typ(i))
	})
	edges := t.edges(n)
	wires := list(len(edges), func(i int) string { return fmt.Sprintf(`{"from":"n%d","to":"n%d"}`, edges[i][0], edges[i][1]) })
	return `{"components":` + nodes + `,"connections":` + wires + `}`
}
