"""The requests of the task, one after the other, answered by a ``Metastore`` that is given time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from partition_bridge.errors import ProtocolViolation
from partition_bridge.faultpoint import Reach
from partition_bridge.metastore.protocol import AlreadyThere, Metastore, Unavailable

Answer = TypeVar("Answer")

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0


class Requests(Protocol):
    """What the task asks (docs/protocol.md, "The metastore's process")."""

    def next(self) -> Any: ...

    def answered(self, request: int, answer: str | None) -> None: ...


class Patience:
    """Repeats a call that a metastore gives no clear answer to, with pauses that grow, for so many seconds.

    ``clock`` gives seconds, ``sleep`` takes them; ``warn`` is for people.
    """

    def __init__(
        self, seconds: float, clock: Callable[[], float], sleep: Callable[[float], None], warn: Callable[[str], None]
    ) -> None:
        self._seconds, self._clock, self._sleep, self._warn = seconds, clock, sleep, warn

    def ask(self, call: Callable[..., Answer], *arguments: Any) -> Answer:
        """Raises the last ``Unavailable`` when the time is over, and any other error at once."""
        since, pause, tries = self._clock(), _FIRST_PAUSE, 1
        while True:
            try:
                return call(*arguments)
            except Unavailable as silent:  # noqa: PERF203  # a retry is what the loop is for
                left = self._seconds - (self._clock() - since)
                if left <= 0:
                    raise Unavailable(
                        f"the metastore gave no answer in {tries} tries over {self._seconds:.0f} s ('metastore.retry-timeout'): {silent}. "
                        "The partitions that wait are announced after the restart, once the metastore answers"
                    ) from silent
                if tries == 1:
                    self._warn(f"the metastore gives no answer and is asked again for up to {self._seconds:.0f} s: {silent}")
                self._sleep(min(pause, left))
                pause, tries = min(2 * pause, _LONGEST_PAUSE), tries + 1


def serve(requests: Requests, metastore: Metastore, patience: Patience, reach: Reach) -> None:
    """Returns when the task has no more requests."""
    while (request := requests.next()) is not None:
        requests.answered(request["request"], _answer(request, metastore, patience, reach))
    metastore.close()


def _answer(request: Any, metastore: Metastore, patience: Patience, reach: Reach) -> str | None:
    if request["ask"] == "check":
        patience.ask(metastore.check)
        return None
    if request["ask"] == "location":
        return patience.ask(metastore.location, request["values"])
    if request["ask"] == "put":
        values, location = request["values"], request["location"]
        reach("metastore-before-put", location=location)
        put(metastore, patience, values, location)
        reach("metastore-after-put", location=location)
        return None
    raise ProtocolViolation(f"the task asks for {request['ask']!r}, which this package doesn't know")


def put(metastore: Metastore, patience: Patience, values: Sequence[str], location: str) -> None:
    """Have the metastore know the partition at this location, whatever it knew before; may be repeated."""
    if patience.ask(metastore.location, values) is None:
        try:
            patience.ask(metastore.add, values, location)
        except AlreadyThere:
            patience.ask(metastore.alter, values, location)
    else:
        patience.ask(metastore.alter, values, location)
