package adversary

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/modelverifier/verifier/internal/hostile"
)

// What fix takes of files and findings, and of an answer of its language model. A little more is drawn now and then.
const (
	mostFiles    = 64
	mostFile     = 512 << 10
	mostOfFiles  = 1 << 20
	mostFindings = 200
	mostAnswer   = 1 << 20
	mostWord     = 4 << 10
)

// file is one that is to be mended.
type file struct{ path, text string }

// fixOf writes a request to mend files. Without a model it has one that a policy refuses and no change of ours mends.
func fixOf(name, model, more string, files []file, answer string) Request {
	if model == "" {
		model = tiny
		if !strings.Contains(more, `"policy":`) {
			more += `,"policy":{"forbid_types":["relu"]}`
		}
	}
	all := list(len(files), func(i int) string { return `{"path":` + quote(files[i].path) + `,"text":` + quote(files[i].text) + "}" })
	if !strings.Contains(more, `"findings":`) {
		more += `,"findings":[]`
	}
	return Request{Name: name, Action: "fix", Body: `{"model":` + model + more + `,"files":` + all + "}", Answer: answer}
}

// tiny is the model of net.
const tiny = `{"name":"Net","components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"fc1","type":"linear","params":{"outFeatures":16}},{"id":"relu","type":"relu"},{"id":"fc2","type":"linear","params":{"outFeatures":3}},{"id":"y","type":"output"}],` +
	`"connections":[{"from":"x","to":"fc1"},{"from":"fc1","to":"relu"},{"from":"relu","to":"fc2"},{"from":"fc2","to":"y"}]}`

// net is a class of so many layers, the last of which takes so many features; what is before it and what is behind each layer is given.
func net(layers, features int, before, behind string) string {
	var b strings.Builder
	b.WriteString("import torch\nfrom torch import nn\n" + before + "\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc1 = nn.Linear(8, 16)\n")
	for i := range layers {
		fmt.Fprintf(&b, "        self.l%d = nn.Linear(16, 16)%s\n", i, behind)
	}
	fmt.Fprintf(&b, "        self.fc2 = nn.Linear(%d, 3)\n\n    def forward(self, x):\n        x = torch.relu(self.fc1(x))\n", features)
	for i := range layers {
		fmt.Fprintf(&b, "        x = self.l%d(x)\n", i)
	}
	return b.String() + "        return self.fc2(x)\n"
}

// beside is a class whose first layer is made or called wrongly, with much on the line where it is called, and behind the class.
func beside(made, behind, called string) []file {
	return []file{{"net.py", "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc1 = nn.Linear(" +
		made + "\n    def forward(self, x):\n        return self.fc1(x) + [" + called + "x][0]\n\n\n" + behind}}
}

// block is a change as a language model writes it.
func block(path, search, replace string) string {
	return "<<<<<<< SEARCH " + path + "\n" + search + "\n======= REPLACE\n" + replace + "\n>>>>>>> END\n"
}

// contradicts names what is found of every configuration that cannot be read.
const contradicts = `,"findings":[{"title":"The configuration contradicts itself"}]`

// widened are changes of so many layers of net, each of which is wrong by itself.
func widened(path string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(block(path, fmt.Sprintf("self.l%d = nn.Linear(16, 16)", i), fmt.Sprintf("self.l%d = nn.Linear(16, 17)", i)))
	}
	return b.String()
}

