"""The shim with one option ignored. It's compiled once, and asks a file for each table which option that is.

The mutation is of the factory: what the DDL says of the option is dropped before anything of the bridge or of Flink reads it,
so that the default applies. The product knows nothing of it.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from tests.support.flink import ROOT
from tests.support.shim_source import built_jar, copy_shim, edited, maven

FOLDER = ROOT / "build" / "option-proofs"
_IGNORED = FOLDER / "ignored-option"
_TREE = FOLDER / "java-shim"
TABLE = Path("src/main/java/io/partitionbridge/table")
_EDITS = (
    (
        "public DynamicTableSink createDynamicTableSink(Context context) {",
        "public DynamicTableSink createDynamicTableSink(Context given) { Context context = IgnoredOption.of(given, true);",
    ),
    (
        "public DynamicTableSource createDynamicTableSource(Context context) {",
        "public DynamicTableSource createDynamicTableSource(Context given) { Context context = IgnoredOption.of(given, false);",
    ),
)


def mutated(factory: str) -> str:
    """The source of the factory with the mutation. Raises `AssertionError` where it doesn't fit any more."""
    for before, after in _EDITS:
        factory = edited(factory, before, after)
    return factory


def build(commit: str) -> None:
    """Compile shim and tests with the mutation, in a copy of the tree; unless that has been done for this commit."""
    done = _TREE / "built-for"
    if not commit.endswith("+") and done.exists() and done.read_text() == commit:
        return
    copy_shim(_TREE)
    source = _TREE / TABLE / "BridgeTableFactory.java"
    source.write_text(mutated(source.read_text()))
    shutil.copy(Path(__file__).with_name("IgnoredOption.java"), _TREE / TABLE)
    resources = _TREE / "src" / "main" / "resources"
    (resources / "ignored-option.path").write_text(str(_IGNORED))
    ignore("")
    maven(_TREE, "-Dmaven.test.skip=true", "package")
    maven(_TREE, "test-compile")
    done.write_text(commit)


def jar() -> Path:
    """The shim with the mutation."""
    return built_jar(_TREE)


def ignore(key: str) -> None:
    """From now on tables are planned as if their DDL didn't have the option; "" for none."""
    _IGNORED.parent.mkdir(parents=True, exist_ok=True)
    _IGNORED.write_text(key)


def run_java(tests: Sequence[str]) -> list[Path]:
    """Run tests of the mutated shim; the reports."""
    reports = _TREE / "target" / "surefire-reports"
    shutil.rmtree(reports, ignore_errors=True)
    named = ",".join(test.replace(".", "#") for test in tests)
    maven(_TREE, f"-Dtest={named}", "-Dmaven.test.failure.ignore=true", "surefire:test")
    return sorted(reports.glob("TEST-*.xml"))
