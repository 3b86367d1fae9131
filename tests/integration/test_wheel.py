"""What users install: the wheel brings the jar, and its command puts that jar into a Flink."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.flink import ROOT, shim_jar
from tests.support.flink_homes import FACTORIES, make_flink_home, make_jar


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as `make wheel` builds it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_jar_and_the_package_and_nothing_else(wheel: Path) -> None:
    """One jar, byte for byte the built one; types are announced; no tests, no sources of Java."""
    with zipfile.ZipFile(wheel) as content:
        names = content.namelist()
        jars = [name for name in names if name.endswith(".jar")]
        assert jars == [f"partition_bridge/jars/{shim_jar().name}"], "where `partition-bridge install` looks"
        assert content.read(jars[0]) == shim_jar().read_bytes(), "the jar that the tests ran with"
    assert "partition_bridge/py.typed" in names, "its types can be checked"
    assert {name.split("/")[0].split("-")[0] for name in names} == {"partition_bridge", "flink_partition_bridge"}, "nothing else"


def test_the_jar_registers_the_connector_and_keeps_its_libraries_to_itself() -> None:
    """Flink finds the factory in it; every library is under the bridge's own package, so that none meets Flink's or a user's."""
    with zipfile.ZipFile(shim_jar()) as jar:
        assert "io.partitionbridge.table.BridgeTableFactory" in jar.read(FACTORIES).decode().split(), "found by its identifier"
        classes = [name for name in jar.namelist() if name.endswith(".class")]
    assert {name for name in classes if not name.startswith("io/partitionbridge/")} == set(), "no class under a foreign name"


def test_the_installed_wheel_serves_a_flink_from_install_to_uninstall(wheel: Path, tmp_path: Path) -> None:
    """`install`, `status` and `uninstall` by the package that the wheel gives, with no source tree about."""
    site, home = tmp_path / "site", make_flink_home(tmp_path / "flink")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)

    def command(name: str) -> tuple[int, str]:
        line = [sys.executable, "-m", "partition_bridge.cli", name, "--flink-home", str(home)]
        done = subprocess.run(
            line, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(site)}, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    code, said = command("install")
    assert code == 0, said
    assert (home / "lib" / shim_jar().name).read_bytes() == shim_jar().read_bytes(), "the whole jar is in lib"
    code, said = command("status")
    assert code == 1, f"nothing could write _SUCCESS: {said}"
    assert "put flink-s3-fs-native or flink-s3-fs-hadoop 2.3.0 into" in said
    (home / "plugins" / "s3-fs-native").mkdir(parents=True)
    make_jar(home / "plugins" / "s3-fs-native" / "flink-s3-fs-native-2.3.0.jar", {})
    code, said = command("status")
    assert code == 0, f"it fits together: {said}"
    assert str(site) in said, "this is the wheel's own jar, not the source tree's"
    code, said = command("uninstall")
    assert (code, list((home / "lib").glob("flink-partition-bridge*"))) == (0, []), said
