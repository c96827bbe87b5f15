"""packaging.version: releases are compared number by number."""


class InvalidVersion(ValueError):
    pass


class Version:
    def __init__(self, version):
        self._text = str(version)
        self.release = _release(self._text)
        self.major = self.release[0] if len(self.release) > 0 else 0
        self.minor = self.release[1] if len(self.release) > 1 else 0
        self.micro = self.release[2] if len(self.release) > 2 else 0

    def __str__(self):
        return self._text

    @property
    def base_version(self):
        return ".".join(str(n) for n in self.release)

    def _key(self):
        out = list(self.release)
        while len(out) > 0 and out[-1] == 0:
            out = out[:-1]
        return out

    def __eq__(self, other):
        return self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key()

    def __le__(self, other):
        return self._key() <= other._key()

    def __gt__(self, other):
        return self._key() > other._key()

    def __ge__(self, other):
        return self._key() >= other._key()


def _release(text):
    out = []
    for part in text.split("+")[0].lstrip("v").split("."):
        digits = ""
        for c in part:
            if not c.isdigit():
                break
            digits += c
        if digits == "":
            break
        out.append(int(digits))
        if digits != part:
            break
    return tuple(out)


def parse(version):
    return Version(version)
