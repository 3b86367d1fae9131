"""The Flink on disk, as the doctor sees it."""

from pathlib import Path

import pytest

from partition_bridge.doctor.finding import State
from partition_bridge.doctor.flink import check_jar, check_line, check_plugin_folder, check_takeover
from partition_bridge.install.flink_home import FlinkHome, find_flink_home
from partition_bridge.install.placement import install
from partition_bridge.install.shim import ShimJar
from partition_bridge.install.takeover import take_over
from tests.support.flink_homes import make_flink_home, make_jar, make_shim_jar


@pytest.fixture
def own(tmp_path: Path) -> ShimJar:
    """The jar of this release."""
    return ShimJar(make_shim_jar(tmp_path / "flink-partition-bridge-0.1.0.jar", "ours"))


@pytest.fixture
def home(tmp_path: Path, own: ShimJar) -> FlinkHome:
    """A Flink as it should be."""
    found = find_flink_home(make_flink_home(tmp_path / "flink"))
    install(found, own)
    (found.plugins / "s3-fs-native").mkdir(parents=True)
    make_jar(found.plugins / "s3-fs-native" / "flink-s3-fs-native-2.3.0.jar", {})
    return found


def test_a_flink_as_it_should_be_has_nothing_to_mend(home: FlinkHome, own: ShimJar) -> None:
    """Its own connector or the bridge's: both are fine."""
    for _ in range(2):
        for finding in (check_line(home), check_jar(home, own), check_takeover(home), check_plugin_folder(home)):
            assert finding.state is State.OK, finding
            assert not finding.remedy, "nothing to do"
        take_over(home)


def test_another_line_is_a_failure(tmp_path: Path) -> None:
    """The lines that fit are named."""
    judged = check_line(find_flink_home(make_flink_home(tmp_path / "old", "1.20.1")))
    assert judged.state is State.FAIL
    assert "2.1, 2.2, 2.3" in judged.remedy


def test_a_jar_that_is_missing_foreign_or_one_of_several_is_a_failure(home: FlinkHome, own: ShimJar) -> None:
    """Each with the command that mends it."""
    make_shim_jar(home.lib / "flink-partition-bridge-0.0.9.jar", "older")
    several = check_jar(home, own)
    (home.lib / own.path.name).unlink()
    other = check_jar(home, own)
    (home.lib / "flink-partition-bridge-0.0.9.jar").unlink()
    absent = check_jar(home, own)
    for judged, word in ((several, "several factories"), (other, "isn't this package's"), (absent, "not in")):
        assert judged.state is State.FAIL, judged
        assert word in judged.found
        assert "partition-bridge install" in judged.remedy


def test_two_connector_jars_are_a_failure(home: FlinkHome) -> None:
    """As after an upgrade that left the old one."""
    make_jar(home.lib / "flink-connector-files-2.2.1.jar", {})
    judged = check_takeover(home)
    assert (judged.state, "has 2 flink-connector-files" in judged.found) == (State.FAIL, True)


def test_a_takeover_without_the_shim_is_a_failure(home: FlinkHome, own: ShimJar) -> None:
    """`filesystem` names a class then that nobody has."""
    take_over(home)
    (home.lib / own.path.name).unlink()
    judged = check_takeover(home)
    assert judged.state is State.FAIL
    assert "partition-bridge uninstall" in judged.remedy, "one of the two ways out"


@pytest.mark.parametrize("place", ["plugins/flink-s3-fs-native-2.3.0.jar", "lib/flink-s3-fs-hadoop-2.3.0.jar", None])
def test_a_plugin_that_flink_does_not_see_is_a_failure(home: FlinkHome, place: str | None) -> None:
    """Without a folder of its own, in lib, or nowhere: where to put it is told."""
    (home.plugins / "s3-fs-native" / "flink-s3-fs-native-2.3.0.jar").unlink()
    if place is not None:
        make_jar(home.path / place, {})
    judged = check_plugin_folder(home)
    assert judged.state is State.FAIL, judged
    assert str(home.plugins / "s3-fs-native") in judged.remedy


@pytest.mark.parametrize("name", ["s3-fs-hadoop", "s3-fs-presto", "s3-fs-native"])
def test_any_of_flinks_s3_plugins_will_do(home: FlinkHome, name: str) -> None:
    """The one of Presto can't recover its own uploads, but writes success files."""
    (home.plugins / "s3-fs-native" / "flink-s3-fs-native-2.3.0.jar").rename(
        home.plugins / "s3-fs-native" / f"flink-{name}-2.3.0.jar"
    )
    assert check_plugin_folder(home).state is State.OK


def test_a_plugin_of_another_line_is_a_warning(home: FlinkHome) -> None:
    """Flink loads it, and what comes then nobody has tested."""
    make_jar(home.plugins / "s3-fs-native" / "flink-s3-fs-hadoop-1.20.1.jar", {})
    assert check_plugin_folder(home).state is State.WARN
