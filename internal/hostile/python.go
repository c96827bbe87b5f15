package hostile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// growths are statements that make a value larger; x, s, t, d and m are there before them. Each is put into a loop and into every place that
// code can stand in.
var growths = map[string]string{
	"string plus":        "s = s + s",
	"string times":       "s = s * 2",
	"string join":        "s = s.join([s, s, s])",
	"string join many":   "s = 'ab'.join(['a' * 1000] * 1000)",
	"string replace":     "s = s.replace('a', s)",
	"string replace all": "s = ('a' * 100000).replace('a', 'bb' * 100)",
	"string format":      "s = '{0}{0}{0}'.format(s)",
	"string percent":     "s = '%s%s' % (s, s)",
	"string width":       "s = '%999999d' % 1",
	"string f":           "s = f'{s}{s}'",
	"string upper":       "s = (s + s).upper()",
	"string split":       "t = ('a,' * 100000).split(',')",
	"string slice":       "s = (s + s)[::-1]",
	"string index":       "s = s + s; x = s[0]",
	"string iterate":     "t = list('a' * 100000)",
	"string in":          "x = ('b' in 'a' * 100000)",
	"string length":      "s = s + 'é' * 10000; x = len(s)",
	"string zfill":       "s = s.zfill(10 ** 9) + s",
	"string times huge":  "s = 'abcd' * (2 ** 61)",
	"list plus":          "t = t + t",
	"list times":         "t = t * 2",
	"list append":        "t.append(t)",
	"list extend":        "t.extend(t)",
	"list aug":           "t += t",
	"list slice":         "t = (t + t)[::2] + t",
	"list assign slice":  "t[0:0] = t",
	"list insert":        "t.insert(0, 1); t.extend(range(1000))",
	"list pop":           "t.extend(range(1000)); t.pop(); t.pop()",
	"list remove":        "t.extend(range(1000)); t.remove(999)",
	"list reverse":       "t.extend(range(1000)); t.reverse()",
	"list copy":          "t.extend(range(1000)); x = t.copy()",
	"list sorted":        "t = sorted(list(range(10000)) + t)",
	"list reversed":      "t.extend(range(1000)); x = list(reversed(t))",
	"list of range":      "t = list(range(10 ** 6))",
	"list in":            "t.extend(range(1000)); x = (-1 in t)",
	"list index":         "t.extend(range(1000)); x = t.index(999)",
	"list equal":         "t = [t, t]; x = (t == [t, t])",
	"list unpack":        "t = [*t, *t]",
	"list loop":          "t.extend(range(1000)); x = [a for a in t]",
	"list deep":          "t = [t]",
	"list deep equal":    "t = [t]; x = (t == [t])",
	"sum":                "t = sum([t, t], [])",
	"zip":                "t = list(zip(t + [1], t + [1], t + [1]))",
	"map":                "t.extend(range(1000)); x = list(map(str, t))",
	"enumerate":          "t.extend(range(1000)); x = list(enumerate(t))",
	"product":            "import itertools; t = list(itertools.product(range(100), range(100), range(100)))",
	"accumulate":         "import itertools; t = list(itertools.accumulate(['ab' * 1000] * 1000))",
	"chain":              "import itertools; t = list(itertools.chain(t, t, [1]))",
	"tuple plus":         "t = tuple(t) + tuple(t)",
	"tuple deep":         "t = (t, t)",
	"tuple key":          "t = (tuple(t), tuple(t)); d[t] = 1",
	"tuple key long":     "d[tuple(range(100000))] = 1",
	"tuple key deep":     "m = (m,); d[m] = 1",
	"tuple repr":         "t = (t,) * 32; s = str(t)",
	"tuple compare":      "t = (t, t); x = t < t",
	"tuple hash":         "t = (tuple(t),) * 2; x = {t}",
	"dict set":           "d[len(d)] = d",
	"dict update":        "d.update({(len(d), i): i for i in range(1000)})",
	"dict copy":          "d.update({(len(d), i): i for i in range(1000)}); x = d.copy()",
	"dict keys":          "d.update({(len(d), i): i for i in range(1000)}); x = d.keys()",
	"dict items":         "d.update({(len(d), i): i for i in range(1000)}); x = d.items()",
	"dict pop":           "d.update({(len(d), i): i for i in range(1000)}); d.popitem()",
	"dict merge":         "d = {**d, **{(len(d), i): 1 for i in range(1000)}}",
	"dict or":            "d = d | {(len(d), i): 1 for i in range(1000)}",
	"dict repr":          "d = {i: d for i in range(32)}; s = str(d)",
	"dict long keys":     "d['a' * 100000 + str(len(d))] = 1",
	"set add":            "m = set(range(10000)) | set(range(5, 20000))",
	"set ops":            "m = set(range(10000)) & set(range(10000))",
	"comprehension":      "t = [(a, b) for a in range(1000) for b in range(1000)]",
	"generator":          "t = list((a, b) for a in range(1000) for b in range(1000))",
	"power":              "x = (-1) ** (10 ** 12)",
	"power big":          "x = 10 ** 18 ** 18",
	"shift":              "x = 1 << 10 ** 9",
	"integer long":       "x = int('9' * 100000)",
	"lambda":             "f = (lambda g: lambda: g)(t); t = [f]",
	"partial":            "import functools; m = functools.partial(m, 1) if callable(m) else functools.partial(str, 1)",
	"partial call":       "import functools; m = functools.partial(m) if callable(m) else functools.partial(str)\n{in}if i % 1000 == 999: m()",
	"deepcopy":           "import copy; t = [t, copy.deepcopy(t)]",
	"class chain":        "C = type(m) if False else C\n{in}class C(C): pass",
	"class bases":        "class C(C):\n{in}    a = 1\n{in}    b = [a] * 1000",
	"exception":          "s = s + s\n{in}try:\n{in}    raise ValueError(s)\n{in}except ValueError as e:\n{in}    x = str(e)",
	"exception name":     "s = s + s\n{in}try:\n{in}    getattr(x, s)\n{in}except Exception as e:\n{in}    x = e",
	"assert":             "s = s + s\n{in}try:\n{in}    assert False, s\n{in}except AssertionError:\n{in}    pass",
	"attribute":          "setattr(C, 'a' * 10000 + str(i), 1)",
	"eval":               "x = eval('1+' * 1000 + '1')",
	"eval deep":          "x = eval('(' * 190 + '1' + ')' * 190)",
	"recursion":          "def g(n): return g(n + 1)\n{in}x = g(0)",
	"recursion wide":     "def g(n): return 0 if n > 100 else g(n + 1) + g(n + 1)\n{in}x = g(0)",
	"module":             "m = nn.Sequential(m) if isinstance(m, nn.Module) else nn.Linear(2, 2)",
	"module list":        "m = nn.ModuleList([nn.Linear(4, 4) for _ in range(1000)])",
	"module dict":        "m = nn.ModuleDict({'a' * 1000 + str(k): nn.Linear(4, 4) for k in range(1000)})",
	"zeros":              "x = torch.zeros(*([1] * 1000))",
	"tensor list":        "x = torch.tensor([[1.0] * 1000] * 1000)",
	"arange":             "x = torch.arange(10 ** 7)",
	"linspace":           "x = torch.linspace(0, 1, 10 ** 7)",
	"tensor stack":       "x = torch.stack([torch.zeros(2, 2)] * 10000)",
	"string center":      "s = s.center(10 ** 7)",
	"string ljust":       "s = s.ljust(10 ** 7).rjust(10 ** 8)",
	"string tabs":        "s = ('\\t' * 10000).expandtabs(10 ** 6)",
	"string strip":       "s = (' ' * 100000 + s).strip() + ' ' * 100000",
	"string lines":       "t = ('a\\n' * 100000).splitlines()",
	"string parts":       "t = ('a' * 100000 + ',').partition(',')",
	"string count":       "x = ('ab' * 100000).count('b')",
	"string find":        "x = ('a' * 100000).find('b')",
	"string starts":      "x = ('a' * 100000).startswith('a' * 99999)",
	"string title":       "s = ('ab ' * 100000).title().swapcase().casefold()",
	"string encode":      "x = ('a' * 100000).encode()",
	"string fill":        "s = f'{s:>9999999}'",
	"string repr":        "s = repr(s) + repr(s)",
	"regex":              "import re; s = re.sub('a', 'b' * 1000, 'a' * 10000)",
	"regex find":         "import re; t = re.findall('a*', 'ab' * 100000)",
	"regex split":        "import re; t = re.split(',', 'a,' * 100000)",
	"regex long":         "import re; x = re.match('(a|b)' * 10000, s)",
	"regex repeat":       "import re; x = re.match('((a{100}){100}){100}', s)",
	"json":               "import json; t = json.loads('[' * 10000 + ']' * 10000)",
	"json long":          "import json; t = json.loads('[' + '1,' * 100000 + '1]')",
	"json dumps":         "import json; t = [t, t]; s = json.dumps(t)",
	"factorial":          "import math; x = math.factorial(10 ** 6)",
	"comb":               "import math; x = math.comb(10 ** 6, 5 * 10 ** 5)",
	"prod":               "import math; x = math.prod([10 ** 18] * 100000)",
	"gcd":                "import math; x = math.gcd(*range(1, 100000))",
	"combinations":       "import itertools; t = list(itertools.combinations(range(200), 4))",
	"permutations":       "import itertools; t = list(itertools.permutations(range(12)))",
	"islice":             "import itertools; t = list(itertools.islice(itertools.count(), 10 ** 7))",
	"cycle":              "import itertools; x = sum(1 for _ in itertools.cycle([1]))",
	"repeat":             "import itertools; t = list(itertools.repeat(t, 10 ** 7))",
	"zip longest":        "import itertools; t = list(itertools.zip_longest(range(10), range(10 ** 6)))",
	"counter":            "import collections; m = collections.Counter('ab' * 100000)",
	"deque":              "import collections; m = collections.deque(range(100000))",
	"defaultdict":        "import collections; m = collections.defaultdict(list); m[i].extend(range(100000))",
	"namedtuple":         "import collections; C = collections.namedtuple('C', ['a%d' % k for k in range(10000)])",
	"reduce":             "import functools; t = functools.reduce(lambda a, b: a + b, [t] * 100)",
	"min key":            "x = min(range(100000), key=lambda k: -k)",
	"any":                "x = any(k < 0 for k in range(10 ** 6))",
	"sorted key":         "t = sorted(range(10000), key=lambda k: -k)",
	"bytes":              "x = bytes(10 ** 9)",
	"numpy zeros":        "import numpy as np; x = np.zeros((10000, 10000)).tolist()",
	"numpy arange":       "import numpy as np; x = np.arange(10 ** 7)",
	"numpy grid":         "import numpy as np; x = np.meshgrid(np.arange(10000), np.arange(10000))",
	"numpy tile":         "import numpy as np; x = np.tile(np.ones(1000), (1000, 1000))",
	"numpy cumsum":       "import numpy as np; x = np.cumsum(np.ones(10 ** 6))",
	"numpy linspace":     "import numpy as np; t = [int(k) for k in np.linspace(0, 1, 10 ** 6)]",
	"torch grid":         "x = torch.meshgrid(torch.arange(10000), torch.arange(10000))",
	"torch combinations": "x = torch.combinations(torch.arange(1000), 3)",
	"torch cartesian":    "x = torch.cartesian_prod(torch.arange(1000), torch.arange(1000))",
	"torch eye":          "x = torch.eye(10 ** 4).tolist()",
	"torch tri":          "x = torch.triu(torch.ones(3000, 3000), 1).tolist()",
	"torch cumsum":       "x = torch.arange(10 ** 6).cumsum(0).tolist()",
	"torch unique":       "x = torch.arange(10 ** 6).unique()",
	"torch sort":         "x = torch.arange(10 ** 6).flip(0).sort()",
	"torch repeat":       "x = torch.arange(1000).repeat(1000).tolist()",
	"torch where":        "x = torch.where(torch.ones(1000, 1000) > 0)",
	"torch item":         "x = [int(k) for k in torch.arange(10 ** 5)]",
	"named modules":      "m = nn.ModuleList([nn.Linear(4, 4) for _ in range(300)]); x = dict(m.named_modules()); y = list(m.parameters())",
	"apply":              "m = nn.Sequential(*[nn.Linear(4, 4) for _ in range(300)]); m.apply(lambda k: None)",
	"state dict":         "m = nn.Sequential(*[nn.Linear(4, 4) for _ in range(300)]); x = m.state_dict()",
	"clones":             "import copy; m = nn.ModuleList([copy.deepcopy(m) for _ in range(2)]) if isinstance(m, nn.Module) else nn.Linear(2, 2)",
}

