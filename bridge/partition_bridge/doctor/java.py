"""Which Java runs this Flink, found as Flink's scripts find it (bin/bash-java-utils.sh), and whether it's new enough."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from partition_bridge.doctor.finding import Finding, fail, ok, warn

CHECK = "Java"
_OLDEST = 17
_INSTALL = f"install a JDK or JRE {_OLDEST} and set JAVA_HOME, or 'env.java.home' in Flink's configuration"


@dataclass(frozen=True)
class Java:
    """``program`` to run, None where there is none; ``by``: what led to it; ``ignored``: an ``env.java.home`` that is no folder."""

    program: str | None
    by: str
    ignored: str | None = None


def find_java(conf: Path, environment: Mapping[str, str]) -> Java:
    """``env.java.home`` of the configuration, else JAVA_HOME, else PATH."""
    configured = _flat_java_home(conf / "config.yaml")
    home = configured or environment.get("JAVA_HOME")
    name = "env.java.home" if configured else "JAVA_HOME"
    if home and Path(home).is_dir():
        return Java(shutil.which("java", path=str(Path(home) / "bin")), name)
    return Java(shutil.which("java", path=environment.get("PATH")), "PATH", f"{name} = {home}" if home else None)


def version_of(program: str) -> str | None:
    """As ``java -version`` tells, "17.0.15"; None where it tells nothing that can be read."""
    try:
        done = subprocess.run([program, "-version"], capture_output=True, text=True, check=False, timeout=60)  # noqa: S603  # Flink would run the same
    except (OSError, subprocess.TimeoutExpired):
        return None
    told = re.search(r'version "([^"]+)"', done.stderr)
    return told[1] if told else None


def judge_java(java: Java, version: str | None) -> Finding:
    """Flink 2 and the shim are compiled for Java 17."""
    if java.program is None:
        return fail(CHECK, f"no java by {java.by}", _INSTALL)
    found = f"{version}, {java.program} (by {java.by})"
    if version is None:
        return fail(CHECK, f"{java.program} (by {java.by}) doesn't tell its version", _INSTALL)
    if _major(version) < _OLDEST:
        return fail(CHECK, f"{found} is too old", _INSTALL)
    if java.ignored is not None:
        return warn(CHECK, f"{found}, since {java.ignored} is no folder", "correct it, or remove it")
    return ok(CHECK, found)


def judge_java_home(java: Java, configured: str | None) -> Finding | None:
    """Flink's scripts look for the key in one flat line, and pass over a nested one that Flink itself understands."""
    if configured is None or java.by == "env.java.home" or java.ignored is not None:
        return None
    return warn(
        CHECK,
        f"'env.java.home' = '{configured}' is nested in Flink's configuration, where Flink's scripts don't see it: java is found by {java.by}",
        f"write it in one flat line of its own: env.java.home: {configured}",
    )


def _major(version: str) -> int:
    numbers = [int(each) for each in re.findall(r"\d+", version)[:2]]
    # Java 8 calls itself 1.8.
    return numbers[1] if numbers[0] == 1 and len(numbers) > 1 else numbers[0]


def _flat_java_home(configuration: Path) -> str | None:
    try:
        lines = configuration.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    found = [each[1].strip() for each in (re.match(r" *env\.java\.home *: ([^#]*)", line) for line in lines) if each]
    return found[-1] or None if found else None
