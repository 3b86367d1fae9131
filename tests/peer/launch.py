"""One class of tests in a JVM of its own: what each test came to, and which data files it has left."""

import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

LIMIT = 600.0
"""Seconds of a class; the longest took 70 on two busy cores."""

_JVM = (
    "-Xmx1536m",
    "-XX:+UseParallelGC",
    *(
        f"--add-opens=java.base/{package}=ALL-UNNAMED"
        for package in ("java.lang", "java.net", "java.nio", "java.util", "java.time")
    ),
)
_JUNIT = {
    "junit.jupiter.extensions.autodetection.enabled": "true",
    "junit.jupiter.tempdir.factory.default": "io.partitionbridge.peer.SuiteFolder",
    # The objects are looked at when the class has ended.
    "junit.jupiter.tempdir.cleanup.mode.default": "NEVER",
}
_OF_JUNITS_REPORT = re.compile(r"(\w+)\(.*\)(\[\d+\])?")


@dataclass
class Outcome:
    """A class that has ended: the outcome of each test by its name, and the files that it left in the suite's folder."""

    tests: dict[str, str] = field(default_factory=dict)
    files: dict[str, list[str]] = field(default_factory=dict)
    trouble: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def numbers(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)


def run(suite: str, class_path: Sequence[Path], folder: Path, work: Path, environment: Mapping[str, str]) -> Outcome:
    """Run the class. `folder` is the one that its tests write to, `work` is for the runner; both are the class's alone.

    A class that takes longer than `LIMIT` is ended, and its threads' stacks are told.
    """
    work.mkdir(parents=True)
    written = work / "written"
    command = [
        "java",
        *_JVM,
        f"-Dpeer.folder={folder}",
        f"-Dpeer.written={written}",
        f"-Djava.io.tmpdir={work}",
        "-Dlog4j.configurationFile=peer-log4j2.properties",
        "-classpath",
        os.pathsep.join(map(str, class_path)),
        "org.junit.platform.console.ConsoleLauncher",
        "execute",
        f"--select-class={suite}",
        f"--reports-dir={work}",
        "--disable-banner",
        "--disable-ansi-colors",
        "--details=none",
        *(f"--config={key}={value}" for key, value in _JUNIT.items()),
    ]
    began = time.monotonic()
    outcome = Outcome()
    with (work / "output").open("wb") as output:
        # A session of its own, so that what the JVM has started ends with it.
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, cwd=work, env={**os.environ, **environment}, start_new_session=True
        )
        try:
            code = process.wait(LIMIT)
            outcome.trouble += [f"JUnit ended with {code}: {_tail(work / 'output')}"] if code not in {0, 1} else []
        except subprocess.TimeoutExpired:
            outcome.trouble.append(f"hangs after {LIMIT:.0f} s: {_stacks(process.pid)}")
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    outcome.seconds = round(time.monotonic() - began, 1)
    for report in work.glob("TEST-*.xml"):
        outcome.tests.update(_tests(report, outcome.trouble))
    for line in written.read_text().splitlines() if written.exists() else []:
        test, file = line.split("\t")
        outcome.files.setdefault(test, []).append(file)
    return outcome


def _tests(report: Path, trouble: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for case in ET.parse(report).getroot().iter("testcase"):
        name = _OF_JUNITS_REPORT.sub(r"\1\2", case.get("name", ""))
        failed = [each for kind in ("failure", "error") for each in case.iter(kind)]
        found[name] = "failed" if failed else "skipped" if case.find("skipped") is not None else "passed"
        trouble += [f"{name}: {(each.text or each.get('message') or '').strip()[:3000]}" for each in failed]
    return found


def _stacks(pid: int) -> str:
    """Of all threads."""
    return subprocess.run(["jcmd", str(pid), "Thread.print"], capture_output=True, text=True, check=False, timeout=60).stdout


def _tail(path: Path) -> str:
    return path.read_text(errors="replace")[-3000:]
