"""The command `partition-bridge doctor`, on a real Flink's jars."""

import json
from pathlib import Path

from tests.support.commands import run
from tests.support.installations import Installation


def test_a_healthy_flink_gives_no_warning(tmp_path: Path) -> None:
    """Every check is ok, none is left out, and the exit code says so."""
    home = Installation(tmp_path / "flink", {}).home
    told = run("doctor", "--json", "--flink-home", str(home))
    found = [json.loads(line) for line in told.stdout.splitlines()]
    assert {each["state"] for each in found} == {"ok"}, found
    assert told.returncode == 0, told.stderr
    assert len(found) == 11, "as many as docs/doctor.md lists for a Flink"
    assert all(each["remedy"] is None for each in found), "there is nothing to mend"


def test_a_folder_that_is_no_flink_fails_and_a_wrong_option_is_wrong_usage(tmp_path: Path) -> None:
    """The two are told apart by exit codes, so that a script knows whether anything was looked at."""
    assert run("doctor", "--flink-home", str(tmp_path)).returncode == 1, "the installation isn't as it should be"
    assert run("doctor", "--no-such-option").returncode == 2, "nothing was looked at"
