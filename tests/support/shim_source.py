"""A copy of the shim's source that is changed and compiled on its own; the product's tree is never touched."""

import shutil
import subprocess
from pathlib import Path

from tests.support.flink import ROOT


def copy_shim(folder: Path) -> None:
    """Source, tests and pom into `folder`, in place of whatever it held."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "java-shim" / "src", folder / "src")
    shutil.copy(ROOT / "java-shim" / "pom.xml", folder)


def edited(source: str, before: str, after: str) -> str:
    """The one place that says `before` says `after`. Raises `AssertionError` where the edit doesn't fit the source any more."""
    assert source.count(before) == 1, f"the edit doesn't fit the source any more: {before}"
    return source.replace(before, after)


def maven(folder: Path, *goals: str) -> None:
    """Raises `AssertionError` with Maven's last words where it fails."""
    command = ["mvn", "--batch-mode", "--quiet", "-f", str(folder / "pom.xml"), *goals]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"mvn {' '.join(goals)}:\n{done.stdout[-3000:]}"


def built_jar(folder: Path) -> Path:
    """What `package` has made there."""
    (jar,) = (folder / "target").glob("flink-partition-bridge-*.jar")
    return jar
