"""The class path of each run: the suites, what they need, and the connector's jar that the run is about."""

import os
import shutil
import zipfile
from pathlib import Path

from partition_bridge.install.flink_home import FACTORIES, FlinkHome
from partition_bridge.install.takeover import OUR_FACTORY, take_over
from tests.support.flink import ROOT, shim_jar
from tests.support.process import ServerFailed

BUILT = ROOT / "build" / "peer"
FLINK = "2.3.0"
_CONNECTOR = f"flink-connector-files-{FLINK}.jar"
_CONNECTORS_TESTS = "org/apache/flink/connector/file/table/"
ON_S3_FACTORY = "io.partitionbridge.peer.OnS3Factory"


def class_path(run: str, folder: Path) -> list[Path]:
    """For `stock`, `local` or `s3`; the jars that are made for it lie in the folder then."""
    listed = BUILT / "class-path"
    if not listed.exists():
        raise ServerFailed("Flink's suites aren't built: make build/peer/.complete")
    gathered = [Path(each) for each in listed.read_text().strip().split(os.pathsep)]
    (original,) = (each for each in gathered if each.name == _CONNECTOR)
    others = [_golden(gathered, folder / "golden"), *(each for each in gathered if each != original)]
    if run == "stock":
        return [BUILT / "classes", original, *others]
    taken = _taken_over(original, folder / "home")
    return [BUILT / "classes", taken if run == "local" else _mapping(taken, folder), shim_jar(), *others]


def _golden(gathered: list[Path], folder: Path) -> Path:
    """The plans that Flink's tests compare with, as files: its DiffRepository can't read them inside of a jar."""
    (tests,) = (each for each in gathered if each.name.startswith("flink-table-planner_") and each.name.endswith("-tests.jar"))
    with zipfile.ZipFile(tests) as jar:
        jar.extractall(folder, [each for each in jar.namelist() if each.startswith(_CONNECTORS_TESTS) and each.endswith(".xml")])
    return folder


def _taken_over(original: Path, home: Path) -> Path:
    """As `partition-bridge install --takeover` makes it."""
    (home / "lib").mkdir(parents=True)
    jar = home / "lib" / original.name
    shutil.copy(original, jar)
    take_over(FlinkHome(home, FLINK))
    return jar


def _mapping(taken: Path, folder: Path) -> Path:
    """The takeover's jar with the test's factory, which maps the suite's folder and then is the takeover's."""
    jar = folder / _CONNECTOR
    with zipfile.ZipFile(taken) as theirs, zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as ours:
        for entry in theirs.infolist():
            content = theirs.read(entry)
            if entry.filename == FACTORIES:
                content = content.replace(OUR_FACTORY.encode(), ON_S3_FACTORY.encode())
            ours.writestr(entry, content)
    return jar
