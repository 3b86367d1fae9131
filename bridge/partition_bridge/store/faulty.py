"""A store around another that fails on purpose: a fault has a verb and a side.

``before``: the call never reaches the store. ``after``: the store has done it, and the answer is lost.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from partition_bridge.errors import StoreUnavailable
from partition_bridge.store.protocol import Store

_VERBS = frozenset(
    {
        "check_bucket",
        "create",
        "upload_part",
        "complete",
        "abort",
        "list_parts",
        "put",
        "head",
        "get",
        "list_uploads",
        "list_objects",
        "delete",
    }
)


@dataclass
class Fault:
    """The next ``times`` calls of ``verb`` fail with what ``error`` makes, on ``side`` ("before" or "after") of the effect."""

    verb: str
    side: str
    times: int = 1
    error: Callable[[], Exception] = lambda: StoreUnavailable("fault injected")

    def __post_init__(self) -> None:
        if self.verb not in _VERBS or self.side not in ("before", "after"):
            raise ValueError(f"no fault {self.verb}/{self.side}")


def with_faults(store: Store, *faults: Fault) -> Store:
    """``store`` with ``faults``; each fault counts down as it strikes."""
    wrapped: Any = _Faulty(store, faults)
    checked: Store = wrapped
    return checked


class _Faulty:
    def __init__(self, store: Store, faults: tuple[Fault, ...]) -> None:
        self._store = store
        self._faults = faults
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name not in _VERBS:
            return method

        def call(*args: Any, **kwargs: Any) -> Any:
            self._strike(name, "before")
            answer = method(*args, **kwargs)
            self._strike(name, "after")
            return answer

        return call

    def _strike(self, verb: str, side: str) -> None:
        with self._lock:
            due = next((f for f in self._faults if f.verb == verb and f.side == side and f.times > 0), None)
            if due is None:
                return
            due.times -= 1
        raise due.error()
