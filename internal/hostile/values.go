package hostile

import "maps"

// More growths: of what is costly to look at, where it was cheap to make.
func init() {
	maps.Copy(growths, valueGrowths)
	maps.Copy(forwards, valueForwards)
}

// valueGrowths are those of single values, as growths are.
var valueGrowths = map[string]string{
	"attribute shared":    "try:\n{in}    setattr(object, 'a' * 10000 + str(i), 1)\n{in}except TypeError:\n{in}    pass",
	"attribute asked":     "s = s if i else 'a' * 8000000\n{in}x = hasattr(x, s) or getattr(m, s, 1)",
	"symbol":              "s = bytes if i == 0 else s.a",
	"list times none":     "t = [] * 10 ** 18; x = () * 10 ** 18",
	"tuple classes":       "m = (m, m) if m else (str, str)\n{in}x = isinstance(1, m)",
	"tuple tensor":        "m = (m, m) if m else (0, 0)\n{in}x = torch.tensor(m)",
	"tuple tensor deep":   "m = (m,)\n{in}if i == 99999: x = torch.tensor(m)",
	"tuple get":           "m = (m, m); x = d.get(key=m)",
	"tuple pop":           "m = (m, m); x = d.pop(default=0, key=m)",
	"tuple set":           "m = (m, m); x = set(); x.update([m])",
	"tuple sum":           "m = m or (0,) * 900000; x = sum(m)",
	"tuple max":           "m = m or (0,) * 900000; x = max(m)",
	"tuple any":           "m = m or (0,) * 900000; x = any(m)",
	"tuple prod":          "import math; m = m or (0,) * 900000; x = math.prod(m)",
	"tuple order":         "m = m or (0,) * 900000; x = m < m",
	"tuple not":           "m = m or (0,) * 900000; x = 1 in m",
	"iterator kept":       "t = t if i else [iter((0,) * 900000)]; x = list(t[0])",
	"sorted lists":        "t = sorted([[0] * 400] * 2000)",
	"set long keys":       "m = m or {('a' * 1000, k) for k in range(100)}; x = m | m",
	"dict same":           "d = d or {('a' * 1000, k): 0 for k in range(100)}; x = d == d.copy()",
	"string split all":    "t = ('a' * 8000000).split('a')",
	"string fields":       "t = ('a ' * 4000000).split()",
	"string split lines":  "t = ('\\n' * 8000000).splitlines()",
	"string percent none": "s = s if i else 'a' * 8000000\n{in}x = s % ()",
	"string repr long":    "s = s if i else 'a' * 8000000\n{in}x = repr(s)",
	"string repr list":    "s = s if i else 'a' * 8000000\n{in}x = str([s])",
	"string ord":          "s = s if i else 'a' * 8000000\n{in}x = ord(s)",
	"string int":          "s = s if i else ' ' * 4000000 + '1'\n{in}x = int(s) + float(s)",
	"string is":           "if i == 0: s, y = 'a' * 1500000 + 'b', 'a' * 1500000 + 'c'\n{in}x = s is y",
	"string strip of":     "s = s if i else 'é' * 100000\n{in}x = s.strip(s[:-1] + 'a')",
	"string starts of":    "m = m or ('a' * 1999999 + 'b',) * 400000; s = s if i else 'a' * 2000000\n{in}x = s.startswith(m)",
	"string format named": "d = d or {'a%d' % k: 0 for k in range(20000)}; s = s if i else '{a19999}' * 20000\n{in}x = s.format(**d)",
	"path parts":          "import os; m = m or ('a' * 100000,) * 900; x = os.path.join(*m)",
	"path long":           "import os; s = s if i else 'a/' * 4000000\n{in}x = os.path.dirname(s); y = os.path.exists(s)",
	"path asked":          "import os; x = os.path.exists('a/b/c')",
	"module named":        "import importlib; s = s if i else 'a.' * 4000000\n{in}x = importlib.import_module(s)",
	"modules table":       "import sys; s = s if i else 'a' * 8000000\n{in}x = s in sys.modules",
	"regex groups":        "import re; t = re.findall('()' * 490, 'a' * 1000000)",
	"regex steps":         "import re; x = re.search('(?:' + 'a?' * 60 + '){100}', 'a' * 100000)",
	"regex large":         "import re; x = re.search('(?:' + 'a?' * 100 + '){1000}', 'a' * 100000)",
	"regex behind":        "import re; t = re.findall('a+b|a', 'a' * 100000)",
	"regex captures":      "import re; x = re.match('(a*)' * 200, 'a' * 100000)",
	"regex case":          "import re; x = re.match('(?i)' + '[B-𞥂]' * 100 + str(i), s)",
	"regex new":           "import re; x = re.match('(?:' + 'ab?' * 100 + '){%d}' % (i % 80), s)",
	"regex match":         "import re; x = re.match('(a|b)*', s)",
	"regex kept":          "import re; t.extend(re.finditer('a', 'a' * 100))",
	"regex replace":       "import re; s = s if i else '\\\\1' * 100000\n{in}x = re.sub('(a*)', s, 'a' * 1000000)",
	"torch fill":          "t.append(torch.zeros(4096))",
	"torch scale":         "x = torch.zeros(4096) if i == 0 else x * 1; t.append(x)",
	"torch add":           "x = torch.zeros(4096) if i == 0 else x + x; t.append(x)",
	"torch less":          "x = torch.zeros(4096) if i == 0 else x; t.append(x < 1)",
	"torch steps":         "t.append(torch.linspace(0, 1, 4096))",
	"torch unit":          "t.append(torch.eye(64))",
	"torch sizes":         "m = m or (1,) * 900000; t.append(torch.zeros(m))",
	"torch sine":          "x = torch.zeros(4096) if i == 0 else x; t.append(x.sin())",
	"torch cut":           "x = torch.arange(60000) if i == 0 else x; t.append(x[1:])",
	"torch grids":         "m = m or [torch.zeros(1)] * 400000; t.append(torch.meshgrid(m))",
}

// valueForwards are those of single values, as forwards are.
var valueForwards = map[string]string{
	"gather of": "x = x.gather(-1, torch.zeros(1, 65536).long()) if False else torch.zeros(65536).gather(0, torch.arange(65536)).sum() + x",
	"truths":    "y = x[[True] * 899999 + [1]]",
}
