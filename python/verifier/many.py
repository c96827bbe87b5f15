"""Many models through one program: what a search space is checked with, a partition at a time."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from typing import IO, Any, Dict, Iterable, Iterator, List, Optional, Union

from verifier.binary import NAME, locate, refused
from verifier.errors import NoBinary, Unreadable, VerifierFault
from verifier.modules import Graph
from verifier.results import Check

__all__ = ["check_many"]

FAULT = 4  # exit code of the program: lines that are refused or cannot be read are answers


def check_many(models: Iterable[Any], *, policy: Optional[str] = None) -> Iterator[Union[Check, Unreadable]]:
    """Whether each of many models runs, in their order, while they come.

    A model is a graph as a dictionary, a ``Graph``, or the body of a request to the HTTP service (a dictionary with ``model``). One that
    cannot be read gives an ``Unreadable`` in the place of its answer, and the others are checked all the same. The program is started
    once and uses every processor; models and answers are streamed, so that neither list is held in memory.

    >>> [r.verdict for r in verifier.check_many([graph, other])]
    ['ask', 'block']

    With Dask or Ray, map it over the partitions:

    >>> bag.map_partitions(lambda part: [r.ok for r in verifier.check_many(part)])
    """
    program = locate()
    args = [program, "check", "-", "--ndjson"] + (["--policy", policy] if policy else [])
    try:
        running = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as e:
        raise NoBinary(refused(program, e)) from None
    assert running.stdin is not None and running.stdout is not None and running.stderr is not None
    failed: List[BaseException] = []
    writer = threading.Thread(target=write, args=(models, running.stdin, failed), daemon=True)
    writer.start()
    try:
        for line in running.stdout:
            yield answer(line)
        said = running.stderr.read().decode("utf-8", "replace").strip()
        code = running.wait()
        writer.join()
        if failed:
            raise failed[0]
        if code >= FAULT or code < 0:
            raise VerifierFault("%s check --ndjson ended with %d: %s" % (NAME, code, said))
    finally:
        running.kill()  # whoever stops early does not wait for the rest
        running.wait()
        running.stdout.close()
        running.stderr.close()


def write(models: Iterable[Any], to: IO[bytes], failed: List[BaseException]) -> None:
    """Hands the models on, a line each. What the caller's own iterator raises is raised where the answers are read."""
    try:
        for model in models:
            to.write(json.dumps(request(model), separators=(",", ":")).encode() + b"\n")
    except BrokenPipeError:
        pass  # the program has ended, and its exit code says why
    except BaseException as e:
        failed.append(e)
    finally:
        try:
            to.close()
        except BrokenPipeError:
            pass


def request(model: Any) -> Dict[str, Any]:
    """The body of a request."""
    if isinstance(model, Graph):
        return {"model": model.model}
    if not isinstance(model, dict):
        kind = "path" if isinstance(model, (str, os.PathLike)) else type(model).__name__
        raise Unreadable("a model among many is a graph, and not a %s: read it first with verifier.read" % kind)
    return model if "model" in model else {"model": model}


def answer(line: bytes) -> Union[Check, Unreadable]:
    """What a line of the program says."""
    body = json.loads(line)
    if "verdict" not in body:
        return Unreadable(str(body.get("error", "")), body)
    return Check.of(body, ())