// FixedFixes are files and answers that once cost too much, and those at each limit.
func FixedFixes() []Request {
	numbers := func(n int) string { return list(n, func(int) string { return "1" }) }
	fences := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "=== END OF FILE #%d\n", i+1)
		}
		return b.String()
	}
	small := []file{{"net.py", net(0, 16, "", "")}}
	wide := strings.Replace(plain(mostComponents, topologies[0], func(int) string { return "linear\",\"params\":{\"inFeatures\":9,\"outFeatures\":8},\"x\":\"" }), "[8,8]", "[8]", 1)
	var same, nets []file
	for i := range 8 {
		same = append(same, file{fmt.Sprintf("m%d.json", i), wide[:min(len(wide), mostOfFiles/8)]})
	}
	for i := range mostFiles {
		nets = append(nets, file{fmt.Sprintf("n%d.py", i), net(100, 15, "", "")})
	}
	graphs := make([]file, 4)
	for i := range graphs {
		graphs[i] = file{fmt.Sprintf("m%d.json", i), wide}
	}
	return []Request{
		fixOf("a config of one long name over many numbers", "", contradicts, []file{{"config.json", `{"` + strings.Repeat("a", mostFile/2) + `":` + numbers(mostFile/5) + `}`}}, ""),
		fixOf("a config of many numbers", "", contradicts, []file{{"config.json", `{"model_type":"llama","hidden_size":7,"num_attention_heads":3,"x":` + numbers(mostFile/3) + `}`}}, ""),
		fixOf("every fence is taken", "", "", []file{{"a.txt", fences(23_000)}, {"b.txt", fences(23_000)}, small[0]}, "no"),
		fixOf("graphs that all block", "", "", graphs, ""),
		fixOf("cut graphs", "", "", same, ""),
		fixOf("many classes", "", "", nets, ""),
		fixOf("a long class", "", "", []file{{"net.py", net(1900, 15, "", "")}}, ""),
		fixOf("a large source with a fault", "", "", []file{{"net.py", net(3, 15, strings.Repeat("# padding of a line\n", mostFile/20-40), "")}}, ""),
		fixOf("changes that are all wrong", "", `,"maxPatches":32`, []file{{"net.py", net(100, 16, "", "")}}, widened("net.py", 32)),
		fixOf("a fault beside names", "", "", beside("9, 16)\n", "", strings.Repeat("x, ", 8_000)), ""),
		fixOf("a fault beside keywords", "", "", beside("8, 16, q=1)\n", "def g():\n"+strings.Repeat("    f(q=1)\n", 5_000), ""), ""),
		fixOf("a fault beside attributes", "", "", beside("8, 16)\n"+strings.Repeat("        self.a = 1\n", 4_000), "", "self.missing, "), ""),
		fixOf("prose", "", "", small, strings.Repeat("word ", mostAnswer/5-100)),
		fixOf("blocks in blocks", "", "", small, strings.Repeat("<<<<<<< SEARCH net.py\n", mostAnswer/24)),
		fixOf("many blocks", "", `,"maxPatches":32`, small, strings.Repeat(block("net.py", "relu", "tanh"), mostAnswer/80)),
		fixOf("a large change", "", "", small, block("net.py", "torch.relu(", strings.Repeat("torch.tanh(\n", mostAnswer/16)+"torch.tanh(")),
		fixOf("a file of one letter", "", "", []file{{"a.txt", strings.Repeat("a", mostFile)}, small[0]}, block("a.txt", strings.Repeat("a", mostFile/2)+"b", "c")),
		{Name: "a deep answer", Action: "fix", Body: fixOf("", "", "", small, "").Body, Answer: strings.Repeat("[", mostAnswer-1), Wire: true},
		{Name: "a wide answer", Action: "fix", Body: fixOf("", "", "", small, "").Body, Answer: `{"content":[` + strings.Repeat("{},", mostAnswer/3-10) + "{}]}", Wire: true},
	}
}

