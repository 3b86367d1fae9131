"""Placing the shim's jar in a Flink's lib folder and removing it: each step leaves a Flink that starts."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from partition_bridge.install.flink_home import FlinkHome
from partition_bridge.install.shim import ShimJar
from partition_bridge.install.whole import unwritable, write_whole


class Placement(Enum):
    """What lies in lib, seen from the jar that belongs to this Python package."""

    INSTALLED = "installed"
    ABSENT = "not installed"
    OTHER = "another build or version is installed"
    SEVERAL = "several shim jars are installed; Flink refuses that"


def placement(home: FlinkHome, own: ShimJar) -> Placement:
    """By content: a jar of the same name from another build doesn't speak for this package."""
    found = home.shim_jars()
    if not found:
        return Placement.ABSENT
    if len(found) > 1:
        return Placement.SEVERAL
    return Placement.INSTALLED if found[0].sha256 == own.sha256 else Placement.OTHER


def install(home: FlinkHome, own: ShimJar) -> list[Path]:
    """Make ``own`` the only shim jar in lib. Gives the jars that were removed for it; repeated, it changes nothing.

    Raises ``Configuration`` for an unsupported Flink and for a folder that can't be written.
    """
    home.require_supported()
    target = home.lib / own.path.name
    others = [jar.path for jar in home.shim_jars() if jar.path != target]
    try:
        if not target.is_file() or ShimJar(target).sha256 != own.sha256:
            write_whole(target, own.path.read_bytes())
        for other in others:
            other.unlink()
    except OSError as refused:
        raise unwritable(home.lib, refused) from None
    return others


def uninstall(home: FlinkHome) -> list[Path]:
    """Remove every shim jar from lib and give their paths; none there is no error."""
    removed = [jar.path for jar in home.shim_jars()]
    try:
        for jar in removed:
            jar.unlink()
    except OSError as refused:
        raise unwritable(home.lib, refused) from None
    return removed
