"""What can befall the line between the writer and the store, or the task's gateway, whatever is said on it: by toxiproxy's toxics, and when it's over."""

import threading
import time
from dataclasses import dataclass

from tests.faults.case import Spell
from tests.support.tcpproxy import DOWNSTREAM, UPSTREAM, Line, Toxic

MIB = 1 << 20
LOOK_SECONDS = 0.02

TOXICS = {
    # In the middle of the first request's headers.
    "cut-request": Toxic("limit_data", UPSTREAM, {"bytes": 300}),
    # In the middle of a part.
    "cut-body": Toxic("limit_data", UPSTREAM, {"bytes": MIB}),
    # The server has done it, and of its answer nothing arrives but a piece of the status line.
    "cut-answer": Toxic("limit_data", DOWNSTREAM, {"bytes": 7}),
    "reset-request": Toxic("reset_peer", UPSTREAM, {"timeout": 0}),
    "reset-answer": Toxic("reset_peer", DOWNSTREAM, {"timeout": 0}),
    # Nothing arrives and nothing ends, until the client's patience does.
    "no-answer": Toxic("timeout", DOWNSTREAM, {"timeout": 0}),
    "no-request": Toxic("timeout", UPSTREAM, {"timeout": 0}),
    # Small pieces, each a moment late.
    "crumbs": Toxic("slicer", UPSTREAM, {"average_size": 64 << 10, "size_variation": 32 << 10, "delay": 5_000}),
    "narrow": Toxic("bandwidth", UPSTREAM, {"rate": 4 << 10}),
    "far": Toxic("latency", DOWNSTREAM, {"latency": 200, "jitter": 100}),
}
HARMLESS = frozenset({"crumbs", "narrow", "far"})
"""Everything arrives."""
GATEWAY = frozenset({"cut-answer", "reset-request", "reset-answer"})
"""What is tried on the writer's calls to the task, too, which are of a few bytes on loopback."""
SILENT = frozenset({"no-answer", "no-request"})
"""Each try takes the client's whole patience: for ever would take minutes, and shows what `reset-*` and `cut-*` show."""


@dataclass
class Broken:
    """`spell` on `line` from now on: for ever, or until the first connection has ended of it."""

    line: Line
    spell: Spell

    def __post_init__(self) -> None:
        self._before = self.line.ended()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self.line.spoil(TOXICS[self.spell.toxic])
        if not self.spell.for_ever and self.spell.toxic not in HARMLESS:
            threading.Thread(target=self._watch, daemon=True).start()

    def struck(self) -> bool:
        """Whether a connection has ended since, and where it's cut in a body not one that carried less."""
        return self.line.ended() - self._before >= TOXICS[self.spell.toxic].attributes.get("bytes", 1)

    def ends(self) -> None:
        """All connections are well again."""
        with self._lock:
            if not self._over.is_set():
                self._over.set()
                self.line.heal()

    def _watch(self) -> None:
        while not (self._over.is_set() or self.struck()):
            time.sleep(LOOK_SECONDS)
        self.ends()
