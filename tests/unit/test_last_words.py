"""What a process of the bridge writes to standard error, so that the shim can log it as what it is."""

import logging
import subprocess
import sys
import textwrap

from partition_bridge.child import LogLine


def told(script: str) -> list[str]:
    """Standard error of a process that ends by itself."""
    begin = "import logging, warnings\nfrom partition_bridge.child import LastWords\nwords = LastWords()\nwords.secrets = ('hush',)\nwords.log()\n"
    ended = subprocess.run(
        [sys.executable, "-c", begin + textwrap.dedent(script)], capture_output=True, text=True, timeout=60, check=False
    )
    return ended.stderr.splitlines()


def test_every_record_begins_with_its_level() -> None:
    """The bridge's warnings, libraries' records and Python's own warnings; what is below them is nothing for an operator."""
    lines = told(
        """
        words.warn("slow")
        logging.getLogger("botocore").error("refused")
        logging.getLogger("botocore").info("connected")
        warnings.warn("old")
        """
    )
    assert lines[:2] == ["WARNING partition-bridge: slow", "ERROR botocore: refused"], "each with its level and its source"
    assert lines[2].startswith("WARNING py.warnings: "), "Python's own"
    assert not any("connected" in line for line in lines), "libraries' small talk isn't told"


def test_a_traceback_is_one_record_with_its_message() -> None:
    """A bug ends the process: the message comes first, the traceback is indented below it, and no secret is in either (I12)."""
    lines = told(
        """
        try:
            raise ValueError("no hush\\nin two lines")
        except ValueError as bug:
            words.exit_with(bug)
        """
    )
    assert lines[0] == "ERROR partition-bridge: fail: ValueError: no ***"
    assert "    Traceback (most recent call last):" in lines, "why"
    assert all(line.startswith("    ") for line in lines[1:]), "one record"
    assert "hush" not in "".join(lines), "no secret (I12)"


def test_an_empty_record_has_its_level() -> None:
    """Nothing said is a line all the same."""
    record = logging.LogRecord("a", logging.WARNING, "", 0, "", (), None)
    assert LogLine(str).format(record) == "WARNING a: "
