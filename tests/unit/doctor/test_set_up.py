"""What the shim's report says, judged."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from partition_bridge.doctor.factories import judge_factories, judge_file_system, judge_format
from partition_bridge.doctor.finding import State, fail, ok
from partition_bridge.doctor.set_up import TableFactory, judge_configuration, read
from partition_bridge.install.flink_home import FlinkHome

HOME = FlinkHome(Path("/opt/flink"), "2.3.0")
TOLD: dict[str, Any] = {
    "configuration_error": None,
    "configuration": {
        "java_home": None,
        "checkpoint_interval_ms": 10_000,
        "checkpoint_timeout_ms": 600_000,
        "checkpoints_retained": 1,
    },
    "python": {"executable": "python3", "environment": {"PATH": "/bin"}},
    "connectors": [{"identifier": "filesystem", "kind": "connector", "class": "F", "jar": "/lib/files.jar"}],
    "formats": [
        {"identifier": "csv", "kind": "bulk", "class": "C", "jar": "/lib/csv.jar"},
        {"identifier": "csv", "kind": "rows", "class": "D", "jar": "/lib/csv.jar"},
        {"identifier": "parquet", "kind": "bulk", "class": "P", "jar": "/lib/parquet.jar"},
    ],
    "factory_errors": [],
    "hadoop_error": None,
    "file_system": "org.apache.flink.fs.NativeS3FileSystem",
    "file_system_error": None,
    "ignored_by_plugin": [],
}
FOUND = read(TOLD)


def test_a_whole_report_has_nothing_to_mend() -> None:
    """One identifier may be there for each way of writing."""
    plugin = ok("S3 plugin", "there")
    judged = [
        judge_configuration(HOME, FOUND),
        judge_factories(FOUND),
        judge_format(FOUND, HOME, "parquet"),
        judge_file_system(FOUND, plugin),
    ]
    assert [each.state for each in judged if each] == [State.OK] * 4, judged
    assert "every 10 s" in judge_configuration(HOME, FOUND).found


def test_a_missing_interval_is_told_and_no_fault() -> None:
    """A job may set it itself."""
    found = read({**TOLD, "configuration": {**TOLD["configuration"], "checkpoint_interval_ms": None}})
    judged = judge_configuration(HOME, found)
    assert (judged.state, "a job has to set one" in judged.found) == (State.OK, True)


def test_a_configuration_that_flink_cannot_read_is_a_failure() -> None:
    """In Flink's words, with the file's name."""
    judged = judge_configuration(HOME, replace(FOUND, configuration_error="YamlException: tab"))
    assert (judged.state, judged.found) == (State.FAIL, "YamlException: tab")
    assert "/opt/flink/conf/config.yaml" in judged.remedy


def test_two_factories_for_one_identifier_are_a_failure() -> None:
    """With the jars' names, since one of them has to go."""
    twice = replace(FOUND, factories=[*FOUND.factories, TableFactory("parquet", "bulk", "Q", "/lib/other.jar")])
    judged = judge_factories(twice)
    assert judged.state is State.FAIL
    assert judged.found == "several factories for 'parquet': other.jar, parquet.jar"


def test_a_factory_that_cannot_be_loaded_is_a_failure() -> None:
    """Flink fails every statement for it."""
    judged = judge_factories(replace(FOUND, factory_errors=["Provider x not found"]))
    assert (judged.state, judged.found) == (State.FAIL, "Provider x not found")


def test_a_format_needs_its_jar_and_parquet_hadoops_classes() -> None:
    """The format csv needs none of Hadoop's."""
    without = replace(FOUND, hadoop_error="NoClassDefFoundError: x")
    assert judge_format(without, HOME, "csv").state is State.OK
    assert judge_format(without, HOME, "parquet").state is State.FAIL
    assert "hadoop-client-runtime" in judge_format(without, HOME, "parquet").remedy
    orc = judge_format(FOUND, HOME, "orc")
    assert (orc.state, "flink-sql-orc-2.3.0.jar" in orc.remedy) == (State.FAIL, True), "the jar that is missing"


def test_keys_that_hold_for_data_files_only_are_a_warning() -> None:
    """With the keys by their names, and where to look for what the plugin knows."""
    judged = judge_file_system(replace(FOUND, ignored_by_plugin=["fs.s3a.encryption.context"]), ok("S3 plugin", "there"))
    assert judged is not None
    assert judged.state is State.WARN
    assert "NativeS3FileSystem ignores fs.s3a.encryption.context" in judged.found
    assert "docs/store-keys.md" in judged.remedy


def test_a_file_system_that_refuses_the_configuration_is_a_failure_unless_its_plugin_is_one() -> None:
    """One fault, one finding."""
    refused = replace(FOUND, file_system=None, file_system_error="no region")
    judged = judge_file_system(refused, ok("S3 plugin", "there"))
    assert judged is not None
    assert (judged.state, judged.found) == (State.FAIL, "no region")
    assert judge_file_system(refused, fail("S3 plugin", "none", "put it there")) is None


def test_no_value_of_the_environment_is_shown() -> None:
    """A report may be printed by a debugger or in a traceback (I12)."""
    assert "/bin" not in repr(FOUND)
