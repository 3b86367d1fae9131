"""Commands that Flink's scripts have worked out: two JVMs and some seconds of a core each time, for the same answer.

A script's process becomes its server. What runs then starts the server again, and that of every cluster whose settings differ in
nothing that the scripts look at.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from tests.support.process import ServerProcess

LOOKED_AT = ("env.", "jobmanager.memory.", "taskmanager.memory.", "taskmanager.numberOfTaskSlots", "taskmanager.cpu.")
"""Keys of Flink's configuration that end up in a command: sizes and options of the JVM."""

_FOLDER = "\0"
"""Stands for the cluster's folder, which holds logs, jars and configuration under the same names in each."""

_known: dict[Hashable, tuple[list[str], dict[str, str]]] = {}


class Launch:
    """How one server of the cluster in `folder` is started: by `script`, or as it was started before."""

    def __init__(
        self,
        script: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        config: Mapping[str, Any],
        jars: Iterable[str],
        number: int,
    ) -> None:
        self._folder = str(folder)
        given = {name: value.replace(self._folder, _FOLDER) for name, value in environment.items()}
        looked_at = {key: str(value).replace(self._folder, _FOLDER) for key, value in config.items() if key.startswith(LOOKED_AT)}
        self._key = (tuple(script), number, *(tuple(sorted(each.items())) for each in (given, looked_at)), tuple(sorted(jars)))
        self.command, self.environment = list(script), dict(environment)
        if self._key in _known:
            command, variables = _known[self._key]
            self.command = [each.replace(_FOLDER, self._folder) for each in command]
            self.environment = {name: value.replace(_FOLDER, self._folder) for name, value in variables.items()}

    def ready(self, server: ServerProcess) -> None:
        """The server runs, so no script does any longer: next time it's started as it is now."""
        if self._key not in _known and server.alive:
            running = psutil.Process(server.pid)
            command, variables = running.cmdline(), running.environ()
            _known[self._key] = (
                [each.replace(self._folder, _FOLDER) for each in command],
                {name: value.replace(self._folder, _FOLDER) for name, value in variables.items()},
            )
            server.starts_as(command, variables)
