"""The shim's own report of a Flink (``io.partitionbridge.doctor.SetUpReport``): what a process of that Flink would find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from partition_bridge.doctor.finding import Finding, fail, ok
from partition_bridge.errors import Configuration
from partition_bridge.flink_report import report_of
from partition_bridge.install.flink_home import FlinkHome
from partition_bridge.install.shim import ShimJar
from partition_bridge.store_settings import StoreSettings, parse

_MAIN = "io.partitionbridge.doctor.SetUpReport"


@dataclass(frozen=True)
class TableFactory:
    """A connector or a format by the identifier that a DDL names. ``kind``: connector, or how a format writes, bulk or rows."""

    identifier: str
    kind: str
    name: str
    jar: str


@dataclass(frozen=True)
class Checkpoints:
    """What Flink's configuration says of checkpoints, in milliseconds; a job may say otherwise. ``interval_ms``: None where it says nothing."""

    interval_ms: int | None
    timeout_ms: int
    retained: int


@dataclass(frozen=True)
class SetUp:
    """Errors are None where there is none. ``store`` is None without a table, and where it can't be resolved; it holds secrets (I12)."""

    configuration_error: str | None
    java_home: str | None
    checkpoints: Checkpoints
    python: str
    python_environment: Mapping[str, str] = field(repr=False)
    factories: Sequence[TableFactory]
    factory_errors: Sequence[str]
    hadoop_error: str | None
    file_system: str | None
    file_system_error: str | None
    ignored_by_plugin: Sequence[str]
    fallback: tuple[str, str] | None
    store: StoreSettings | None
    store_error: str | None


def set_up(java: str, home: FlinkHome, own: ShimJar, bucket: str | None) -> SetUp:
    """``bucket`` with its scheme, s3://lake. Raises ``Fail`` where the JVM gives no report."""
    return read(report_of(java, home, own, _MAIN, "set_up", arguments=[] if bucket is None else [bucket]))


def read(told: Mapping[str, Any]) -> SetUp:
    """The report as values."""
    configuration = told["configuration"]
    fallback, store, store_error = told.get("fallback"), None, told.get("store_error")
    try:
        store = parse(told["store"]) if told.get("store") else None
    except Configuration as wrong:
        store_error = str(wrong)
    return SetUp(
        configuration_error=told["configuration_error"],
        java_home=configuration["java_home"],
        checkpoints=Checkpoints(
            configuration["checkpoint_interval_ms"],
            configuration["checkpoint_timeout_ms"],
            configuration["checkpoints_retained"],
        ),
        python=told["python"]["executable"],
        python_environment=told["python"]["environment"],
        factories=[
            TableFactory(each["identifier"], each["kind"], each["class"], each["jar"])
            for each in (*told["connectors"], *told["formats"])
        ],
        factory_errors=told["factory_errors"],
        hadoop_error=told["hadoop_error"],
        file_system=told["file_system"],
        file_system_error=told["file_system_error"],
        ignored_by_plugin=told["ignored_by_plugin"],
        fallback=(fallback["key"], fallback["remedy"]) if fallback else None,
        store=store,
        store_error=store_error,
    )


def judge_configuration(home: FlinkHome, found: SetUp) -> Finding:
    """``config.yaml`` as Flink itself reads it."""
    if found.configuration_error is not None:
        return fail(
            "configuration",
            " ".join(found.configuration_error.split()),
            f"mend {home.conf / 'config.yaml'}; Flink 2 reads no other file. Where it lies elsewhere, name its folder with --conf",
        )
    interval = found.checkpoints.interval_ms
    every = "no checkpoint interval, so a job has to set one" if interval is None else f"checkpoints every {interval / 1000:g} s"
    return ok("configuration", f"{home.conf / 'config.yaml'}; {every}")
