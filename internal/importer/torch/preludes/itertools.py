"""What the reader does not have of itertools natively. What they give is made at once."""


def permutations(iterable, r=None):
    pool = tuple(iterable)
    r = len(pool) if r is None else r
    out = [()]
    for _ in range(r):
        out = [p + (i,) for p in out for i in range(len(pool)) if i not in p]
    return iter([tuple(pool[i] for i in p) for p in out])


def combinations_with_replacement(iterable, r):
    pool = tuple(iterable)
    out = [()]
    for _ in range(r):
        out = [p + (i,) for p in out for i in range(len(pool)) if len(p) == 0 or i >= p[-1]]
    return iter([tuple(pool[i] for i in p) for p in out])


def starmap(function, iterable):
    return iter([function(*args) for args in iterable])


def filterfalse(predicate, iterable):
    return iter([x for x in iterable if not (predicate(x) if predicate is not None else x)])


def takewhile(predicate, iterable):
    out = []
    for x in iterable:
        if not predicate(x):
            break
        out.append(x)
    return iter(out)


def dropwhile(predicate, iterable):
    out, dropping = [], True
    for x in iterable:
        dropping = dropping and predicate(x)
        if not dropping:
            out.append(x)
    return iter(out)


def compress(data, selectors):
    return iter([x for x, s in zip(data, selectors) if s])


def tee(iterable, n=2):
    items = list(iterable)
    return tuple(iter(list(items)) for _ in range(n))


def groupby(iterable, key=None):
    out = []
    for x in iterable:
        k = x if key is None else key(x)
        if len(out) == 0 or out[-1][0] != k:
            out.append((k, []))
        out[-1][1].append(x)
    return iter([(k, iter(items)) for k, items in out])


def batched(iterable, n):
    items = tuple(iterable)
    return iter([items[i:i + n] for i in range(0, len(items), n)])
