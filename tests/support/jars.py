"""Java of a user's own, compiled into a jar."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.support.flink import ROOT, flink_home


def compiled(folder: Path, name: str, sources: Sequence[Path], classpath: Sequence[Path]) -> Path:
    """The jar `name` in the folder; entries of the class path as javac takes them."""
    path = os.pathsep.join(map(str, classpath))
    subprocess.run(["javac", "--release", "17", "-Xlint:-options", "-cp", path, "-d", folder / "classes", *sources], check=True)
    jar = folder / f"{name}.jar"
    subprocess.run(["jar", "--create", "--file", jar, "-C", folder / "classes", "."], check=True)
    return jar


def policies_jar(folder: Path) -> str:
    """The commit policies, functions and formats of tests/support/java, compiled into the folder; the jar's URL."""
    folder.mkdir(parents=True, exist_ok=True)
    java = ROOT / "tests" / "support" / "java"
    shutil.copytree(java / "META-INF", folder / "classes" / "META-INF", dirs_exist_ok=True)
    return compiled(folder, "policies", sorted(java.rglob("*.java")), [flink_home() / "lib" / "*"]).as_uri()
