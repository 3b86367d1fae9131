"""Servers that Flink's scripts become. A script works out its JVM's command by two JVMs and some seconds of a core; done once, it's known
for every start of a cluster that differs in nothing that the scripts look at.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from tests.support.process import ServerProcess

LOOKED_AT = ("env.", "jobmanager.memory.", "taskmanager.memory.", "taskmanager.numberOfTaskSlots", "taskmanager.cpu.")
"""Keys of Flink's configuration that end up in a command: sizes and options of the JVM."""

_FOLDER = "\0"
"""Stands for the cluster's folder, which holds logs, jars and configuration under the same names in each."""

_Started = tuple[list[str], dict[str, str]]
_known: dict[Hashable, _Started] = {}
"""Command and environment, without their cluster's folder."""


class ScriptedServer(ServerProcess):
    """Started by `script` with `environment`, or as the script has done it before. `number` tells the servers of one script apart."""

    def __init__(
        self,
        name: str,
        script: Sequence[str],
        environment: Mapping[str, str],
        cluster: Path,
        config: Mapping[str, Any],
        number: int,
    ) -> None:
        super().__init__(name, script, cluster / "logs", environment)
        self._script: _Started = (list(script), dict(environment))
        self._cluster = cluster
        self._number = number
        self._looked_at = {key: str(value) for key, value in config.items() if key.startswith(LOOKED_AT)}
        self._key: Hashable = None

    def start(self) -> None:
        """With the jars that are in lib/ and opt/ now: they are the class path."""
        jars = {str(jar): "" for part in ("lib", "opt") for jar in (self._cluster / part).glob("*.jar")}
        command, environment = self._without_folder(*self._script)
        given = (self._without_folder([], each)[1] for each in (self._looked_at, jars))
        self._key = (self._number, *command, *(tuple(sorted(each.items())) for each in (environment, *given)))
        self._command, self._environment = self._within_folder(*_known.get(self._key, (command, environment)))
        super().start()

    def wait_ready(self, ready: Callable[[], bool], timeout: float) -> None:
        """As ever; what is ready runs without its script, and is remembered."""
        super().wait_ready(ready, timeout)
        if self._key not in _known and self.alive:
            running = psutil.Process(self.pid)
            _known[self._key] = self._without_folder(running.cmdline(), running.environ())

    def _without_folder(self, command: Sequence[str], environment: Mapping[str, str]) -> _Started:
        return _replaced(command, environment, str(self._cluster), _FOLDER)

    def _within_folder(self, command: Sequence[str], environment: Mapping[str, str]) -> _Started:
        return _replaced(command, environment, _FOLDER, str(self._cluster))


def _replaced(command: Sequence[str], environment: Mapping[str, str], old: str, new: str) -> _Started:
    return (
        [each.replace(old, new) for each in command],
        {name.replace(old, new): value.replace(old, new) for name, value in environment.items()},
    )
