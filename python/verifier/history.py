"""Writes what became of a run to the history of the hosted service, where its address and key are in the environment."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Optional

from verifier.errors import Unreadable

__all__ = ["KEY", "URL", "configured", "write"]

URL, KEY = "VERIFIER_URL", "VERIFIER_API_KEY"


def configured() -> bool:
    """Whether the environment names a service and a key."""
    return bool(os.environ.get(URL) and os.environ.get(KEY))


def write(
    fingerprint: str,
    metric: str,
    value: float,
    *,
    epochs: Optional[int] = None,
    wall_seconds: Optional[float] = None,
    cost_usd: Optional[float] = None,
    source: str = "python",
    timeout: float = 10.0,
) -> str:
    """Keeps one outcome of a structure: ``written``, or ``already`` where it is there. The fingerprint is sent, and no model."""
    server = os.environ.get(URL, "")
    if urllib.parse.urlsplit(server).scheme not in ("http", "https"):
        raise Unreadable("%s is %r but must begin with http:// or https://" % (URL, server))
    body: Dict[str, Any] = {"fingerprint": fingerprint, "metric": metric, "value": float(value), "source": source}
    for key, figure in (("epochs", epochs), ("wallSec", wall_seconds), ("estCostUsd", cost_usd)):
        if figure is not None:
            body[key] = figure
    request = urllib.request.Request(
        server.rstrip("/") + "/api/v1/history",
        data=json.dumps(body).encode(),
        method="POST",
        headers={"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get(KEY, "")},
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answered:
            return str(json.load(answered).get("ledger", ""))
    except urllib.error.HTTPError as e:
        said = error(e.read())
        raise Unreadable(str(said.get("error") or "the service answered %d" % e.code), said) from None
    except (urllib.error.URLError, OSError) as e:
        raise Unreadable("%s cannot be reached: %s" % (server, getattr(e, "reason", e))) from None


def error(data: bytes) -> Dict[str, Any]:
    try:
        body = json.loads(data)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
