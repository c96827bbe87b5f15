"""distutils.version: releases are compared number by number."""


class LooseVersion:
    def __init__(self, vstring=None):
        self.vstring = str(vstring)
        self.version = _parts(self.vstring)

    def __str__(self):
        return self.vstring

    def __eq__(self, other):
        return self.version == _of(other)

    def __lt__(self, other):
        return self.version < _of(other)

    def __le__(self, other):
        return self.version <= _of(other)

    def __gt__(self, other):
        return self.version > _of(other)

    def __ge__(self, other):
        return self.version >= _of(other)


def _parts(text):
    out = []
    for part in text.split("+")[0].split("."):
        if not part.isdigit():
            break
        out.append(int(part))
    return out


def _of(other):
    return other.version if isinstance(other, LooseVersion) else _parts(str(other))


StrictVersion = LooseVersion
