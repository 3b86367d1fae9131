"""Small Java programs of the shim, run with the jars of a Flink: what Flink knows best, Flink tells."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

#: For programs that end before a better compiler pays.
_SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


def found_java() -> str | None:
    """The program in $JAVA_HOME, or else on PATH."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")


def run_main(
    java: str,
    jars: Sequence[Path],
    lib: Path,
    main: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    told: str = "",
) -> subprocess.CompletedProcess[str]:
    """The ended program, whatever its exit code. ``jars`` come before those of ``lib``, and what HADOOP_CLASSPATH names after.

    ``told``: its standard input, where secrets may go; arguments are for everybody to see (I12).
    """
    hadoop = environment.get("HADOOP_CLASSPATH")
    class_path = os.pathsep.join([*map(str, jars), str(lib / "*"), *([hadoop] if hadoop else [])])
    return subprocess.run(  # noqa: S603  # a fixed program; the arguments are paths
        [java, *_SHORT_LIVED, "-cp", class_path, main, *arguments],
        env=environment,
        input=told,
        capture_output=True,
        text=True,
        check=False,
    )


def reason(errors: str) -> str:
    """The line of a JVM's standard error that says why it ended."""
    for line in errors.splitlines():
        if line.startswith(("Exception in thread", "Caused by:", "Error:")):
            return line.partition(": ")[2] or line
    return "java gave no reason"
