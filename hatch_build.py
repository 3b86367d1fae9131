"""Carries the shim's jar into the wheel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ShimJar(BuildHookInterface[Any]):
    """Puts the built jar at ``partition_bridge/jars/``, where ``partition-bridge install`` looks."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the jar, or stop the build where it has not been built.

        An editable install runs from the source tree, where the jar is found in java-shim/target
        at the time of use; a copy made here would go stale with the next ``make jar``.
        """
        if version == "editable":
            return
        name = f"flink-partition-bridge-{self.metadata.version}.jar"
        jar = Path(self.root, "java-shim", "target", name)
        if not jar.is_file():
            message = f"{jar} is not built: run `make jar` (JDK 17, Maven) first. A wheel without it is useless."
            raise FileNotFoundError(message)
        build_data["force_include"][str(jar)] = f"partition_bridge/jars/{name}"
