"""The uploads that retained checkpoints and savepoints name, read without a job.

A checkpoint's files are Flink's, so Flink's own code reads them: ``io.partitionbridge.state.CheckpointEntries`` of the shim's
jar, run with the jars of a Flink home. It prints raw entries; decoding is done here by the one Python codec.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partition_bridge.entries import Entry, decode
from partition_bridge.errors import Configuration, Fail
from partition_bridge.flink_jvm import found_java, reason, run_main

_MAIN = "io.partitionbridge.state.CheckpointEntries"


@dataclass(frozen=True)
class Retained:
    """``newest_ms``: when the newest of the checkpoints was written (epoch milliseconds), None without any."""

    entries: list[Entry]
    newest_ms: int | None


def retained(flink_home: Path, shim_jar: Path, checkpoints: Sequence[str]) -> Retained:
    """What the checkpoints hold.

    ``checkpoints`` are checkpoint or savepoint directories, ``_metadata`` files, or directories up to two levels above them, local
    or URIs of a file system that this Flink knows. Raises ``Configuration`` without a JVM, ``Fail`` where one of them can't be
    read: a checkpoint that isn't read is never one without entries (I6).
    """
    if not checkpoints:
        return Retained([], None)
    java = found_java()
    if java is None:
        raise Configuration("reading checkpoints needs Java 17, and there is no java: install it, or set JAVA_HOME")
    # Credentials for checkpoints on S3 are in Flink's configuration, which Flink finds by these.
    folders = {"FLINK_CONF_DIR": str(flink_home / "conf"), "FLINK_PLUGINS_DIR": str(flink_home / "plugins")}
    done = run_main(java, [shim_jar], flink_home / "lib", _MAIN, checkpoints, {**folders, **os.environ})
    if done.returncode != 0:
        raise Fail(f"can't read {', '.join(checkpoints)}: {reason(done.stderr)}")
    lines = _lines(done.stdout)
    entries = [decode(base64.b64decode(line["entry"])) for line in lines if "entry" in line]
    return Retained(entries, max(line["written_ms"] for line in lines if "written_ms" in line))


def named_uploads(entries: Iterable[Entry]) -> frozenset[tuple[str, str]]:
    """Key and upload id of every upload that a restore from one of the entries would complete."""
    return frozenset((entry.key, entry.upload_id) for entry in entries if entry.upload_id is not None)


def _lines(output: str) -> list[dict[str, Any]]:
    # Flink's logging may share standard output.
    return [json.loads(line) for line in output.splitlines() if line.startswith('{"checkpoint": ')]
