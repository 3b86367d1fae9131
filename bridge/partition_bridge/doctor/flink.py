"""The Flink on disk: its line, the shim's jar, who answers to 'filesystem', and the plugin that writes success files."""

from __future__ import annotations

import re
from pathlib import Path

from partition_bridge.doctor.finding import Finding, fail, ok, warn
from partition_bridge.errors import Configuration
from partition_bridge.install.flink_home import SUPPORTED_LINES, FlinkHome
from partition_bridge.install.placement import Placement, placement
from partition_bridge.install.shim import ShimJar
from partition_bridge.install.takeover import Takeover, takeover

_PLUGIN = re.compile(r"flink-(s3-fs-[a-z]+)-(\d.*)\.jar")


def check_line(home: FlinkHome) -> Finding:
    """The lines that the shim is compiled against."""
    found = f"{home.version}, {home.path}" + (f", lib {home.lib}" if home.lib_folder else "")
    if home.line not in SUPPORTED_LINES:
        return fail(
            "Flink", f"{found} isn't supported", f"use Flink {', '.join(SUPPORTED_LINES)}, or name another with --flink-home"
        )
    return ok("Flink", found)


def check_jar(home: FlinkHome, own: ShimJar) -> Finding:
    """The jar of this very package, by its bytes, and no other."""
    check = "shim's jar"
    state, there = placement(home, own), [each.path.name for each in home.shim_jars()]
    remedy = f"partition-bridge install --flink-home {home.path}, then restart Flink"
    if state is Placement.ABSENT:
        return fail(check, f"not in {home.lib}", remedy)
    if state is Placement.SEVERAL:
        return fail(check, f"{', '.join(there)} are in {home.lib}: Flink refuses several factories for one identifier", remedy)
    sums = f"sha256 {home.shim_jars()[0].sha256[:12]}"
    if state is Placement.OTHER:
        return fail(check, f"{there[0]} ({sums}) isn't this package's {own.path.name} (sha256 {own.sha256[:12]})", remedy)
    return ok(check, f"{there[0]} ({sums}), as this package has it")


def check_takeover(home: FlinkHome) -> Finding:
    """Who answers to 'connector' = 'filesystem'."""
    check = "'filesystem'"
    try:
        owner = takeover(home)
    except Configuration as wrong:
        return fail(
            check,
            str(wrong),
            "leave one flink-connector-files jar in lib, that of this Flink's distribution, then repeat `partition-bridge install --takeover` if it was taken over",
        )
    if owner is Takeover.BROKEN:
        return fail(
            check,
            owner.value,
            f"put flink-connector-files-{home.version}.jar of Flink's distribution into {home.lib}, then repeat `partition-bridge install --takeover`",
        )
    if owner is Takeover.BRIDGE and not home.shim_jars():
        return fail(
            check,
            "the bridge was to answer to it, but its jar isn't in lib",
            f"partition-bridge install --flink-home {home.path}, or `partition-bridge uninstall` to give the name back",
        )
    return ok(check, owner.value)


def check_plugin_folder(home: FlinkHome) -> Finding:
    """One of Flink's S3 file systems, in a folder of its own, of this Flink's line."""
    check = "S3 plugin"
    into = f"{home.plugins}/s3-fs-native/"
    loose = _named(home.plugins.glob("flink-s3-fs-*.jar"))
    in_lib = _named(home.lib.glob("flink-s3-fs-*.jar"))
    found = _named(home.plugins.glob("*/flink-s3-fs-*.jar"))
    if not found and loose:
        return fail(
            check,
            f"{loose[0].name} lies in {home.plugins} itself, where Flink doesn't look",
            f"move it into a folder of its own: {into}",
        )
    if not found and in_lib:
        return fail(
            check, f"{in_lib[0].name} lies in {home.lib}: it has to be a plugin", f"move it into a folder of its own: {into}"
        )
    if not found:
        return fail(
            check,
            f"none in {home.plugins}: _SUCCESS is written, and tables are read, through Flink's file system",
            f"put flink-s3-fs-native or flink-s3-fs-hadoop {home.version} into {into}",
        )
    told = ", ".join(f"{each.parent.name}/{each.name}" for each in found)
    strange = [each.name for each in found if not _version(each).startswith(f"{home.line}.")]
    if strange:
        return warn(check, f"{strange[0]} isn't of Flink {home.version}", f"put the jar of Flink {home.version} in its place")
    return ok(check, told)


def _named(jars: object) -> list[Path]:
    return sorted(each for each in jars if _PLUGIN.fullmatch(each.name))  # type: ignore[attr-defined]


def _version(jar: Path) -> str:
    named = _PLUGIN.fullmatch(jar.name)
    return named[2] if named else ""
