"""The differences from Flink's files that docs/parity.md admits are these and no others of the footer; its tests exist."""

import re
from pathlib import Path

import pytest

from tests.unit.encode.rows import encode, every_type, leaves, opened

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(
    r"^\| (?!test|---)(?P<subject>.+?) \|.*\| (?P<tests>[^|]+) \|$", (ROOT / "docs" / "parity.md").read_text(), re.MULTILINE
)
NAMES = sorted({name for _, tests in ROWS for name in re.findall(r"`([^`]+)`", tests)})
PYTHON = {path: path.read_text() for path in (ROOT / "tests").rglob("test_*.py")}
JAVA = {path.stem for path in (ROOT / "java-shim" / "src" / "test").rglob("*.java")}


@pytest.mark.parametrize("name", NAMES)
def test_each_test_that_the_page_names_exists(name: str) -> None:
    """A file, a function or a Java class: whoever doubts a row can run what shows it."""
    in_python = any(str(path).endswith("/" + name) or f"def {name}(" in text for path, text in PYTHON.items())
    assert in_python or name in JAVA, f"docs/parity.md names {name}, which isn't there: name the test that shows it now"


def test_the_footer_differs_where_pyarrow_leaves_no_choice() -> None:
    """Root name and writer's name; TIME is annotated as Flink's, which pyarrow does with this flag only."""
    data = encode([every_type("us")])

    assert " schema {" in str(opened(data).schema).replace("field_id=-1", ""), "the root has pyarrow's name, not flink_schema"
    assert opened(data).metadata.created_by.startswith("parquet-cpp-arrow version"), "the footer says who wrote it"
    clock = leaves(data)["clock"]
    assert clock.converted_type == "TIME_MILLIS", "older readers know only this"
    assert "isAdjustedToUTC=true" in str(clock.logical_type), "and pyarrow writes it only with this flag"