// forwards are what a forward does to its tensor, again and again.
var forwards = map[string]string{
	"unsqueeze": "x = x.unsqueeze(0)",
	"none":      "x = x[None]",
	"view":      "x = x.view(x.size(0), *([1] * 1000), -1)",
	"add":       "x = x + 1",
	"cat":       "x = torch.cat([x, x], -1)",
	"stack":     "x = torch.stack([x] * 100, -1)",
	"split":     "x = torch.cat(x.split(1, -1), -1)",
	"chunk":     "x = torch.cat(x.chunk(4, -1), -1)",
	"unbind":    "x = torch.stack(x.unbind(-1), -1)",
	"permute":   "x = x.unsqueeze(-1).permute(0, *range(x.dim(), 0, -1))",
	"einsum":    "x = torch.einsum('b' + 'abcdefghijklmnopqrstuvwxyz'[1:x.dim()] + '->b' + 'abcdefghijklmnopqrstuvwxyz'[1:x.dim()], x)",
	"expand":    "x = x.unsqueeze(1).expand(-1, 2, *([-1] * (x.dim() - 1)))",
	"repeat":    "x = x.repeat(*([1] * x.dim()), 1)",
	"layer":     "x = self.fc(x)",
	"names":     "x = getattr(self, 'n' * 1000)(x)",
	"outputs":   "y = [y, x, x]; x = x + 1",
	"tuple":     "y = (y, y, x)",
	"flatten":   "x = x.unsqueeze(-1).flatten(1)",
	"meshgrid":  "x = x + torch.meshgrid(torch.arange(1000), torch.arange(1000))[0].sum()",
	"pad":       "x = nn.functional.pad(x, (1,) * 1000)",
	"index":     "x = x[(slice(None),) * 1000]",
	"grad":      "x = x + 1; y = x.requires_grad",
	"detach":    "x = (x + 1).detach(); y = x.requires_grad or x.is_leaf",
	"rearrange": "x = rearrange(x, 'b ... -> b ... 1')",
	"einops":    "x = rearrange(x, 'b (' + ' '.join('c%d' % k for k in range(1000)) + ') -> b (' + ' '.join('c%d' % k for k in range(1000)) + ')', **{'c%d' % k: 1 for k in range(999)})",
	"reduce":    "x = einops_repeat(x, 'b ... -> b ... r', r=2)",
	"einsum of": "x = torch.einsum(','.join(['ab'] * 1000) + '->ab', *([x] * 1000))",
	"gather":    "x = x[torch.arange(10 ** 5)]",
	"contained": "y = [k.shape for k in x.unbind(0)] if x.shape[0] else y; x = x + 1",
	"strides":   "x = x.transpose(0, 1).unsqueeze(0).contiguous().squeeze(0); y = x.stride()",
	"where":     "x = torch.where(x > 0, x, x * 2)",
	"mask":      "x = x.masked_fill(torch.ones(1000, 1000).tril()[:1, :4] == 0, 0)",
	"roll":      "x = torch.roll(x, tuple(range(1000)), tuple([0] * 1000))",
	"scale":     "x = x * torch.tensor([[1.0] * 4] * 1000)[0]",
	"fft":       "x = torch.fft.fftn(torch.fft.fft(x).real).real",
	"hook":      "self.fc.register_forward_hook(lambda *a: None); x = self.fc(x)",
	"long text": "y = 'a' * 100000 + str(y)[:10]; x = x + 1",
}

