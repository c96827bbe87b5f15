package hostile

import (
	"fmt"
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
	"attribute":          "if C is object:\n{in}    class C: pass\n{in}setattr(C, 'a' * 10000 + str(i), 1)",
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
	"dict clear":         "d = {k: 0 for k in range(100000)}; d.clear()",
	"dict delete":        "d = d or {k: 0 for k in range(100000)}\n{in}del d[i]",
	"dict missing":       "d = d or {k: 0 for k in range(100000)}\n{in}try:\n{in}    d[-1]\n{in}except KeyError:\n{in}    pass",
	"tuple delete":       "m = (m, m)\n{in}try:\n{in}    del d[m]\n{in}except KeyError:\n{in}    pass",
	"tuple except":       "m = (m, m) if i else (ValueError, ValueError)\n{in}try:\n{in}    x = 1 // 0\n{in}except m:\n{in}    x = 1\n{in}except ZeroDivisionError:\n{in}    x = 2",
	"tuple key text":     "m = (m,) if m else ('a' * 1000000,)\n{in}try:\n{in}    d[m]\n{in}except KeyError:\n{in}    pass",
	"enum key":           "import enum\n{in}class E(enum.Enum): A = 1\n{in}m = (m, m)\n{in}try:\n{in}    E[m]\n{in}except KeyError:\n{in}    pass",
	"enum iterate":       "import enum\n{in}if not m:\n{in}    class m(enum.Enum): " + listed("a%d = %[1]d; ", 5000) + "\n{in}for x in m: break",
	"sys path":           "import sys; sys.path += ['a'] * 900\n{in}try:\n{in}    import nosuch\n{in}    nosuch.a\n{in}except ImportError:\n{in}    pass",
	"sys path deep":      "import sys; sys.path.append('a/' * i)\n{in}try:\n{in}    import nosuch\n{in}    nosuch.a\n{in}except ImportError:\n{in}    pass",
	"star list":          "m = m or (0,) * 900000; x = [" + strings.Repeat("*m, ", 200) + "]",
	"star call":          "m = m or (0,) * 900000; print(" + strings.Repeat("*m, ", 200) + ")",
	"star keywords":      "d = d or {'a%d' % k: 0 for k in range(100000)}; print(" + strings.Repeat("**d, ", 200) + ")",
	"star names":         "m = m or (0,) * 900000; a, *b = m; t.append(b)",
	"chain times":        "import itertools; m = m or (0,) * 900000; x = itertools.chain(*[m] * 1000)",
	"combinations long":  "import itertools; x = itertools.combinations(range(480000), 480000)",
	"list delete":        "t = t if i else [0] * 900000\n{in}del t[0]",
	"list slice empty":   "t = t if i else [0] * 900000\n{in}t[0:0] = ()",
	"parameters":         "g = lambda " + listed("a%d=0, ", 2000) + "z=0: 0\n{in}x = g()",
	"parameters kept":    "def g(" + listed("a%d=0, ", 500) + "z=0): return lambda: 0\n{in}t.append(g())",
	"keywords":           "if not m: m = lambda " + listed("a%d=0, ", 2000) + "z=0: 0\n{in}d = d or {'a%d' % k: 0 for k in range(2000)}; m(**d)",
	"keywords wrong":     "if not m: m = lambda " + listed("a%d, ", 1000) + "z: 0\n{in}d = d or {'b%d' % k: 0 for k in range(1000)}\n{in}try:\n{in}    m(**d)\n{in}except TypeError:\n{in}    pass",
	"object dict":        "if not m:\n{in}    class A: pass\n{in}    m = A()\n{in}    for k in range(30000): setattr(m, 'a%d' % k, 0)\n{in}t.append(m.__dict__)",
	"object delete":      "if not m:\n{in}    class A: pass\n{in}    m = A()\n{in}    for k in range(30000): setattr(m, 'a%d' % k, 0)\n{in}delattr(m, 'a%d' % i)",
	"object clear":       "class A: pass\n{in}m = A()\n{in}for k in range(30000): setattr(m, 'a%d' % k, 0)\n{in}m.__dict__.clear()",
	"bases looked at":    "if i < 100:\n{in}    class C(C): pass\n{in}    m = C()\n{in}x = m" + strings.Repeat(" and m", 200),
	"comprehension deep": "x = " + strings.Repeat("[", 80) + "[str" + strings.Repeat(" and str", 20) + " for _ in range(1000)]" + strings.Repeat(" for _ in (0,)]", 80),
	"locals":             "if not m:\n{in}    class A:\n{in}        def g(self):\n{in}            if 0: x = [" + strings.Repeat("1, ", 20000) + "]\n{in}            return locals()\n{in}    m = A()\n{in}x = m.g()",
	"calls of one line":  "class A: pass\n{in}def g(): return [" + strings.Repeat("A(), ", 5000) + "]\n{in}x = g()",
	"condition assumed":  "x = torch.cuda.is_available() and [" + strings.Repeat("1, ", 20000) + "]",
	"class body":         "class A:\n{in}    if 0: " + strings.Repeat("a = b = c = 1; ", 5000),
	"class kept":         "class A: " + listed("a%d = 1; ", 2000) + "\n{in}t.append(A)",
	"dataclass":          "import dataclasses\n{in}@dataclasses.dataclass\n{in}class A: " + listed("a%d: int = 1; ", 2000) + "\n{in}x = A(); y = dataclasses.fields(A)",
	"iterate self":       "class A:\n{in}    def __iter__(self): return self\n{in}try:\n{in}    for x in A(): pass\n{in}except Exception:\n{in}    pass",
	"bool self":          "class A:\n{in}    def __bool__(self): return self\n{in}x = not A()",
	"except many":        "try:\n{in}    x = 1\n{in}except (" + strings.Repeat("C, ", 20000) + "):\n{in}    pass",
	"bases many":         "class A: pass\n{in}try:\n{in}    class B(" + strings.Repeat("A, ", 20000) + "): pass\n{in}except Exception:\n{in}    pass",
	"enum kept":          "import enum\n{in}class E(enum.Enum): " + listed("a%d = %[1]d; ", 2000) + "\n{in}t.append(E)",
	"signature":          "import inspect\n{in}if not m: m = lambda " + listed("a%d=0, ", 2000) + "z=0: 0\n{in}x = inspect.signature(m)",
	"module append":      "m = m if i else nn.ModuleList()\n{in}m.append(nn.Identity())",
	"module item":        "m = m if i else nn.ModuleList([nn.Identity() for _ in range(10000)])\n{in}x = m[0]",
	"module pop":         "m = m if i else nn.ModuleList([nn.Identity() for _ in range(10000)])\n{in}m.pop(0)",
	"module clear":       "m = nn.ModuleDict({'a%d' % k: nn.Identity() for k in range(10000)}); m.clear()",
	"module parts":       "m = m if i else nn.ModuleList([nn.Identity() for _ in range(10000)])\n{in}t.append(m._modules)",
}

