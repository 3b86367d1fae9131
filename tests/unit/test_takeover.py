"""Taking over 'connector' = 'filesystem': one line of one jar changes, and the original comes back byte for byte."""

import zipfile
from pathlib import Path

import pytest

from partition_bridge.errors import Configuration
from partition_bridge.install.flink_home import FACTORIES, FlinkHome, find_flink_home
from partition_bridge.install.takeover import FLINKS_FACTORY, OUR_FACTORY, Takeover, release, take_over, takeover
from tests.support.flink_homes import make_flink_home, make_jar


@pytest.fixture
def home(tmp_path: Path) -> FlinkHome:
    """A Flink whose connector jar holds the service file between two other entries."""
    home = find_flink_home(make_flink_home(tmp_path / "flink"))
    connector = home.lib / "flink-connector-files-2.3.0.jar"
    make_jar(connector, {"A.class": "first", FACTORIES: f"# licence\n{FLINKS_FACTORY}\n", "B.class": "last"})
    return home


def _entries(jar: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(jar) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_only_the_registered_factory_changes_and_the_original_comes_back(home: FlinkHome) -> None:
    """Every patch release works: the jar is made of what is there."""
    (jar,) = home.lib.glob("flink-connector-files-*.jar")
    original, before = jar.read_bytes(), _entries(jar)

    kept = take_over(home)
    after = _entries(jar)
    assert takeover(home) is Takeover.BRIDGE, "our factory answers to 'filesystem'"
    assert list(after) == list(before), "same entries in the same order"
    assert after.pop(FACTORIES) == before.pop(FACTORIES).replace(FLINKS_FACTORY.encode(), OUR_FACTORY.encode()), "one name"
    assert after == before, "no other entry changed"
    assert kept is not None, "the original was kept"
    assert home.lib not in kept.parents, "outside the class path: two connectors there would be an error"
    assert take_over(home) is None, "repeating it is harmless"
    assert home.shim_jars() == [], "the connector isn't taken for a shim jar: uninstall must not delete it"

    assert release(home) == jar, "the jar went back"
    assert jar.read_bytes() == original, "byte for byte"
    assert not kept.parent.exists(), "nothing is left beside"
    assert release(home) is None, "repeating it is harmless"


def test_a_changed_original_is_not_put_back(home: FlinkHome) -> None:
    """The checksum beside it tells; lib stays as it is and the message says where to get the jar."""
    kept = take_over(home)
    assert kept is not None, "taken over"
    kept.write_bytes(b"damaged")
    assert takeover(home) is Takeover.BROKEN, "status tells"
    with pytest.raises(Configuration, match=r"take flink-connector-files-2\.3\.0\.jar from Flink's distribution"):
        release(home)
    assert _registered(home), "lib wasn't touched"


def _registered(home: FlinkHome) -> bool:
    (jar,) = home.lib.glob("flink-connector-files-*.jar")
    return OUR_FACTORY.encode() in _entries(jar)[FACTORIES]


@pytest.mark.parametrize(
    ("name", "factories", "message"),
    [
        ("flink-connector-files-2.2.1.jar", FLINKS_FACTORY, "doesn't belong to Flink 2.3.0"),
        ("flink-connector-files-2.3.0.jar", "com.example.OtherFactory", "it was changed by somebody else"),
    ],
)
def test_a_connector_that_is_not_this_flinks_own_is_refused_untouched(
    home: FlinkHome, name: str, factories: str, message: str
) -> None:
    """Another line's jar and one that somebody patched are not ours to change."""
    for jar in home.lib.glob("flink-connector-files-*.jar"):
        jar.unlink()
    jar = make_jar(home.lib / name, {FACTORIES: factories + "\n"})
    before = jar.read_bytes()
    with pytest.raises(Configuration, match=message):
        take_over(home)
    assert jar.read_bytes() == before, "untouched"


def test_after_an_upgrade_in_place_flinks_own_connector_answers_again(home: FlinkHome) -> None:
    """An upgrade replaces the jar; a kept original of before doesn't count, and a new takeover replaces it."""
    take_over(home)
    (jar,) = home.lib.glob("flink-connector-files-*.jar")
    make_jar(jar, {FACTORIES: FLINKS_FACTORY + "\n", "C.class": "newer"})
    newer = jar.read_bytes()
    assert takeover(home) is Takeover.FLINK, "seen by content"
    take_over(home)
    release(home)
    assert jar.read_bytes() == newer, "the newer jar comes back, not the one kept before"
