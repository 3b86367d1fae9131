"""``install``, ``uninstall``, ``status``, ``version``: the shim's jar in a Flink's lib folder."""

from __future__ import annotations

import platform
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer

from partition_bridge.cli.output import out
from partition_bridge.install.flink_home import SUPPORTED_LINES, FlinkHome, find_flink_home
from partition_bridge.install.placement import Placement, placement
from partition_bridge.install.placement import install as install_jar
from partition_bridge.install.placement import uninstall as uninstall_jars
from partition_bridge.install.shim import own_jar, package_version
from partition_bridge.install.takeover import Takeover, release, take_over, takeover
from partition_bridge.start_line import PROTOCOL

FlinkHomeOption = Annotated[
    Path | None,
    typer.Option(
        "--flink-home", metavar="DIR", envvar="FLINK_HOME", help="The Flink to look at. Default: the installed PyFlink's."
    ),
]

_LIBRARIES = ("apache-flink", "boto3", "py4j", "pyarrow")


TakeoverOption = Annotated[
    bool, typer.Option("--takeover", help="Also answer to 'connector' = 'filesystem', so that no DDL changes.")
]


def install(flink_home: FlinkHomeOption = None, take_filesystem: TakeoverOption = False) -> None:
    """Put the shim's jar into Flink's lib folder, in place of any other version of it. Repeating it is harmless."""
    home, own = find_flink_home(flink_home), own_jar()
    before = placement(home, own)
    removed = install_jar(home, own)
    for jar in removed:
        out.print(f"removed    {jar}")
    installed = before is not Placement.INSTALLED or bool(removed)
    if installed:
        out.print(f"installed  {home.lib / own.path.name} (Flink {home.version}, sha256 {own.sha256[:12]})")
    else:
        out.print(f"unchanged  {home.lib / own.path.name} (sha256 {own.sha256[:12]}) is installed already")
    kept = take_over(home) if take_filesystem else None
    if kept is not None:
        out.print(f"taken over 'connector' = 'filesystem'; Flink's own jar is kept as {kept}")
    elif takeover(home) is Takeover.BRIDGE:
        out.print("'connector' = 'filesystem' is the bridge's, too; `partition-bridge uninstall` gives it back")
    if installed or kept is not None:
        out.print("A running cluster sees it after a restart.")


def uninstall(flink_home: FlinkHomeOption = None) -> None:
    """Remove every jar of the shim from Flink's lib folder, and put Flink's own connector back where it was taken over."""
    home = find_flink_home(flink_home)
    # First, so that 'filesystem' never names a class that is gone.
    restored = release(home)
    if restored is not None:
        out.print(f"restored {restored}")
    removed = uninstall_jars(home)
    for jar in removed:
        out.print(f"removed  {jar}")
    if not removed and restored is None:
        out.print(f"nothing to remove: {home.lib} has no jar of the shim")


def status(flink_home: FlinkHomeOption = None) -> None:
    """Tell what is installed where, with versions and checksums. Exit code 1 unless it fits together."""
    home, own = find_flink_home(flink_home), own_jar()
    found = placement(home, own)
    supported = home.line in SUPPORTED_LINES
    _line("Flink", f"{home.version} in {home.path}")
    if not supported:
        _line("", f"not supported: the shim is built for Flink {', '.join(SUPPORTED_LINES)}")
    _line("this package", f"{package_version()}, protocol {PROTOCOL}, jar {own.path} (sha256 {own.sha256[:12]})")
    _line("in Flink's lib", found.value)
    for jar in home.shim_jars():
        _line("", f"{jar.path.name}: version {jar.version}, sha256 {jar.sha256[:12]}")
    owner = takeover(home)
    _line("'filesystem'", owner.value)
    _line("S3 plugins", _plugins(home))
    _line("Python", f"{platform.python_version()}, " + ", ".join(f"{name} {_version_of(name)}" for name in _LIBRARIES))
    fits = found is Placement.INSTALLED and owner is not Takeover.BROKEN and bool(home.s3_plugins())
    if supported and found is not Placement.INSTALLED:
        out.print(f"\nTo mend it: partition-bridge install --flink-home {home.path}")
    if not home.s3_plugins():
        out.print(
            f"\nTo mend it: put flink-s3-fs-native or flink-s3-fs-hadoop {home.version} into {home.path / 'plugins'}/<its name>/"
        )
    if not supported or not fits:
        raise typer.Exit(1)


def version() -> None:
    """Print the version of the package and of the protocol between its two halves."""
    out.print(f"flink-partition-bridge {package_version()} (protocol {PROTOCOL}, Flink {', '.join(SUPPORTED_LINES)})")


def _plugins(home: FlinkHome) -> str:
    return ", ".join(home.s3_plugins()) or "none: _SUCCESS is written through Flink's file system, which needs one in plugins/"


def _version_of(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed"


def _line(name: str, value: str) -> None:
    out.print(f"{name:<15} {value}")
