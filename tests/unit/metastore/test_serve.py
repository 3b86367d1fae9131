"""The metastore's process without a metastore: what it's told, what it asks for again, and whom it finds."""

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from partition_bridge import faultpoint
from partition_bridge.errors import Configuration, ProtocolViolation
from partition_bridge.metastore import lookup, settings
from partition_bridge.metastore.protocol import GROUP, AlreadyThere, Metastore, TableDescription, Unavailable
from partition_bridge.metastore.serve import Patience, serve
from partition_bridge.store_settings import StoreKeys

STARTED = {
    "protocol": 1,
    "gateway_port": 4711,
    "token": "t0ken",
    "kind": "ours",
    "label": "c.d.t",
    "database": "d",
    "table": "t",
    "location": "s3://b/t",
    "columns": [{"name": "id", "sql_type": "BIGINT", "hive_type": "bigint"}],
    "partition_columns": [{"name": "p", "sql_type": "STRING", "hive_type": "string"}],
    "format": "parquet",
    "format_options": {},
    "create_table": False,
    "retry_ms": 60_000,
    "options": {"colour": "red"},
    "store": None,
    "fault_points": None,
}
PUT = {"request": 1, "ask": "put", "values": ["a"], "location": "s3://b/t/p=a"}


class Notes(Metastore):
    """A metastore in memory that notes its calls; the first `silent` of them get no answer."""

    def __init__(self, table: TableDescription | None = None, silent: int = 0) -> None:
        self.table = table
        self.calls: list[str] = []
        self.there: dict[str, str] = {}
        self._silent = silent
        self.refuses_to_add = False

    def check(self) -> None:
        self._note("check")

    def location(self, values: Sequence[str]) -> str | None:
        self._note("location")
        return self.there.get(values[0])

    def add(self, values: Sequence[str], location: str) -> None:
        self._note("add")
        if self.refuses_to_add:
            raise AlreadyThere("by somebody else")
        self.there[values[0]] = location

    def alter(self, values: Sequence[str], location: str) -> None:
        self._note("alter")
        self.there[values[0]] = location

    def close(self) -> None:
        self._note("close")

    def _note(self, call: str) -> None:
        self.calls.append(call)
        if self._silent:
            self._silent -= 1
            raise Unavailable(f"{call}: nobody there")


class Asked:
    """The requests of a task."""

    def __init__(self, *requests: dict[str, Any]) -> None:
        self._requests = list(requests)
        self.answers: list[tuple[int, str | None]] = []

    def next(self) -> dict[str, Any] | None:
        return self._requests.pop(0) if self._requests else None

    def answered(self, request: int, answer: str | None) -> None:
        self.answers.append((request, answer))


class Clock:
    """Time that passes by sleeping only."""

    def __init__(self) -> None:
        self.now = 0.0
        self.said: list[str] = []

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def patience(self, seconds: float) -> Patience:
        return Patience(seconds, lambda: self.now, self.sleep, self.said.append)


def test_a_partition_is_added_and_then_altered() -> None:
    """As Flink's policy asks, and each request is answered once; the end closes."""
    metastore, asked = Notes(), Asked({"request": 1, "ask": "check"}, {**PUT, "request": 2}, {**PUT, "request": 3})
    serve(asked, metastore, Clock().patience(1), faultpoint.nowhere)
    assert metastore.calls == ["check", "location", "add", "location", "alter", "close"], "added once, altered then"
    assert asked.answers == [(1, None), (2, None), (3, None)], "in their order"


def test_a_location_is_the_answer() -> None:
    """None where there's no partition, which Flink's policy takes for a new one."""
    metastore = Notes()
    metastore.there["a"] = "s3://b/t/p=a"
    asked = Asked({"request": 1, "ask": "location", "values": ["a"]}, {"request": 2, "ask": "location", "values": ["b"]})
    serve(asked, metastore, Clock().patience(1), faultpoint.nowhere)
    assert asked.answers == [(1, "s3://b/t/p=a"), (2, None)], "where it is"


def test_one_that_was_added_meanwhile_is_altered() -> None:
    """By an earlier try whose answer was lost, or by somebody else."""
    metastore = Notes()
    metastore.refuses_to_add = True
    serve(Asked(PUT), metastore, Clock().patience(1), faultpoint.nowhere)
    assert metastore.there == {"a": "s3://b/t/p=a"}, "it has our location"


def test_a_metastore_that_is_away() -> None:
    """It's asked again, with pauses, for 'metastore.retry-timeout' and not longer; then the text says what becomes of the partitions."""
    clock, metastore, asked = Clock(), Notes(silent=3), Asked(PUT)
    serve(asked, metastore, clock.patience(60), faultpoint.nowhere)
    assert asked.answers == [(1, None)], "it came back in time"
    assert clock.now == 0.5 + 1 + 2, "pauses grow"
    assert len(clock.said) == 1, "said once"

    clock = Clock()
    with pytest.raises(
        Unavailable, match=r"no answer in \d+ tries over 60 s .*: location: nobody there\. The partitions that wait"
    ):
        serve(Asked(PUT), Notes(silent=1_000), clock.patience(60), faultpoint.nowhere)
    assert clock.now == 60, "no longer than allowed"


def test_a_request_of_another_release_is_refused() -> None:
    """Jar and package belong together."""
    with pytest.raises(ProtocolViolation, match="'drop', which this package doesn't know"):
        serve(Asked({"request": 1, "ask": "drop"}), Notes(), Clock().patience(1), faultpoint.nowhere)


def test_the_start_message() -> None:
    """Everything of the table is there, and nothing that is secret is shown."""
    given = settings.parse(json.dumps(STARTED))
    assert given.table.name == "d.t", "what it's called there"
    assert given.table.partition_columns[0].hive_type == "string", "columns with their types"
    assert given.table.options == {"colour": "red"}, "options of its own"
    assert "t0ken" not in repr(given), "no secret in a repr"
    assert given.secrets() == ("t0ken",), "and the last words know it"


@pytest.mark.parametrize(
    ("change", "message"),
    [({"protocol": 2}, "different protocols"), ({"colour": "red"}, "unknown \\['colour'\\]: install jar and Python package")],
)
def test_a_start_message_of_another_release_is_refused(change: dict[str, Any], message: str) -> None:
    """Not half understood."""
    with pytest.raises(Configuration, match=message):
        settings.parse(json.dumps({**STARTED, **change}))
    with pytest.raises(Configuration, match="isn't JSON"):
        settings.parse("hello")


def test_an_entry_point_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets the table; one that gives something else, or none of the name, is refused in words."""
    points = [
        EntryPoint("ours", f"{__name__}:Notes", GROUP),
        EntryPoint("half", f"{__name__}:Clock.__class__", GROUP),
    ]
    monkeypatch.setattr(lookup, "entry_points", lambda group: [each for each in points if each.group == group])
    given = settings.parse(json.dumps(STARTED))
    found = lookup.find(given, no_keys)
    assert isinstance(found, Notes), "the one of the name"
    assert found.table == given.table, "it knows its table"
    with pytest.raises(
        Configuration,
        match=r"no entry point of the group 'partition_bridge\.metastores' has the name \(there are: .'half', 'ours'",
    ):
        lookup.find(replace(given, kind="others"), no_keys)
    with pytest.raises(Configuration, match="'half' gave a type without check, location, add, alter, close"):
        lookup.find(replace(given, kind="half"), no_keys)


def no_keys() -> StoreKeys:
    """For metastores that aren't Glue."""
    raise AssertionError("nobody asks for the store's keys")
