"""Installing: one shim jar in lib, of the right build, for a Flink that it fits."""

from pathlib import Path

import pytest

from partition_bridge.errors import Configuration
from partition_bridge.install.flink_home import find_flink_home
from partition_bridge.install.placement import Placement, install, placement, uninstall
from partition_bridge.install.shim import ShimJar
from tests.support.flink_homes import make_flink_home, make_shim_jar


@pytest.fixture
def own(tmp_path: Path) -> ShimJar:
    """The jar of this release."""
    return ShimJar(make_shim_jar(tmp_path / "flink-partition-bridge-0.1.0.jar", "ours"))


def test_install_puts_the_jar_into_lib_and_repeating_it_changes_nothing(tmp_path: Path, own: ShimJar) -> None:
    """After install the jar is there whole; a second install neither writes nor removes."""
    home = find_flink_home(make_flink_home(tmp_path / "flink"))
    assert placement(home, own) is Placement.ABSENT, "a fresh Flink has no shim"

    install(home, own)
    target = home.lib / own.path.name
    written = target.stat().st_mtime_ns
    assert placement(home, own) is Placement.INSTALLED, "the same bytes are in lib"
    assert target.stat().st_mode & 0o044 == 0o044, "Flink may run as another user than the one who installs"

    assert install(home, own) == [], "nothing had to go"
    assert target.stat().st_mtime_ns == written, "a running JVM's jar must not be touched without need"
    assert not list(home.lib.glob(".*")), "no temporary file is left"


def test_install_replaces_other_versions_whatever_their_names(tmp_path: Path, own: ShimJar) -> None:
    """An older jar and a renamed copy both go: Flink refuses two factories with one identifier."""
    home = find_flink_home(make_flink_home(tmp_path / "flink"))
    older = make_shim_jar(home.lib / "flink-partition-bridge-0.0.9.jar", "older")
    renamed = make_shim_jar(home.lib / "my-sink.jar", "renamed")
    assert placement(home, own) is Placement.SEVERAL, "both are seen, by content"

    assert sorted(install(home, own)) == sorted([older, renamed]), "the removed jars are told"
    assert [jar.path.name for jar in home.shim_jars()] == [own.path.name], "only ours is left"


def test_a_jar_of_the_same_name_from_another_build_is_told_and_replaced(tmp_path: Path, own: ShimJar) -> None:
    """The name alone doesn't speak for the bytes."""
    home = find_flink_home(make_flink_home(tmp_path / "flink"))
    make_shim_jar(home.lib / own.path.name, "another build")
    assert placement(home, own) is Placement.OTHER, "checksums differ"
    install(home, own)
    assert placement(home, own) is Placement.INSTALLED, "now it's ours"


def test_uninstall_removes_every_shim_jar_and_nothing_else(tmp_path: Path, own: ShimJar) -> None:
    """Flink's own jars stay; without a shim there is nothing to do."""
    home = find_flink_home(make_flink_home(tmp_path / "flink"))
    before = sorted(home.lib.iterdir())
    install(home, own)
    make_shim_jar(home.lib / "copy.jar")

    assert len(uninstall(home)) == 2, "ours and the copy"
    assert sorted(home.lib.iterdir()) == before, "lib is as it was"
    assert uninstall(home) == [], "repeating it is harmless"


@pytest.mark.parametrize("version", ["1.20.5", "2.0.1", "2.4.0"])
def test_a_flink_that_the_shim_was_not_built_for_is_refused_untouched(tmp_path: Path, own: ShimJar, version: str) -> None:
    """The message names the version found and the lines that fit."""
    home = find_flink_home(make_flink_home(tmp_path / "flink", version))
    before = sorted(home.lib.iterdir())
    with pytest.raises(Configuration, match=rf"is Flink {version}; the shim is built for Flink 2.1, 2.2, 2.3"):
        install(home, own)
    assert sorted(home.lib.iterdir()) == before, "nothing was copied"


def test_a_folder_that_is_no_flink_is_refused(tmp_path: Path) -> None:
    """Without exactly one flink-dist jar it can't be told which Flink it is."""
    with pytest.raises(Configuration, match="is no Flink home: it has 0 lib/flink-dist"):
        find_flink_home(tmp_path)


def test_the_default_is_flink_home_and_then_the_installed_pyflink(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same order as PyFlink's own."""
    monkeypatch.setenv("FLINK_HOME", str(make_flink_home(tmp_path / "flink", "2.2.1")))
    assert find_flink_home(None).version == "2.2.1", "the environment names one"
    monkeypatch.delenv("FLINK_HOME")
    assert find_flink_home(None).version == "2.3.0", "the locked PyFlink"
