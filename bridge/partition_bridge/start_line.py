"""The line of JSON that the shim writes to a process' standard input (docs/protocol.md, "Start"): what all its kinds have in common."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from partition_bridge.errors import Configuration

PROTOCOL = 1


def fields(line: str, known: Collection[str], role: str) -> dict[str, Any]:
    """Exactly the ``known`` fields. ``role`` names the process for people.

    Raises ``Configuration`` naming the field at fault, never its value: it may be a secret.
    """
    try:
        raw = json.loads(line)
    except ValueError:
        raise Configuration(
            f"the first line of standard input isn't JSON; the {role} is started by the sink, not by hand"
        ) from None
    if not isinstance(raw, dict):
        raise Configuration("the first line of standard input isn't a JSON object")
    if raw.pop("protocol", None) != PROTOCOL:
        raise Configuration(
            f"the jar and the Python package speak different protocols; this package speaks {PROTOCOL}: install both from one release"
        )
    if set(raw) != set(known):
        missing, unknown = sorted(set(known) - set(raw)), sorted(set(raw) - set(known))
        raise Configuration(
            f"the start message lacks {missing} and has unknown {unknown}: install jar and Python package from one release"
        )
    return raw
