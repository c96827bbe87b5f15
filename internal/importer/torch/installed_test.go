package torch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// site is a folder of installed packages as pip leaves it: one that imports all of its models, one that loads them when they are
// asked for, and PyTorch, which is never read there.
func site() fstest.MapFS {
	files := map[string]string{
		"zoo/__init__.py":                  "from .models import create, big, Small\n",
		"zoo/models/__init__.py":           "from .small import *\nfrom .broken import *\nfrom .big import *\nfrom ._registry import create\n",
		"zoo/models/_registry.py":          "_table = {}\ndef register(fn):\n    _table[fn.__name__] = fn\n    return fn\ndef create(name, **kw):\n    if name not in _table:\n        raise RuntimeError(name)\n    return _table[name](**kw)\n",
		"zoo/models/small.py":              "import torch.nn as nn\n__all__ = ['Small']\nclass Small(nn.Module):\n    def __init__(self, n=4):\n        super().__init__()\n        self.fc = nn.Linear(n, n)\n    def forward(self, x):\n        return self.fc(x)\n",
		"zoo/models/big.py":                "import torch.nn as nn\nfrom ._registry import register\n__all__ = ['big']\n@register\ndef big(n=4):\n    return nn.Sequential(nn.Linear(n, 8), nn.Linear(8, n))\n",
		"zoo/models/broken.py":             "this is no Python\n",
		"zoo_tools-2.1.dist-info/METADATA": "Metadata-Version: 2.1\nName: zoo-tools\nVersion: 2.1\n\ntext\nVersion: 9\n",
		"zoo-1.4.2.dist-info/METADATA":     "Metadata-Version: 2.1\nName: zoo\nVersion: 1.4.2\n\ntext\n",
		"lazy/__init__.py":                 "import sys\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .inner import *\nelse:\n    sys.modules[__name__] = object()\n",
		"lazy/inner/__init__.py":           "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .deep import *\n",
		"lazy/inner/deep.py":               "import torch.nn as nn\nclass Deep(nn.Linear):\n    pass\n",
		"torch/__init__.py":                "raise RuntimeError('not ours')\n",
		"torch/nn/__init__.py":             "raise RuntimeError('not ours')\n",
		"mine.py":                          "raise RuntimeError('the program has its own')\n",
		"deepfault.py":                     "import torch.nn as nn\nclass Odd(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(open('size').read(), 2)\n",
	}
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

const usesSite = `import torch
import torch.nn as nn
import zoo
from zoo import create
from zoo.models import Small
from lazy import Deep
import mine

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Small(4)
        self.b = create('big', n=4)
        self.c = Deep(4, 2)
        self.d = zoo.models.Small(2)
        self.e = mine.Own(2)

    def forward(self, x):
        return self.e(self.d(self.c(self.b(self.a(x)))))

class Faulty(nn.Module):
    def __init__(self):
        super().__init__()
        from deepfault import Odd
        self.odd = Odd()
`

const unknownOne = `import torch.nn as nn
import zoo

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = zoo.create('huge')
`

// TestATableOfAPackageThatWasReadInPartRaisesNothingForCertain holds that what a package says of its own table is no verdict: Python
// has imported more of it.
func TestATableOfAPackageThatWasReadInPartRaisesNothingForCertain(t *testing.T) {
	fsys := fstest.MapFS{"net.py": {Data: []byte(unknownOne)}}
	m, err := Import(context.Background(), fsys, "net.py", "Net", Options{Inputs: []Input{{Shape: []int64{4}}}, Installed: site()})
	if err == nil || !strings.Contains(err.Error(), "may raise RuntimeError: huge") {
		t.Errorf("%+v, %v", m, err)
	}
}

const ownLayer = `import torch.nn as nn
class Own(nn.Linear):
    def __init__(self, n):
        super().__init__(n, n)
`

// TestReadsInstalledPackages holds that a program's imports are found in a folder of installed packages, after its own files: 20
// weights of Small, 76 of big, 10 of Deep, 6 and 6 of those with two features, as PyTorch 2.15 counts.
func TestReadsInstalledPackages(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"net.py": usesSite, "mine.py": ownLayer} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	opt := Options{Inputs: []Input{{Shape: []int64{4}}}, Installed: site()}
	m, err := Import(context.Background(), os.DirFS(dir), "net.py", "Net", opt)
	if err != nil {
		t.Fatal(err)
	}
	if m.Status != Full || m.Params != 118 {
		t.Errorf("%s, %d parameters: %v", m.Status, m.Params, m.Problems)
	}
	var read []string
	for _, s := range m.Sources {
		read = append(read, s.Name)
	}
	want := []string{"<site-packages>/lazy/__init__.py", "<site-packages>/lazy/inner/__init__.py", "<site-packages>/lazy/inner/deep.py", "<site-packages>/zoo/__init__.py",
		"<site-packages>/zoo/models/__init__.py", "<site-packages>/zoo/models/_registry.py", "<site-packages>/zoo/models/big.py", "<site-packages>/zoo/models/small.py", "mine.py", "net.py"}
	if !slices.Equal(read, want) {
		t.Errorf("read %v, want %v", read, want)
	}
	var notes []string
	for _, n := range m.Notes {
		notes = append(notes, n.Message)
	}
	if said := strings.Join(notes, "; "); !strings.Contains(said, "zoo 1.4.2 is read from") || !strings.Contains(said, "lazy, of a version that is not known") {
		t.Errorf("notes %q", said)
	}
	for i, at := range m.Lines {
		if at.Line > 0 && at.File != "net.py" && at.File != "mine.py" {
			t.Errorf("component %s is at %v, where nobody would change it", m.Graph.Components[i].ID, at)
		}
	}
}

func TestInstalledPackagesAreNotReadUnasked(t *testing.T) {
	fsys := fstest.MapFS{"net.py": {Data: []byte(usesSite)}, "mine.py": {Data: []byte(ownLayer)}}
	m, err := Import(context.Background(), fsys, "net.py", "Net", Options{Inputs: []Input{{Shape: []int64{4}}}})
	if err != nil {
		t.Fatal(err)
	}
	if m.Status != Partly || len(m.Withheld) == 0 || !strings.Contains(fmt.Sprint(m.Problems), "module zoo.models is not known") {
		t.Errorf("%s, withheld %v: %v", m.Status, m.Withheld, m.Problems)
	}
}

// TestFaultsInInstalledPackagesSayTheirFile holds that a reason names the file of the package.
func TestFaultsInInstalledPackagesSayTheirFile(t *testing.T) {
	fsys := fstest.MapFS{"net.py": {Data: []byte(usesSite)}, "mine.py": {Data: []byte(ownLayer)}}
	_, err := Import(context.Background(), fsys, "net.py", "Faulty", Options{Inputs: []Input{{Shape: []int64{4}}}, Installed: site()})
	if err == nil || !strings.Contains(err.Error(), "<site-packages>/deepfault.py:5: ") {
		t.Errorf("%v", err)
	}
}