// places are where code can stand. {body} is a loop, indented by {in}.
var places = map[string]string{
	"module":     "{body}\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return x\n",
	"function":   "def f(t, s, d, m, x, C):\n{body}\n    return t\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = f([1], 'a', {}, 0, 0, object)\n\n    def forward(self, x):\n        return x\n",
	"class body": "class Net(nn.Module):\n    s, t, d, m, x, C = 'a', [1], {}, 0, 0, object\n{body}\n\n    def forward(self, x):\n        return x\n",
	"init":       "class Net(nn.Module):\n    def __init__(self, s='a', t=[1], d={}, m=0, x=0, C=object):\n        super().__init__()\n{body}\n        self.t, self.s, self.d, self.m = t, s, d, m\n\n    def forward(self, x):\n        return x\n",
	"decorator":  "def deco(f, t=[1], s='a', d={}, m=0, x=0, C=object):\n{body}\n    return f\n\nclass Net(nn.Module):\n    @deco\n    def forward(self, x):\n        return x\n",
	"default":    "def g(t=[1], s='a', d={}, m=0, x=0, C=object):\n{body}\n    return (t, s, d, m)\n\nclass Net(nn.Module):\n    def __init__(self, a=g()):\n        super().__init__()\n        self.a = a\n\n    def forward(self, x, a=g()):\n        return x\n",
}

