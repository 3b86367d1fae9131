"""The checks in their order: what one needs of another is looked at first, and what can't be looked at says why."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from partition_bridge.doctor.factories import judge_factories, judge_file_system, judge_format
from partition_bridge.doctor.finding import Finding, State, fail, skip
from partition_bridge.doctor.flink import check_jar, check_line, check_plugin_folder, check_takeover
from partition_bridge.doctor.java import find_java, judge_java, judge_java_home, version_of
from partition_bridge.doctor.python import judge_interpreter, judge_packages, look_at, minima
from partition_bridge.doctor.set_up import SetUp, judge_configuration, set_up
from partition_bridge.doctor.store import Table, examine_store
from partition_bridge.errors import Configuration, Fail
from partition_bridge.install.flink_home import FlinkHome, find_flink_home
from partition_bridge.install.shim import own_jar, package_version


@dataclass(frozen=True)
class Patient:
    """What is looked at. Folders are None for Flink's usual ones. ``python``: a table's own 'python.executable'."""

    flink_home: Path | None = None
    lib: Path | None = None
    plugins: Path | None = None
    conf: Path | None = None
    file_format: str = "parquet"
    python: str | None = None
    table: Table | None = None


def examine(patient: Patient) -> Iterator[Finding]:
    """Each finding as soon as it's known. Raises ``Configuration`` where this package itself isn't whole."""
    own = own_jar()
    try:
        home = find_flink_home(patient.flink_home, patient.lib, patient.plugins, patient.conf)
    except Configuration as wrong:
        yield fail(
            "Flink", str(wrong), "name the folder that holds lib/flink-dist-….jar with --flink-home, or its lib folder with --lib"
        )
        yield skip("everything else", "there is no Flink to look at")
        return
    line, plugin = check_line(home), check_plugin_folder(home)
    yield from (line, check_jar(home, own), check_takeover(home), plugin)
    java = find_java(home.conf, os.environ)
    judged = judge_java(java, version_of(java.program) if java.program else None)
    if judged.state is State.FAIL or java.program is None:
        yield judged
        yield skip("configuration", "without Java nothing reads it; neither are factories and the writers' Python looked at")
        return
    try:
        found = set_up(java.program, home, own, patient.table.root if patient.table else None)
    except Fail as broken:
        yield judged
        yield fail(
            "configuration",
            f"this Flink's classes can't read it: {broken}",
            f"see that {home.lib} has the jars of one Flink, and nothing else of Flink",
        )
        return
    yield judge_java_home(java, found.java_home) or judged
    yield from _of_flink(found, home, plugin, patient)


def _of_flink(found: SetUp, home: FlinkHome, plugin: Finding, patient: Patient) -> Iterator[Finding]:
    yield judge_configuration(home, found)
    yield judge_factories(found)
    yield judge_format(found, home, patient.file_format)
    if found.configuration_error is not None:
        # What Flink would take instead isn't what a person has written.
        yield skip("everything else", "plugin, Python and store are named in the configuration")
        return
    file_system = judge_file_system(found, plugin)
    if file_system is not None:
        yield file_system
    interpreter = look_at(patient.python or found.python, found.python_environment)
    yield judge_interpreter(interpreter, package_version())
    yield judge_packages(interpreter, minima())
    if patient.table is not None:
        yield from examine_store(found, patient.table, interpreter)
