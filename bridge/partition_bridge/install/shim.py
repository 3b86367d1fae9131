"""The shim's jar that belongs to this Python package: where it lies, which version it is."""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path

from partition_bridge.errors import Configuration

DISTRIBUTION = "flink-partition-bridge"
_PACKAGE = Path(__file__).resolve().parents[1]
_NAME = re.compile(rf"{DISTRIBUTION}-(?P<version>\d.*)\.jar")


@dataclass(frozen=True)
class ShimJar:
    """A jar of the shim, ours or one found in a Flink."""

    path: Path

    @property
    def version(self) -> str:
        """The version in the jar's name, or "unknown" where somebody renamed it."""
        named = _NAME.fullmatch(self.path.name)
        return named["version"] if named else "unknown"

    @cached_property
    def sha256(self) -> str:
        """64 hex digits over the whole file."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def package_version() -> str:
    """Version of the installed Python package; `Configuration` where it's only on the path: its release is then unknown."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        raise Configuration(
            f"the Python package {DISTRIBUTION} isn't installed in {sys.prefix}, only found on PYTHONPATH:"
            f" run `pip install {DISTRIBUTION}` there, or in the source tree `pip install -e .`"
        ) from None


def own_jar() -> ShimJar:
    """The jar in the wheel; in an editable install the one that ``make jar`` built, so that it's never a stale copy."""
    name = f"{DISTRIBUTION}-{package_version()}.jar"
    places = (_PACKAGE / "jars" / name, _PACKAGE.parents[1] / "java-shim" / "target" / name)
    for place in places:
        if place.is_file():
            return ShimJar(place)
    raise Configuration(f"this installation has no {name}: install the wheel, or run `make jar` in the source tree")