var indents = map[string]string{"module": "", "function": "    ", "class body": "    ", "init": "        ", "decorator": "    ", "default": "    "}

const start = "import torch\nfrom torch import nn\n\ns, t, d, m, x, C = 'a', [1], {}, 0, 0, object\n\n"

// inLoop indents a statement and puts it into loops.
func inLoop(indent, statement string, times ...int) string {
	var b strings.Builder
	for k, n := range times {
		fmt.Fprintf(&b, "%s%sfor %c in range(%d):\n", indent, strings.Repeat("    ", k), 'i'+rune(k), n)
	}
	inner := indent + strings.Repeat("    ", len(times))
	b.WriteString(inner + strings.ReplaceAll(statement, "{in}", inner))
	return b.String()
}

// Sources are PyTorch sources, by what is expensive in them.
func Sources() map[string]File {
	out := map[string]File{}
	for name, statement := range growths {
		out["init/"+name] = Text(start + strings.ReplaceAll(places["init"], "{body}", inLoop(indents["init"], statement, 100000)))
	}
	for place := range places {
		for _, name := range []string{"string join", "string replace", "tuple key", "list plus"} {
			out[place+"/"+name] = Text(start + strings.ReplaceAll(places[place], "{body}", inLoop(indents[place], growths[name], 1000, 1000)))
		}
	}
	for name, statement := range forwards {
		out["forward/"+name] = Text("from einops import rearrange, repeat as einops_repeat\n" + start + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(4, 4)\n        setattr(self, 'n' * 1000, nn.Linear(4, 4))\n\n    def forward(self, x):\n        y = x\n" +
			inLoop("        ", statement, 100000) + "\n        return x, y\n")
	}
	for name, text := range texts() {
		out["text/"+name] = text
	}
	return out
}

