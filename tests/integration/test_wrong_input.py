"""Wrong input is refused, or fails the job, with a message that says what to do (I11); nothing is left in the bucket.

The messages are golden files in tests/golden/messages. `UPDATE_GOLDEN=1` writes them anew: read the difference.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

import pytest

from tests.integration.lake import BUCKET, Lake, Table
from tests.integration.rows import Rows
from tests.support.flink import ROOT
from tests.support.rest import RestFailed

GOLDEN = ROOT / "tests" / "golden" / "messages"
ROWS = Rows(100)
NO_RESTART = {"restart-strategy.type": "none"}
CAUSE = re.compile(
    r"^(?:Caused by: )?(?:[a-z]\w*\.)+[A-Z][\w$]*: (.*?)(?=^\s+at |^\s+\.\.\. |^Caused by: |^End of exception|\Z)",
    re.MULTILINE | re.DOTALL,
)
WRAPPERS = ("Failed to execute", "Failed to fetchResults", "Recovery is suppressed", "org.apache.flink.", "java.")
"""What Flink wraps around the cause and says the same of every failure."""

RUN_DEPENDENT = {
    r"127\.0\.0\.1:\d+": "127.0.0.1:<port>",
    r"(?<![\w-])t\d+(?=[/\s'\",.:;]|$)": "<table>",
    re.escape(sys.executable): "<python>",
    re.escape(tempfile.gettempdir()) + r"/[^\s'\":;,]+": "<path>",
    r"70627269-[0-9a-f-]{27}(-\d+-\d+)?": "<file>",
    r"request [^,)]+(, [0-9A-Z]{16})*": "request <id>",
    r"/p=\d/": "/p=<value>/",
    r"\b[Ww]riter \d+": "writer <pid>",
    r'(\s+File "[^"]*", line \d+, in .*\n(    .*\n)*)+': "\n  <frames>\n",
}


REFUSED = {
    "unknown-option": {"sink.upload.part-sise": "5 mb"},
    "unknown-format": {"format": "parkett"},
    "bad-policy-kind": {"sink.partition-commit.policy.kind": "success-file, custom"},
    "part-size-too-small": {"sink.upload.part-size": "1 mb"},
}
"""Options that planning refuses."""


def told(text: str) -> str:
    """What a chain of Java causes tells, outermost first, without what differs from run to run."""
    messages = [each.strip() for each in CAUSE.findall(text.replace("<Exception on server side:\n", ""))]
    telling: list[str] = []
    for each in messages:
        # A wrapped cause often says again what its wrapper has quoted.
        if not each.startswith(WRAPPERS) and not any(each in outer for outer in telling):
            telling.append(each)
    assert telling, f"no message in {text}"
    message = "\n".join(telling) + "\n"
    for pattern, instead in RUN_DEPENDENT.items():
        message = re.sub(pattern, instead, message)
    return message


def check(name: str, text: str) -> None:
    """The message is the golden one."""
    message = told(text)
    golden = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(message)
    assert message == golden.read_text(), f"UPDATE_GOLDEN=1 writes {golden.name} anew"


def nothing_left(table: Table) -> None:
    """Neither objects nor uploads lie under the table's path."""
    left = table.listing()
    found = [*left.data, *left.success.values(), *left.strays, *left.uploads]
    assert not found, "nothing is left in the bucket"


@pytest.mark.parametrize("name", REFUSED)
def test_planning_refuses(lake: Lake, name: str) -> None:
    """A table that can't be written is refused at INSERT."""
    table = lake.table(ROWS, REFUSED[name])
    with pytest.raises(RestFailed) as refusal:
        lake.stream(table, ROWS, settings=NO_RESTART)
    check(name, str(refusal.value))
    nothing_left(table)


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        (
            "changelog-input",
            "INSERT INTO sink SELECT COUNT(*), MAX(h), p FROM (SELECT MOD(id, 3) AS m, 'h' AS h, 'p' AS p FROM numbers) GROUP BY p",
        ),
        ("streaming-overwrite", "INSERT OVERWRITE sink SELECT id, 'h', 'p' FROM numbers"),
    ],
    ids=["changelog-input", "streaming-overwrite"],
)
def test_planning_refuses_the_statement(lake: Lake, name: str, statement: str) -> None:
    """What Flink's sink can't take in a stream, the bridge refuses too."""
    table = lake.table(ROWS)
    with pytest.raises(RestFailed) as refusal:
        lake.insert(ROWS.source(1_000) + table.ddl, statement, NO_RESTART)
    check(name, str(refusal.value))
    nothing_left(table)


def test_unknown_scheme(lake: Lake) -> None:
    """A scheme that Flink doesn't know either, at the latest when the job runs."""
    table = lake.table(ROWS, {"path": "foo://lake/unknown", "sink.fallback": "allow"})
    with pytest.raises(RestFailed) as failure:
        lake.stream(table, ROWS, settings=NO_RESTART).finishes()
    check("unknown-scheme", str(failure.value))


@pytest.mark.parametrize("name", ["missing-bucket", "bad-key", "no-endpoint"])
def test_store_refuses(lake: Lake, name: str) -> None:
    """The bucket isn't there, the key is wrong, nobody listens at the endpoint: the job fails and names it."""
    table = lake.table(ROWS, {"path": f"s3://{name}/unreachable"})
    check(name, lake.stream(table, ROWS, settings=NO_RESTART).fails())


def test_unwritable_path(lake: Lake) -> None:
    """A table below an object: a store with folders refuses its keys."""
    client = lake.server.client()
    client.put_object(Bucket=BUCKET, Key="an-object", Body=b"x")
    table = lake.table(ROWS, {"path": f"s3://{BUCKET}/an-object/table"})
    check("unwritable-path", lake.stream(table, ROWS, settings=NO_RESTART).fails())
    client.delete_object(Bucket=BUCKET, Key="an-object")


def interpreter(folder: Path, line: str) -> str:
    """A program that stands where the TaskManager looks for Python."""
    program = folder / "python"
    program.write_text(f"#!/bin/sh\nexec {line}\n")
    program.chmod(0o755)
    return str(program)


def test_no_python(lake: Lake) -> None:
    """No interpreter at `python.executable`."""
    table = lake.table(ROWS, {"python.executable": "/no/such/python"})
    check("no-python", lake.stream(table, ROWS, settings=NO_RESTART).fails())
    nothing_left(table)


def test_no_pyarrow(lake: Lake, tmp_path: Path) -> None:
    """An interpreter that has the bridge's package and no pyarrow."""
    (tmp_path / "pyarrow.py").write_text("raise ModuleNotFoundError(\"No module named 'pyarrow'\", name='pyarrow')\n")
    without = interpreter(tmp_path, f'env PYTHONPATH="{tmp_path}:$PYTHONPATH" {sys.executable} "$@"')
    table = lake.table(ROWS, {"python.executable": without})
    check("no-pyarrow", lake.stream(table, ROWS, settings=NO_RESTART).fails())
    nothing_left(table)


def test_wrong_versions(lake: Lake, tmp_path: Path) -> None:
    """A jar and a Python package of different releases."""
    code = "import runpy, partition_bridge.start_line as s; s.PROTOCOL = 2; runpy.run_module('partition_bridge.writer', run_name='__main__')"
    table = lake.table(ROWS, {"python.executable": interpreter(tmp_path, f'{sys.executable} -c "{code}"')})
    check("wrong-versions", lake.stream(table, ROWS, settings=NO_RESTART).fails())
    nothing_left(table)
