"""Finds the program and calls it. It is a single file that every wheel carries for its own platform."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Optional, Sequence

from verifier.errors import NoBinary, Unreadable, VerifierFault

NAME = "verifier.exe" if sys.platform == "win32" else "verifier"

REFUSED, UNUSABLE = 1, 2  # exit codes: a finding fails, wrong usage or unreadable input


def locate() -> str:
    """The program: that of ``VERIFIER_BINARY``, else the one that came with the package, else one on the path."""
    given = os.environ.get("VERIFIER_BINARY")
    if given:
        if not os.path.isfile(given):
            raise NoBinary("VERIFIER_BINARY is %r, where no file is" % given)
        return given
    own = Path(__file__).with_name("bin") / NAME
    if own.is_file():
        return str(own)
    found = shutil.which(NAME)
    if found and not script(found):
        return found
    raise NoBinary(
        "model-verifier has no program for %s %s: install the wheel of this platform, or build it with "
        "go install github.com/modelverifier/verifier/cmd/verifier@latest" % (platform.system(), platform.machine())
    )


def script(path: str) -> bool:
    """Whether a file is a script, as the command of this package is: calling it would come back here."""
    try:
        with open(path, "rb") as f:
            return f.read(2) == b"#!"
    except OSError:
        return True


def refused(program: str, e: OSError) -> str:
    """What to say where the system does not start the program."""
    return (
        "%s does not run on %s %s (%s): it is the program of another platform; reinstall with pip install --force-reinstall model-verifier"
        % (program, platform.system(), platform.machine(), e.strerror or e)
    )


def run(args: Sequence[str], stdin: Optional[bytes] = None) -> bytes:
    """What the program prints. A model that is refused is an answer like any other."""
    program = locate()
    try:
        done = subprocess.run(
            [program, *args],
            input=stdin if stdin is not None else b"",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
        )
    except OSError as e:
        raise NoBinary(refused(program, e)) from None
    if done.returncode in (0, REFUSED):
        return done.stdout
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode == UNUSABLE:
        body = error_body(done.stdout)
        raise Unreadable(str(body.get("error") or last(said)), body)
    raise VerifierFault("%s %s ended with %d: %s" % (NAME, " ".join(args[:1]), done.returncode, last(said)))


def answer(args: Sequence[str], stdin: Optional[bytes] = None) -> Dict[str, Any]:
    """The body that a command prints with ``--json``."""
    out = run([*args, "--json"], stdin)
    try:
        body = json.loads(out)
    except ValueError:
        raise VerifierFault("%s %s printed what is not JSON" % (NAME, args[0])) from None
    if not isinstance(body, dict):
        raise VerifierFault("%s %s printed a %s" % (NAME, args[0], type(body).__name__))
    return body


def error_body(out: bytes) -> Dict[str, Any]:
    try:
        body = json.loads(out)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def last(said: str) -> str:
    """The words of an error: all lines but notes and the pointer to --help."""
    lines = [x for x in said.splitlines() if x.strip() and not x.startswith("note")]
    text = " ".join(x.strip() for x in lines) or said or "it said nothing"
    for prefix in ("error: ", "Error: ", "verifier: "):
        if text.startswith(prefix):
            text = text[len(prefix) :]
    return text
