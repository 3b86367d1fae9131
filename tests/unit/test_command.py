"""The command `partition-bridge` where something is missing: one line that says what to do, and no traceback."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def without_the_package(folder: Path) -> Path:
    """A folder with every installed library but the bridge's own distribution."""
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        if not each.name.startswith(("flink_partition_bridge", "_flink_partition_bridge")):
            (folder / each.name).symlink_to(each)
    return folder


@pytest.mark.parametrize("command", ["version", "install", "status"])
def test_a_package_that_is_only_on_the_path_is_told_with_the_way_to_install_it(tmp_path: Path, command: str) -> None:
    """With PYTHONPATH alone the release, and so the jar that fits, is unknown: exit code 2 and one line."""
    path = [str(ROOT / "bridge"), str(without_the_package(tmp_path))]
    # -S: no site-packages, so that nothing but PYTHONPATH is found.
    run = subprocess.run(
        [sys.executable, "-S", "-m", "partition_bridge.cli", command],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 2, f"something must be changed first: {run.stderr}"
    assert len(run.stderr.splitlines()) == 1, f"one line and no traceback: {run.stderr}"
    assert "flink-partition-bridge isn't installed" in run.stderr, "what is missing"
    assert "pip install" in run.stderr, "and what to do"
    assert not run.stdout, "nothing was done"
