"""``python -m verifier`` and the command ``verifier``: the program itself, in the place of this process where the platform can do that."""

from __future__ import annotations

import os
import subprocess
import sys

from verifier.binary import locate, refused
from verifier.errors import NoBinary


def main() -> int:
    try:
        program = locate()
    except NoBinary as e:
        print(e, file=sys.stderr)
        return 2
    try:
        if os.name == "posix":
            os.execv(program, [program] + sys.argv[1:])
        return subprocess.call([program] + sys.argv[1:])
    except OSError as e:
        print(refused(program, e), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
