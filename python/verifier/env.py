"""The benchmark of Model Verifier as an environment in the style of Gymnasium.

Start the server with ``verifier bench serve``, and then:

>>> from verifier.env import VerifierEnv
>>> env = VerifierEnv(family="repair", split="train")
>>> observation, info = env.reset(seed=0)
>>> fixes = [f["edit"] for f in observation["findings"] if f.get("edit")]
>>> observation, reward, terminated, truncated, info = env.step(fixes[:1])
>>> observation, reward, terminated, truncated, info = env.step({"submit": True})
>>> terminated, info["grade"]["passed"]
(True, True)

An observation has the task, the model as it is now, what a check finds in it, and its grade as if it were submitted now. A step is a
list of edits, ``{"edits": [...]}``, ``{"model": GRAPH}`` or ``{"submit": True}``. A reward is the change of progress, which is 1 for a
model that passes and else half of the share of constraints that hold: the rewards of an episode add up, and a circle earns nothing.

Tasks are endless, and number n of a family and split is the same task everywhere.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from types import TracebackType
from typing import Any, Dict, List, Optional, Tuple, Type, Union

__all__ = ["DEFAULT_URL", "VerifierEnv", "VerifierError"]

DEFAULT_URL = "http://127.0.0.1:8177"

JSON = Dict[str, Any]
Action = Union[JSON, List[Any]]


class VerifierError(Exception):
    """What the server refused: its message, code, the path of what is wrong, and the values that are allowed there."""

    def __init__(self, status: int, body: JSON) -> None:
        super().__init__(body.get("error", f"status {status}"))
        self.status = status
        self.code: str = body.get("code", "")
        self.path: str = body.get("path", "")
        self.allowed: List[str] = body.get("allowed", [])


class VerifierEnv:
    """One episode after the other on a server that ``verifier bench serve`` started.

    ``reset(seed=n)`` begins task n of the family and split, ``reset()`` the next one, and ``reset(options={"task": "repair/test/17"})``
    a task by its id.
    """

    metadata: JSON = {"render_modes": []}

    def __init__(self, url: str = DEFAULT_URL, *, family: str = "repair", split: str = "train", timeout: float = 60.0) -> None:
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"url is {url!r} but must begin with http:// or https://")
        self.url = url.rstrip("/")
        self.family = family
        self.split = split
        self.timeout = timeout
        self.episode: Optional[str] = None
        self._next = 0

    def reset(self, *, seed: Optional[int] = None, options: Optional[JSON] = None) -> Tuple[JSON, JSON]:
        """Begins an episode, and closes the one before. Returns the observation and ``{"episode", "grade"}``."""
        self.close()
        number = self._next if seed is None else seed
        task = (options or {}).get("task", f"{self.family}/{self.split}/{number}")
        opened = self._call("POST", "/episodes", {"task": task})
        self._next = number + 1
        self.episode = opened["episode"]
        observation: JSON = opened["observation"]
        return observation, {"episode": self.episode, "grade": observation["grade"]}

    def step(self, action: Action) -> Tuple[JSON, float, bool, bool, JSON]:
        """Takes a step. Returns observation, reward, terminated (submitted), truncated (out of steps), and ``{"episode", "grade"}``."""
        if self.episode is None:
            raise RuntimeError("no episode is open: call reset first")
        body = {"edits": action} if isinstance(action, list) else action
        got = self._call("POST", f"/episodes/{self.episode}/steps", body)
        info = {"episode": self.episode, "grade": got["grade"]}
        if got["done"]:
            self.episode = None
        return got["observation"], float(got["reward"]), bool(got["done"] and not got["truncated"]), bool(got["truncated"]), info

    def close(self) -> None:
        """Closes the open episode, if there is one."""
        episode, self.episode = self.episode, None
        if episode is None:
            return
        try:
            self._call("DELETE", f"/episodes/{episode}")
        except VerifierError as e:
            if e.code not in ("episode-ended", "unknown-episode"):
                raise

    def tasks(self, *, start: int = 0, n: int = 5) -> List[JSON]:
        """Lists tasks of the family and split."""
        query = urllib.parse.urlencode({"family": self.family, "split": self.split, "from": start, "n": n})
        tasks: List[JSON] = self._call("GET", "/tasks?" + query)["tasks"]
        return tasks

    def task(self, task: str) -> JSON:
        """Returns a task by its id."""
        return self._call("GET", "/tasks/" + urllib.parse.quote(task))

    def grade(self, task: str, answer: Union[JSON, str]) -> JSON:
        """Grades an answer: ``{"model": GRAPH}``, ``{"edits": [...]}``, a graph, or the text of one of them."""
        return self._call("POST", "/grade", {"task": task, "answer": answer})

    def __enter__(self) -> "VerifierEnv":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def _call(self, method: str, path: str, body: Optional[Any] = None) -> JSON:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                answer: JSON = json.load(response)
                return answer
        except urllib.error.HTTPError as e:
            with e:
                raise VerifierError(e.code, _body(e.read())) from None


def _body(data: bytes) -> JSON:
    """The body of an error; what is no JSON object is its message."""
    try:
        body = json.loads(data)
    except ValueError:
        body = None
    return body if isinstance(body, dict) else {"error": data.decode("utf-8", "replace")[:200]}
