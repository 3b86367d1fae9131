"""A Flink on disk: its version, the shim's jars in its lib folder, and the plugins that the bridge needs beside it."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from partition_bridge.errors import Configuration
from partition_bridge.install.shim import DISTRIBUTION, ShimJar

#: Flink lines that the shim is compiled against.
SUPPORTED_LINES = ("2.1", "2.2", "2.3")
#: Where Java's service loader finds a jar's table factories.
FACTORIES = "META-INF/services/org.apache.flink.table.factories.Factory"


@dataclass(frozen=True)
class FlinkHome:
    """A folder that holds ``lib/flink-dist-….jar``; lib, plugins and conf may lie elsewhere, as by $FLINK_LIB_DIR and its like."""

    path: Path
    version: str
    lib_folder: Path | None = None
    plugins_folder: Path | None = None
    conf_folder: Path | None = None

    @property
    def lib(self) -> Path:
        """Every jar in it is on the class path of all of Flink's processes."""
        return self.lib_folder or self.path / "lib"

    @property
    def plugins(self) -> Path:
        """A folder for each plugin, with a class loader of its own."""
        return self.plugins_folder or self.path / "plugins"

    @property
    def conf(self) -> Path:
        """Where ``config.yaml`` is."""
        return self.conf_folder or self.path / "conf"

    @property
    def line(self) -> str:
        """Major and minor version, "2.3"."""
        return ".".join(self.version.split(".")[:2])

    def require_supported(self) -> None:
        """Raises ``Configuration`` for a Flink that the shim wasn't compiled against."""
        if self.line not in SUPPORTED_LINES:
            raise Configuration(
                f"{self.path} is Flink {self.version}; the shim is built for Flink {', '.join(SUPPORTED_LINES)}. "
                "Name another Flink with --flink-home"
            )

    def shim_jars(self) -> list[ShimJar]:
        """Every jar with the shim's name or its factories: Flink refuses two of them."""
        return [ShimJar(jar) for jar in sorted(self.lib.glob("*.jar")) if _is_shim(jar)]

    def s3_plugins(self) -> list[str]:
        """Names of the folders under plugins/ that hold one of Flink's S3 file systems."""
        return sorted({jar.parent.name for jar in self.plugins.glob("*/flink-s3-fs-*.jar")})


def find_flink_home(
    given: Path | None, lib: Path | None = None, plugins: Path | None = None, conf: Path | None = None
) -> FlinkHome:
    """The Flink in ``given``, else in $FLINK_HOME, else the installed PyFlink's; its folders where they are given. Raises ``Configuration``."""
    path = given or _from_environment() or _pyflink()
    if path is None:
        raise Configuration("no Flink found: PyFlink isn't installed here. Name one with --flink-home, or set FLINK_HOME")
    jars = sorted((lib or path / "lib").glob("flink-dist*.jar"))
    if len(jars) != 1:
        where = "lib" if lib is None else lib
        raise Configuration(f"{path} is no Flink home: it has {len(jars)} {where}/flink-dist-….jar, not one")
    return FlinkHome(path.resolve(), _version(jars[0]), lib, plugins, conf)


def _from_environment() -> Path | None:
    home = os.environ.get("FLINK_HOME")
    return Path(home) if home else None


def _pyflink() -> Path | None:
    # find_spec and not an import: that would load Beam and take seconds.
    spec = find_spec("pyflink")
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


def _version(dist: Path) -> str:
    """Implementation-Version of the jar's manifest: a jar can be renamed."""
    try:
        with zipfile.ZipFile(dist) as jar:
            manifest = jar.read("META-INF/MANIFEST.MF").decode("utf-8")
    except (OSError, KeyError, zipfile.BadZipFile) as unreadable:
        raise Configuration(f"{dist} can't be read: {unreadable}") from None
    for line in manifest.splitlines():
        name, _, value = line.partition(": ")
        if name == "Implementation-Version":
            return value.strip()
    raise Configuration(f"{dist} doesn't tell its version")


def _is_shim(jar: Path) -> bool:
    if jar.name.startswith(f"{DISTRIBUTION}-"):
        return True
    try:
        with zipfile.ZipFile(jar) as opened:
            # Not the takeover's factory: Flink's connector jar names that one where it was taken over.
            return b"io.partitionbridge.table.BridgeTableFactory" in opened.read(FACTORIES)
    except (KeyError, zipfile.BadZipFile):
        # No table factory in it, or a file that Java wouldn't load either.
        return False
