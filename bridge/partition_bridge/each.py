"""The same work for each of many items, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(pool: Executor, work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """What ``work`` gives for each, in order. Raises the first error of all, after every other one was tried."""
    done = [pool.submit(work, item) for item in items]
    failures = [failure for future in done if (failure := future.exception()) is not None]
    if failures:
        raise failures[0]
    return [future.result() for future in done]
