"""The commit policies and functions of tests/support/java as a jar: a job's own, as a user's would be."""

import subprocess
from pathlib import Path

from tests.support.flink import ROOT, flink_home


def policies_jar(folder: Path) -> str:
    """Compile into the folder; the jar's URL."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = [str(each) for each in (ROOT / "tests" / "support" / "java").rglob("*.java")]
    classpath = str(flink_home() / "lib" / "*")
    subprocess.run(
        ["javac", "--release", "17", "-Xlint:-options", "-cp", classpath, "-d", folder / "classes", *sources], check=True
    )
    jar = folder / "policies.jar"
    subprocess.run(["jar", "--create", "--file", jar, "-C", folder / "classes", "."], check=True)
    return jar.as_uri()
