"""Taking over ``'connector' = 'filesystem'``: Flink's connector jar with our factory registered in place of Flink's own.

    lib/flink-connector-files-V.jar ──copy──► partition-bridge/flink-connector-files-V.jar + .sha256   (outside the class path)
                    └── same entries, one line of the service file changed ──► lib/flink-connector-files-V.jar

Made on the spot from the jar that is there, so it fits every patch release. ``release`` puts the original back byte for byte.
"""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from enum import Enum
from pathlib import Path

from partition_bridge.errors import Configuration
from partition_bridge.install.flink_home import FACTORIES, FlinkHome
from partition_bridge.install.whole import unwritable, write_whole

#: Source: flink-connector-files' service file names this class alone.
FLINKS_FACTORY = "org.apache.flink.connector.file.table.FileSystemTableFactory"
OUR_FACTORY = "io.partitionbridge.table.FilesystemTakeoverFactory"


class Takeover(Enum):
    """Who answers to ``filesystem``, seen from lib and from the folder where the original is kept."""

    FLINK = "Flink's own connector answers to 'filesystem'"
    BRIDGE = "the bridge answers to 'filesystem'; Flink's jar is kept beside"
    BROKEN = "the bridge answers to 'filesystem', but Flink's jar isn't kept beside, or was changed"


def takeover(home: FlinkHome) -> Takeover:
    """By content, so that a Flink that was upgraded in place is Flink's own again."""
    jar = _connector(home)
    if OUR_FACTORY not in _factories(jar):
        return Takeover.FLINK
    return Takeover.BRIDGE if _kept_whole(_kept(home, jar)) else Takeover.BROKEN


def take_over(home: FlinkHome) -> Path | None:
    """Register our factory for ``filesystem``. Gives the path of the kept original; None where it was done before.

    Raises ``Configuration`` for an unsupported Flink, a connector jar of another line or with other factories, and a
    folder that can't be written. At each moment lib holds one whole connector jar.
    """
    home.require_supported()
    state = takeover(home)
    if state is Takeover.BRIDGE:
        return None
    jar = _connector(home)
    if state is Takeover.BROKEN:
        raise Configuration(f"{jar} was taken over, but its original is lost: put Flink's own {jar.name} back, then repeat")
    version = jar.name.removeprefix("flink-connector-files-").removesuffix(".jar")
    if ".".join(version.split(".")[:2]) != home.line:
        raise Configuration(f"{jar.name} doesn't belong to Flink {home.version}: put the connector of that Flink into lib")
    if _factories(jar) != [FLINKS_FACTORY]:
        raise Configuration(f"{jar} registers {_factories(jar)}, not Flink's one factory: it was changed by somebody else")
    kept = _kept(home, jar)
    try:
        original = jar.read_bytes()
        kept.parent.mkdir(exist_ok=True)
        write_whole(kept, original)
        write_whole(_checksum_file(kept), f"{hashlib.sha256(original).hexdigest()}  {kept.name}\n".encode())
        write_whole(jar, _with_our_factory(jar))
    except OSError as refused:
        raise unwritable(home.path, refused) from None
    return kept


def release(home: FlinkHome) -> Path | None:
    """Put Flink's own jar back, byte for byte. Gives its path; None where nothing was taken over.

    Raises ``Configuration`` where the kept original is missing or was changed: nothing is touched then.
    """
    jar = _connector(home)
    if takeover(home) is Takeover.FLINK:
        return None
    kept = _kept(home, jar)
    if not _kept_whole(kept):
        raise Configuration(f"{kept} is missing or was changed: take {jar.name} from Flink's distribution and put it into lib")
    try:
        write_whole(jar, kept.read_bytes())
        kept.unlink()
        _checksum_file(kept).unlink()
        if not any(kept.parent.iterdir()):
            kept.parent.rmdir()
    except OSError as refused:
        raise unwritable(home.path, refused) from None
    return jar


def _connector(home: FlinkHome) -> Path:
    found = sorted(home.lib.glob("flink-connector-files-*.jar"))
    if len(found) != 1:
        raise Configuration(f"{home.lib} has {len(found)} flink-connector-files-….jar, not one")
    return found[0]


def _kept(home: FlinkHome, jar: Path) -> Path:
    return home.path / "partition-bridge" / jar.name


def _checksum_file(kept: Path) -> Path:
    return kept.with_name(kept.name + ".sha256")


def _kept_whole(kept: Path) -> bool:
    checksum = _checksum_file(kept)
    if not kept.is_file() or not checksum.is_file():
        return False
    return hashlib.sha256(kept.read_bytes()).hexdigest() == checksum.read_text().split()[0]


def _factories(jar: Path) -> list[str]:
    try:
        with zipfile.ZipFile(jar) as opened:
            lines = opened.read(FACTORIES).decode("utf-8").splitlines()
    except (KeyError, zipfile.BadZipFile) as unreadable:
        raise Configuration(f"{jar} can't be read as Flink's connector: {unreadable}") from None
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _with_our_factory(jar: Path) -> bytes:
    with tempfile.TemporaryFile() as made:
        with zipfile.ZipFile(jar) as original, zipfile.ZipFile(made, "w") as ours:
            for entry in original.infolist():
                content = original.read(entry)
                if entry.filename == FACTORIES:
                    content = content.replace(FLINKS_FACTORY.encode(), OUR_FACTORY.encode())
                ours.writestr(entry, content)
        made.seek(0)
        return made.read()
