"""pathlib: paths of the repository."""
import os


class PurePath:
    def __init__(self, *parts):
        self._path = os.path.join(*[str(p) for p in parts]) if parts else "."

    def __str__(self):
        return self._path

    __repr__ = __str__

    def __fspath__(self):
        return self._path

    def __truediv__(self, other):
        return Path(os.path.join(self._path, str(other)))

    def __rtruediv__(self, other):
        return Path(os.path.join(str(other), self._path))

    def __eq__(self, other):
        return isinstance(other, PurePath) and str(self) == str(other)

    @property
    def parent(self):
        return Path(os.path.dirname(self._path) or ".")

    @property
    def parents(self):
        out, at = [], self.parent
        while str(at) not in (".", "/"):
            out.append(at)
            at = at.parent
        out.append(at)
        return out

    @property
    def name(self):
        return os.path.basename(self._path)

    @property
    def stem(self):
        return os.path.splitext(self.name)[0]

    @property
    def suffix(self):
        return os.path.splitext(self._path)[1]

    @property
    def parts(self):
        return tuple(p for p in self._path.split("/") if p)

    def joinpath(self, *others):
        return Path(self._path, *others)

    def with_suffix(self, suffix):
        return Path(os.path.splitext(self._path)[0] + suffix)

    def as_posix(self):
        return self._path


class Path(PurePath):
    @classmethod
    def cwd(cls):
        return Path(os.getcwd())

    def resolve(self, strict=False):
        return Path(os.path.abspath(self._path))

    def absolute(self):
        return Path(os.path.abspath(self._path))

    def expanduser(self):
        return self

    def exists(self):
        return os.path.exists(self._path)

    def is_file(self):
        return os.path.isfile(self._path)

    def is_dir(self):
        return os.path.isdir(self._path)

    def mkdir(self, *args, **kwargs):
        pass

    def open(self, mode="r", **kwargs):
        return open(self._path, mode)

    def read_text(self, encoding=None):
        return open(self._path).read()


PosixPath, PurePosixPath = Path, PurePath
