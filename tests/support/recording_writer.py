"""The writer process with a record of what it was started with and of every request that goes to the store.

    python recording_writer.py RECORD -m partition_bridge.writer

stands where `python.executable` points: see `interpreter`. Parts and completions are held for a moment on their way, so that
those which may be under way at the same time are.
"""

import json
import os
import runpy
import shlex
import sys
import threading
import time
import types
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

HELD = 0.2  # seconds
SETTINGS = (
    *("part_size", "upload_concurrency", "commit_concurrency", "checksum", "conditional"),
    *("inline_threshold", "inline_limit", "memory", "missing_upload", "encoder"),
)


@dataclass(frozen=True)
class Start:
    """What the shim has told a writer, without secrets."""

    table: str
    pid: int
    settings: dict[str, Any]


@dataclass(frozen=True)
class Sent:
    """One request; `began` and `ended` are of the machine's monotonic clock."""

    table: str
    pid: int
    method: str
    key: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    began: float
    ended: float

    @property
    def is_part(self) -> bool:
        return self.method == "PUT" and "partNumber" in self.query

    @property
    def is_put(self) -> bool:
        """A whole object by a single request."""
        return self.method == "PUT" and "partNumber" not in self.query

    @property
    def is_completion(self) -> bool:
        return self.method == "POST" and "uploadId" in self.query

    @property
    def size(self) -> int:
        return int(self.headers["content-length"])


class Record:
    """A file that the writers of any number of tables append to."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._read = 0
        self.starts: list[Start] = []
        self._sent: list[Sent] = []

    def interpreter(self) -> str:
        """Path of a program to be `python.executable`."""
        program = self.file.with_name("recording-python")
        command = shlex.join([sys.executable, str(Path(__file__).resolve()), str(self.file)])
        program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        program.chmod(0o755)
        return str(program)

    def sent(self, table: str) -> list[Sent]:
        """All requests of the writers of a table so far, by its SQL name."""
        self._read_on()
        return [each for each in self._sent if each.table.endswith(f".{table}")]

    def start(self, table: str) -> dict[str, Any]:
        """What the first writer of a table was told."""
        self._read_on()
        return next(each.settings for each in self.starts if each.table.endswith(f".{table}"))

    def _read_on(self) -> None:
        with self.file.open("ab+") as log:
            log.seek(self._read)
            new = log.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in map(json.loads, whole.splitlines()):
            if "settings" in line:
                self.starts.append(Start(**line))
            else:
                self._sent.append(Sent(**line))


def at_once(requests: list[Sent]) -> int:
    """The most of these requests that one process had under way at the same time."""
    return max(
        (sum(one.pid == other.pid and other.began <= one.began < other.ended for other in requests) for one in requests),
        default=0,
    )


def crc64nvme(data: Any, start: int = 0) -> int:
    """What awscrt.checksums has under this name: the checksum by the book, slowly."""
    table = []
    for number in range(256):
        value = number
        for _ in range(8):
            value = value >> 1 ^ (0x9A6C9329AC4BC9B5 if value & 1 else 0)
        table.append(value)
    value = start ^ 0xFFFFFFFFFFFFFFFF
    for byte in bytes(data):
        value = value >> 8 ^ table[value & 0xFF ^ byte]
    return value ^ 0xFFFFFFFFFFFFFFFF


def _without_awscrt() -> None:
    # A store checks what is sent, so a wrong checksum wouldn't pass for a right one.
    try:
        import awscrt.checksums  # type: ignore[import-not-found,unused-ignore]  # noqa: F401
    except ImportError:
        package, checksums = types.ModuleType("awscrt"), types.ModuleType("awscrt.checksums")
        checksums.crc64nvme = crc64nvme  # type: ignore[attr-defined]
        package.checksums = checksums  # type: ignore[attr-defined]
        sys.modules.update({"awscrt": package, "awscrt.checksums": checksums})


def main() -> None:
    """Run the module that the shim asked for, with the record."""
    file, program = Path(sys.argv[1]), sys.argv[3]
    from botocore import httpsession

    from partition_bridge import bootstrap

    lock = threading.Lock()
    table = ""

    def note(line: Start | Sent) -> None:
        with lock, file.open("a") as log:
            log.write(json.dumps(asdict(line)) + "\n")

    parse, send = bootstrap.parse, httpsession.URLLib3Session.send

    def parsed(line: str) -> Any:
        nonlocal table
        given = parse(line)
        table = given.table
        note(Start(table, os.getpid(), {name: getattr(given, name) for name in SETTINGS}))
        return given

    def noted(session: Any, request: Any) -> Any:
        url = urlsplit(request.url)
        query = parse_qs(url.query, keep_blank_values=True)
        headers = {name.lower(): str(value) for name, value in request.headers.items() if name.lower() != "authorization"}
        headers = {name: value.removeprefix("b'").removesuffix("'") for name, value in headers.items()}
        began = time.monotonic()
        if "uploadId" in query:
            time.sleep(HELD)
        try:
            return send(session, request)
        finally:
            note(Sent(table, os.getpid(), request.method, unquote(url.path), query, headers, began, time.monotonic()))

    bootstrap.parse = parsed
    httpsession.URLLib3Session.send = noted  # type: ignore[method-assign,assignment]
    _without_awscrt()
    sys.argv = [program]
    runpy.run_module(program, run_name="__main__")


if __name__ == "__main__":
    # The folder of this file isn't for imports: it has names of the standard library's kind.
    sys.path.pop(0)
    main()
