"""Fits decision trees to what cuDNN took: python3 workspaces_fit.py workspaces-cudnn.jsonl.gz ../internal/op/cudnn.json (needs numpy)

A leaf of a tree is a form: a sum of copies of input, result and weight, of partial sums of the weight's gradient and of tiles of 64 KiB.
A split compares one feature of the convolution with a number. Both are chosen so that the sum of errors over the rows is least; an error is
what is off by the bytes of input, result, weight and workspace. A tenth of the
convolutions, by a hash, is set aside: nothing is fitted to them.
"""
import gzip, hashlib, heapq, json, sys
import numpy as np

TILE, LEAST, LEAVES, PROCESSORS = 1 << 16, 3, 1500, 132


def key(r):
    return json.dumps([r[k] for k in ("x", "w", "y", "dilation", "groups", "transposed", "dtype")], separators=(",", ":"))


def aside(r):
    return int(hashlib.md5(key(r).encode()).hexdigest(), 16) % 10 == 0


def product(sizes):
    n = 1
    for s in sizes:
        n *= s
    return n


def columns(rows, way, width):
    """Features and sizes of convolutions and the matrix of a pass, as internal/op/cudnn.go computes them."""
    of = lambda f: np.array([f(r) for r in rows], dtype=np.int64)
    batch, groups = of(lambda r: r["x"][0]), of(lambda r: r["groups"])
    source, to = of(lambda r: r["x"][1]), of(lambda r: r["y"][1])
    pin, pout = of(lambda r: product(r["x"][2:])), of(lambda r: product(r["y"][2:]))
    taps, weights = of(lambda r: product(r["w"][2:])), of(lambda r: product(r["w"]))
    a, b = source // groups, to // groups
    up = lambda n, k: -(-n // k)
    feature = dict(
        batch=batch, groups=groups, channelsIn=source, channelsOut=to, groupIn=a, groupOut=b, taps=taps, reach=of(lambda r: max(r["w"][2:])),
        stride=of(lambda r: max((2 * max(i, o) + min(i, o)) // (2 * min(i, o)) for i, o in zip(r["x"][2:], r["y"][2:]))),
        dilation=of(lambda r: max(r["dilation"])), axes=of(lambda r: len(r["x"]) - 2), transposed=of(lambda r: int(r["transposed"])),
        line=of(lambda r: int(len(r["w"]) == 4 and r["w"][2] != r["w"][3])), side=of(lambda r: max(r["x"][2:] + r["y"][2:])),
        pixelsIn=pin, pixelsOut=pout, allIn=batch * pin, allOut=batch * pout, weights=weights, elemsIn=batch * pin * source, elemsOut=batch * pout * to,
        tilesOut=up(batch * pout, 128) * up(to, 128), tilesIn=up(batch * pin, 128) * up(source, 128), tilesWeight=up(to, 128) * up(a * taps, 128),
        in8=a % 8, out8=b % 8, in32=a % 32, out32=b % 32, in64=a % 64, out64=b % 64, depth=a * taps, widens=16 * to // source, multiplications=batch * pout * to * a * taps)
    align = 16 // width
    pad, two = lambda c: up(c, align) * align, lambda c: 2 ** np.ceil(np.log2(c)).astype(np.int64)
    x, y = batch * pin, batch * pout
    size = dict(x=x * source * width, y=y * to * width, w=weights * width, xPadded=x * pad(source) * width, yPadded=y * pad(to) * width,
                wPadded=groups * taps * pad(a) * np.where(groups > 1, b, pad(b)) * width,
                xGroups=x * groups * two(a) * width, yGroups=y * groups * two(b) * width, wGroups=groups * two(a) * two(b) * taps * width,
                sums=weights * 4, sumsPadded=groups * taps * pad(a) * np.where(groups > 1, b, pad(b)) * 4, images=batch * weights * 4, tiles=np.full(len(rows), TILE), pixels=y * taps * 16,
                fourier=np.where(feature["side"] + feature["reach"] - 1 <= 32, (batch * (source + to) + source * to) * 6912, 0),
                unrolled=y * source * taps * width)
    squares = of(lambda r: r["x"][0] * product(-(-n // 4) for n in r["y"][2:]))
    size["winograd"] = np.where((feature["axes"] == 2) & (feature["reach"] == 3) & (taps == 9), 144 * (squares * (source + to) + source * to), 0)
    matrix = dict(forward=(y, b), input=(x, a), weight=(b, a * taps))[way]
    return feature, size, (*matrix, groups)


def split(matrix, rows, columns, less):
    """The parts of tiles in 32 bits where the last wave of tiles is split so that it fills the card."""
    m, n, groups = matrix
    tiles = -(-m // rows) * -(-n // columns) * groups
    left = (tiles - 1) % PROCESSORS + 1
    return left * (PROCESSORS // left - less) * rows * columns * 4


def forms():
    """What a leaf can be, as multiples of sizes."""
    out = [{}]
    for t in ("x", "y", "w", "x y", "x w", "y w", "x y w", "x x y w", "x y y w", "x x y y w", "x x y w w", "xPadded y wPadded", "xPadded yPadded wPadded", "xPadded yPadded", "x xPadded y w", "images",
              "xGroups yGroups wGroups", "xGroups xGroups yGroups wGroups", "xGroups xGroups yGroups wGroups wGroups", "xPadded y wPadded pixels", "fourier"):
        out.append({k: t.split().count(k) for k in t.split()})
    copies, padded = dict(x=1, y=1, w=1), dict(xPadded=1, yPadded=1, wPadded=1)
    out += [dict(winograd=1), dict(unrolled=1), dict(padded, unrolled=1), dict(padded, xPadded=2), dict(padded, x=1), dict(x=1, y=1, xPadded=1, yPadded=1, wPadded=1)]
    out += [dict(sums=n) for n in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128)]
    out += [dict(copies, sums=n) for n in (.25, .5, .75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 23, 24, 25, 28, 30, 32, 36, 40, 48, 56, 64, 80, 96, 128, 160, 200)]
    out += [dict(padded, sumsPadded=n) for n in (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 36, 42, 48, 56, 64, 67, 80, 96, 112, 128, 192, 256, 384)] + [dict(x=1, y=1, xPadded=1, sums=n) for n in (1, 8, 16, 32, 64, 128, 256)]
    for rows, columns in ((32, 32), (32, 64), (32, 128), (32, 256), (64, 32), (64, 64), (64, 128), (64, 256), (128, 64), (128, 128), (128, 256), (256, 64), (256, 128)):
        out += [dict(base, rows=rows, columns=columns, less=less) for base in (copies, padded) for less in (0, 1)]
    out += [dict(copies, tiles=n) for n in (4, 8, 12, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 160, 192, 256, 264, 320, 400, 528, 700)]
    out += [dict(xGroups=1, yGroups=1, wGroups=n) for n in (2, 4, 7, 8, 14, 16, 25, 28)]
    return out + [dict(copies, images=1 / n) for n in (2, 4, 8, 16, 32, 64)]


FORMS = forms()


class Tree:
    def __init__(self, rows, way, width):
        feature, size, matrix = columns(rows, way, width)
        self.names, self.features = list(feature), np.stack(list(feature.values()), 1)
        self.said = np.stack([sum((size[k] * n for k, n in f.items() if k in size), np.zeros(len(rows))) for f in FORMS], 1)
        for k, f in enumerate(FORMS):
            if "rows" in f:
                self.said[:, k] += split(matrix, f["rows"], f["columns"], f["less"])
        self.is_ = np.array([r[way] for r in rows], dtype=float)
        self.scale = (size["x"] + size["y"] + size["sums"]) + self.is_
        weight = np.array([(1 if r["source"] != "grid" else .5) * (.5 if r["dtype"] == "fp16" else 1) for r in rows])
        self.loss = (np.minimum(1, np.abs(self.said - self.is_[:, None]) / self.scale[:, None]) * weight[:, None]).astype(np.float32)
        self.aside = np.array([aside(r) for r in rows])
        self.nodes, self.heap = [], []
        self.add(np.where(~self.aside)[0])
        leaves = 1
        while self.heap and leaves < LEAVES and -self.heap[0][0] > .2:
            _, i, (_, j, at) = heapq.heappop(self.heap)
            n = self.nodes[i]
            low = self.features[n["rows"], j] <= at
            n.update(feature=j, most=int(at), low=self.add(n["rows"][low]), high=self.add(n["rows"][~low]))
            leaves += 1

    def add(self, rows):
        self.nodes.append(dict(rows=rows, form=int(self.loss[rows].sum(0).argmin())))
        if best := self.best(rows):
            heapq.heappush(self.heap, (-best[0], len(self.nodes) - 1, best))
        return len(self.nodes) - 1

    def best(self, rows):
        """The split that gains most: gain, feature, and the most that goes to the left."""
        n, top = len(rows), (1e-6,)
        if n < 2 * LEAST:
            return None
        sums = self.loss[rows].sum(0)
        near = np.union1d(np.argsort(sums)[:40], np.bincount(self.loss[rows].argmin(1), minlength=len(FORMS)).argsort()[-25:])
        loss = self.loss[np.ix_(rows, near)]
        for j in range(self.features.shape[1]):
            order = np.argsort(self.features[rows, j], kind="stable")
            v = self.features[rows, j][order]
            cut = np.nonzero(v[1:] > v[:-1])[0] + 1
            cut = cut[(cut >= LEAST) & (cut <= n - LEAST)]
            if len(cut) > 64:
                cut = cut[np.linspace(0, len(cut) - 1, 64).astype(int)]
            if len(cut):
                left = np.add.reduceat(loss[order], np.r_[0, cut], axis=0).cumsum(0)
                gain = sums.min() - (left[:-1].min(1) + (left[-1] - left[:-1]).min(1))
                if gain.max() > top[0]:
                    k = cut[gain.argmax()]
                    top = (float(gain.max()), j, int((v[k - 1] + v[k]) // 2))
        return top if len(top) > 1 else None

    def errors(self, rows):
        out = []
        for i in rows:
            n = self.nodes[0]
            while "low" in n:
                n = self.nodes[n["low"] if self.features[i, n["feature"]] <= n["most"] else n["high"]]
            out.append(abs(self.said[i, n["form"]] - self.is_[i]) / self.scale[i])
        return np.array(out)

    def packed(self):
        """Numbers of each node: feature, most, number of the node above; or -1 and a form. The node below follows."""
        out = []

        def put(k):
            n, at = self.nodes[k], len(out)
            if "low" not in n:
                out.append([-1, n["form"], 0])
                return
            out.append([n["feature"], n["most"], 0])
            put(n["low"])
            out[at][2] = len(out)
            put(n["high"])
        put(0)
        return out


def main():
    rows = list({key(r): r for r in map(json.loads, gzip.open(sys.argv[1], "rt"))}.values())
    rows = [r for r in rows if not (r["groups"] > 1 and r["groups"] == r["x"][1] and not r["transposed"])]  # PyTorch's own kernels
    trees, names = {}, None
    for width, dtypes in ((2, ("bf16", "fp16")), (4, ("fp32",))):
        some = [r for r in rows if r["dtype"] in dtypes]
        for way in ("forward", "input", "weight"):
            t = Tree(some, way, width)
            trees[f"{way}{8 * width}"], names = t.packed(), t.names
            for what, test in (("of networks", lambda r: r["source"] != "grid"), ("of the grid", lambda r: r["source"] == "grid")):
                e = t.errors([i for i, r in enumerate(some) if t.aside[i] and test(r)])
                print(way, 8 * width, "bits, set aside", what, len(e), "mean %.3f, within 1 %% %.2f, within 5 %% %.2f, p90 %.3f" % (e.mean(), (e < .01).mean(), (e < .05).mean(), np.quantile(e, .9)), len(t.nodes), "nodes", flush=True)
    used = sorted({n[1] for t in trees.values() for n in t if n[0] < 0})
    for t in trees.values():
        for n in t:
            n[1] = used.index(n[1]) if n[0] < 0 else n[1]
    with open(sys.argv[2], "w") as f:
        f.write('{"source":"truth/workspaces-cudnn.jsonl.gz","card":"NVIDIA H200","library":"PyTorch 2.11.0, CUDA 13.0, cuDNN 9.19","date":"2026-11-18","rows":%d,\n' % len(rows))
        f.write('"features":%s,\n"forms":[\n%s\n],\n"trees":{\n' % (json.dumps(names), ",\n".join(json.dumps(FORMS[k]) for k in used)))
        f.write(",\n".join('"%s":[%s]' % (k, ",\n".join(",".join(map(str, n)) for n in t)) for k, t in trees.items()) + "\n}}\n")


main()