// texts are sources that are large themselves.
func texts() map[string]File {
	fill := func(unit string, size int) string { return strings.Repeat(unit, size/len(unit)) }
	const net = "\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return x\n"
	out := map[string]File{}
	for name, text := range map[string]func(size int) string{
		"list":       func(n int) string { return "a = [" + fill("1,", n) + "]" },
		"names":      func(n int) string { return "a = 1\n" + fill("a\n", n) },
		"adds":       func(n int) string { return "a = 1" + fill("+1", n) },
		"brackets":   func(n int) string { return fill("(", n) },
		"string":     func(n int) string { return "a = '" + fill("x", n) + "'" },
		"lines":      func(n int) string { return fill("\n", n) },
		"classes":    func(n int) string { return fill("class A: pass\n", n) },
		"functions":  func(n int) string { return fill("def f(): pass\n", n) },
		"decorators": func(n int) string { return fill("@a\n", n) + "class A: pass" },
		"dict":       func(n int) string { return "a = {" + fill("1:1,", n) + "}" },
		"elif":       func(n int) string { return "if a: pass\n" + fill("elif a: pass\n", n) },
		"calls":      func(n int) string { return "a" + fill("()", n) },
		"attributes": func(n int) string { return "a" + fill(".a", n) },
		"compares":   func(n int) string { return "a = 1" + fill("<1", n) },
		"lambdas":    func(n int) string { return "a = " + fill("lambda:", n) + "1" },
		"not":        func(n int) string { return "a = " + fill("not ", n) + "1" },
		"indent":     indented,
		"digits":     func(n int) string { return "a = " + fill("9", n) },
		"f-strings":  func(n int) string { return "a = f'" + fill("{1}", n) + "'" },
		"f-nested":   func(n int) string { return "a = " + fill("f'{", n) },
		"imports":    func(n int) string { return fill("import a\n", n) },
		"modules":    func(n int) string { return fill("class A(nn.Module): pass\n", n) },
		"chains":     func(n int) string { return "class A0(nn.Module): pass\n" + chain(n/32) },
		"word":       func(n int) string { return "a = " + fill("x", n) },
		"assigns":    func(n int) string { return fill("a=", n) + "1" },
		"yaml lists": func(n int) string { return "import yaml\na = yaml.safe_load('[' * " + strconv.Itoa(n) + ")" },
		"yaml maps": func(n int) string {
			return "import yaml\na = yaml.safe_load('{a: ' * " + strconv.Itoa(min(n, 16000)) + ")"
		},
		"yaml keys": func(n int) string {
			return "import yaml\na = yaml.safe_load('- ' * " + strconv.Itoa(min(n, 32000)) + ")"
		},
		"yaml loop": func(int) string {
			return "import yaml\nfor i in range(100000):\n    a = yaml.safe_load('[a, b]\\n' * 8000)"
		},
	} {
		for _, size := range []int{8 << 20, 1<<20 - 200} {
			out[fmt.Sprintf("%s %d", name, size)] = func() string { return start + text(size) + net }
		}
	}
	return out
}

func indented(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(strings.Repeat(" ", i) + "if 1:\n")
	}
	return b.String()
}

func chain(n int) string {
	var b strings.Builder
	for i := range min(n, 100000) {
		fmt.Fprintf(&b, "class A%d(A%d): pass\n", i+1, i)
	}
	return b.String()
}

// Source draws a source: some statements that grow, in loops, in one of the places.
func Source(rng *rand.Rand) string {
	place := pick(rng, places)
	var body []string
	for range 1 + rng.IntN(4) {
		times := make([]int, 1+rng.IntN(2))
		for i := range times {
			times[i] = 1 << rng.IntN(20)
		}
		body = append(body, inLoop(indents[place], growths[pick(rng, growths)], times...))
	}
	return start + strings.ReplaceAll(places[place], "{body}", strings.Join(body, "\n"))
}

// pick draws a key.
func pick(rng *rand.Rand, m map[string]string) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys[rng.IntN(len(keys))]
}