// sources are what drawn sources are pieces of, by name.
var sources = sync.OnceValue(func() (pool []string) {
	all := hostile.Sources()
	names := make([]string, 0, len(all))
	for name := range all {
		if !strings.HasSuffix(name, strconv.Itoa(8<<20)) { // too large for a request
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		pool = append(pool, all[name]())
	}
	return append(pool, net(0, 16, "", ""), net(3, 15, "", ""), net(200, 15, "", ""))
})

// RandomFix draws a request to mend files, and what the language model answers.
func RandomFix(seed uint64) Request {
	d := &draw{Rand: rand.New(rand.NewPCG(seed, 2))}
	files := d.files()
	model, more := "", ""
	if d.chance(3) {
		model = d.model(MostBytes >> (3 + d.IntN(8)))
	}
	for _, o := range fixOptions {
		if d.chance(o.seldom) {
			more += fmt.Sprintf(",%q:%s", o.name, o.draw(d, 1<<(6+d.IntN(12))))
		}
	}
	if d.chance(2) && !strings.Contains(more, `"source":`) {
		more += `,"source":{"target":` + quote(pick(d, files...).path+pick(d, "", ":Net", ":A")) + `,"input":"8"}`
	}
	r := fixOf(fmt.Sprintf("random fix %d", seed), model, more, files, d.blocks(files))
	if r.Wire = d.chance(16); r.Wire {
		r.Answer = pick(d, d.value(mostAnswer), `{"content":`+d.value(mostAnswer/2)+`}`, `{"content":[{"type":"text","text":`+quote(d.word(mostAnswer/2))+`}]}`, strings.Repeat("[", d.IntN(mostAnswer)))
	}
	if len(r.Body) > MostBytes {
		return RandomFix(seed + 1<<40)
	}
	return r
}

// fixOptions are what a fix takes beside model and files.
var fixOptions = []struct {
	seldom int // it is there once in so many times
	option
}{
	{3, option{"findings", func(d *draw, size int) string {
		if d.chance(3) {
			return strings.TrimPrefix(contradicts, `,"findings":`)
		}
		n := pick(d, 1, 2, mostFindings)
		word := func() string { return quote(d.word(min(size/n+d.IntN(40), mostWord))) }
		return list(n, func(int) string {
			return `{"title":` + word() + `,"detail":` + pick(d, `""`, word()) + `,"stage":` + pick(d, `""`, `"preflight"`) + "}"
		})
	}}},
	{6, option{"policy", policy}}, {2, option{"maxPatches", func(d *draw, _ int) string { return pick(d, "1", "8", "32", "32", "32", "32", "32", "33") }}},
	{20, option{"source", source}},
}

// files draws those that are to be mended.
func (d *draw) files() (out []file) {
	n := pick(d, 1, 1, 1, 2, 8, mostFiles)
	room := min(mostFile, mostOfFiles/n)
	for i := range n {
		size := room >> d.IntN(6)
		folder := pick(d, "", "", fmt.Sprintf("p%d/", i), strings.Repeat("a/", d.IntN(100)))
		path, text := d.file(i, size)
		out = append(out, file{folder + path, text[:min(len(text), room*3/4)]})
	}
	for i := range out { // a path is sent once
		if slices.ContainsFunc(out[:i], func(f file) bool { return f.path == out[i].path }) {
			out[i].path = fmt.Sprintf("q%d/%s", i, out[i].path)
		}
	}
	return out
}

// file draws one of about a size.
func (d *draw) file(i, size int) (path, text string) {
	switch d.IntN(9) {
	case 0:
		return fmt.Sprintf("m%d.py", i), hostile.Source(d.Rand)
	case 1:
		return fmt.Sprintf("m%d.py", i), hostile.Draw(d.Rand, sources())
	case 2:
		padding := strings.Repeat(pick(d, "# a\n", "a = 1\n", "def f(x):\n    return x\n", "class A(nn.Module):\n    pass\n", "import a\n", "'''a'''\n"), d.IntN(1+size/8))
		return "net.py", net(pick(d, 0, 3, 40, d.IntN(1+size/64)), pick(d, 15, 15, 16), padding, pick(d, "", "  # "+strings.Repeat("x", d.IntN(40)), "; a = "+numbersOf(d.IntN(20))))
	case 3:
		return "config.json", pick(d, configs...)(size)
	case 4:
		return "config.json", fmt.Sprintf(`{"model_type":"llama","hidden_size":%s,"num_attention_heads":%s,%s:%s}`, number(d, 0), number(d, 0), quote(d.word(d.IntN(1+size/2))), d.value(size/2))
	case 5:
		return fmt.Sprintf("m%d.json", i), d.model(size / 2)
	case 6:
		var b strings.Builder
		for k := 0; b.Len() < size; k++ {
			fmt.Fprintf(&b, "n%d: linear inFeatures=%d outFeatures=8 %s\n", k, 8+k%2, pick(d, "", "a=1", "\"a b\"=3", "// x"))
		}
		return "m.graph", b.String()
	case 7:
		return fmt.Sprintf("m%d.json", i), `{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"l","type":"linear","params":{"inFeatures":9,"outFeatures":8,` +
			quote(d.word(d.IntN(1+size/2))) + ":" + d.value(size/2) + `}}],"connections":[{"from":"x","to":"l"}]}`
	}
	return fmt.Sprintf("t%d%s", i, pick(d, ".txt", ".md", ".py")), pick(d, "=== END OF FILE #", "<<<<<<< SEARCH net.py\n", "") + d.word(size)
}

func numbersOf(n int) string { return list(n, strconv.Itoa) }

// blocks draws an answer: changes that quote the files rightly or wrongly, undo one another, collide, or grow.
func (d *draw) blocks(files []file) string {
	if layers := strings.Count(files[0].text, "= nn.Linear(16, 16)"); layers > 0 && d.chance(2) {
		return widened(files[0].path, min(layers, pick(d, 1, 8, 32)))
	}
	var b strings.Builder
	n := pick(d, 0, 1, 1, 2, 2, 8, 8, 32, 33, 1000)
	broken := d.chance(10)
	for range n {
		f := pick(d, files...)
		search := d.part(f.text, n)
		replace := pick(d, "", search+" ", "x", d.part(pick(d, files...).text, n), strings.Repeat(search, 1+d.IntN(4)), d.word(mostAnswer/n/2), "torch.tanh(", "15", d.value(mostAnswer/n/4), net(3, 15, "", ""))
		switch d.IntN(24) {
		case 0:
			b.WriteString(d.word(mostAnswer/n/4) + "\n")
		case 1:
			if !broken {
				break
			}
			b.WriteString(pick(d, "<<<<<<< SEARCH", "======= REPLACE", ">>>>>>> END") + "\n")
		case 2: // the other way round, too
			b.WriteString(block(f.path, replace, search))
		}
		b.WriteString(block(f.path, search, replace))
		if b.Len() > mostAnswer {
			break
		}
	}
	text := b.String() + d.word(d.IntN(200))
	return text[:min(len(text), mostAnswer-1024)]
}

// part is some of a text that a change quotes: mostly whole lines that stand there once.
func (d *draw) part(text string, n int) string {
	if text == "" {
		return "x"
	}
	at := d.IntN(len(text))
	part := text[at:min(len(text), at+1+d.IntN(min(400, mostAnswer/n)))]
	if d.chance(8) {
		part = text[at:min(len(text), at+mostAnswer/n/2)]
	}
	return strings.ToValidUTF8(pick(d, part, part, part, part, part, "torch.relu(", "(15, 3)"), "")
}
