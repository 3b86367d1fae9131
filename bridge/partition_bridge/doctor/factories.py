"""Connectors, formats and file systems as Flink finds them on its class path."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from partition_bridge.doctor.finding import Finding, fail, ok, warn
from partition_bridge.doctor.set_up import SetUp, TableFactory
from partition_bridge.install.flink_home import FlinkHome

#: Formats whose writers in Flink are made of Hadoop's classes.
_OF_HADOOP = ("parquet", "orc")
#: Formats that Flink's distribution lacks, with the artifact that brings each.
_ARTIFACTS = {"parquet": "flink-sql-parquet", "orc": "flink-sql-orc", "avro": "flink-sql-avro"}


def judge_factories(found: SetUp) -> Finding:
    """Flink refuses two factories for one identifier, and every statement where one of them can't be loaded."""
    check = "table factories"
    if found.factory_errors:
        return fail(
            check, found.factory_errors[0], "remove the jar that brings it from lib, or put the jar of this Flink's version there"
        )
    groups: dict[tuple[str, str], list[TableFactory]] = defaultdict(list)
    for each in found.factories:
        groups[each.identifier, each.kind].append(each)
    for (identifier, _), group in groups.items():
        if len(group) > 1:
            jars = sorted({Path(each.jar).name for each in group})
            return fail(check, f"several factories for '{identifier}': {', '.join(jars)}", "leave one of these jars in lib")
    connectors = sum(each.kind == "connector" for each in found.factories)
    return ok(check, f"{connectors} connectors, {len(found.factories) - connectors} formats, each once")


def judge_format(found: SetUp, home: FlinkHome, name: str) -> Finding:
    """The format of the table: also with pyarrow Flink plans and reads by its own."""
    check = f"format {name}"
    jars = sorted({Path(each.jar).name for each in found.factories if each.identifier == name and each.kind != "connector"})
    if not jars:
        artifact = _ARTIFACTS.get(name)
        jar = f"{artifact}-{home.version}.jar" if artifact else f"the jar of the format '{name}'"
        return fail(check, f"no jar in {home.lib} has it", f"put {jar} into {home.lib}, or name the table's format with --format")
    if name in _OF_HADOOP and found.hadoop_error is not None:
        return fail(
            check,
            f"{', '.join(jars)} needs Hadoop's classes: {found.hadoop_error}",
            f"put hadoop-client-api and hadoop-client-runtime, both of one version, into {home.lib}, or set HADOOP_CLASSPATH",
        )
    return ok(check, ", ".join(jars) + (", with Hadoop's classes" if name in _OF_HADOOP else ""))


def judge_file_system(found: SetUp, plugin: Finding) -> Finding | None:
    """What the plugin makes of the configuration. Nothing where there is no plugin to ask: that is a finding already."""
    check = "file system"
    if found.file_system is not None and found.ignored_by_plugin:
        return warn(
            check,
            f"{found.file_system.rpartition('.')[2]} ignores {', '.join(found.ignored_by_plugin)}, which hold for data files"
            " but not for _SUCCESS",
            "say it in the plugin's own keys, where it has such (docs/store-keys.md); else use another plugin, or the bucket's own default",
        )
    if found.file_system is not None:
        return ok(check, f"s3:// is {found.file_system.rpartition('.')[2]}'s")
    if plugin.remedy:
        return None
    return fail(
        check,
        str(found.file_system_error),
        "correct the S3 keys of Flink's configuration: _SUCCESS is written through this file system",
    )
