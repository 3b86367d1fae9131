"""Tables whose partitions a metastore lists: where they have to be, and what a reader would have seen meanwhile."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from tests.integration.lake import Table

METASTORE_FIRST = {"sink.partition-commit.policy.kind": "metastore,success-file", "metastore.create-table": "true"}


@dataclass
class Watch:
    """What a reader would have seen: partitions with `_SUCCESS` that the metastore didn't list when it was asked afterwards."""

    looks: int = 0
    seen: set[str] = field(default_factory=set)
    early: set[str] = field(default_factory=set)


@contextmanager
def watched(table: Table, partitions: Callable[[], dict[str, str]], down: tuple[type[Exception], ...] = ()) -> Iterator[Watch]:
    """Look at both all the time, success files first: one that is there has its entry already. `down`: what a look ends with that isn't one."""
    watch, over = Watch(), threading.Event()

    def look() -> None:
        while not over.is_set():
            with suppress(*down):
                complete = set(table.listing().success)
                watch.early |= complete - set(partitions())
                watch.seen |= complete
                watch.looks += 1

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield watch
    finally:
        over.set()
        watcher.join()


def located(table: Table, paths: set[str]) -> dict[str, str]:
    """Where each partition has to be."""
    return {path: f"s3://{table.bucket}/{table.name}/{path.rstrip('/')}" for path in paths}