// listed is a text so many times, each with its number.
func listed(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
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
	"axes":      "x = rearrange(x, ' '.join('c%d' % k for k in range(20000)) + ' -> a')",
	"axes many": "try:\n{in}    x = rearrange(x, ' '.join('c%d' % k for k in range(500)) + ' -> a')\n{in}except Exception:\n{in}    pass",
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
		"sets":       func(n int) string { return fill("a = "+within("{", 150, "1", "}")+"\n", n/32) },
		"awaits":     func(n int) string { return "async def f():\n    " + fill("await ", n) + "a" },
		"stars":      func(n int) string { return "for " + fill("* ", n) + "a in b: pass" },
		"dots":       func(n int) string { return "import a" + fill(".a", n) },
		"f-names":    func(n int) string { return "a = f'" + fill("\\N{{", n) + "'" },
		"f-levels":   func(n int) string { return "a = " + within(`f"{`, 99, "'"+fill("x", n-1000)+"'", `}"`) },
		"f-many":     func(n int) string { return fill("f'"+strings.Repeat("{1}", 1000)+"'\n", n) },
		"escapes":    func(n int) string { return "a = '" + fill("\\d", n) + "'" },
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

// within puts a text between brackets, so many on either side.
func within(open string, levels int, text, shut string) string {
	return strings.Repeat(open, levels) + text + strings.Repeat(shut, levels)
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
