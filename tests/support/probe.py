"""The shim's translation of Flink's configuration, run with a real S3 plugin in a JVM of its own; and jars of a user's to put there."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from partition_bridge.store_settings import StoreKeys, StoreSettings, parse
from tests.support.flink import JARS, flink_home, shim_jar

if TYPE_CHECKING:
    from typing_extensions import Self

SOURCE = Path(__file__).with_name("StoreProbe.java")


def plugin_jars(plugin: str) -> list[Path]:
    """Of an S3 plugin of Flink's."""
    return sorted((JARS / "plugins" / plugin).glob("*.jar"))


class StoreProbe:
    """`beside` are jars in the plugin's folder. Raises `AssertionError` where the JVM says nothing."""

    def __init__(
        self, folder: Path, plugin: str, beside: Sequence[Path] = (), environment: Mapping[str, str] | None = None
    ) -> None:
        there = folder / "plugins" / plugin
        there.mkdir(parents=True)
        for each in (*plugin_jars(plugin), *beside):
            (there / each.name).symlink_to(each)
        java = shutil.which("java")
        assert java is not None, "these tests need a JDK 17 or newer on PATH"
        classpath = os.pathsep.join([str(shim_jar()), str(flink_home() / "lib" / "*")])
        self._errors = (folder / "probe.log").open("w")
        self._process = subprocess.Popen(
            [java, "-XX:TieredStopAtLevel=1", "-cp", classpath, str(SOURCE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={"PATH": os.environ["PATH"], "FLINK_PLUGINS_DIR": str(folder / "plugins"), **(environment or {})},
        )

    def settings(self, configuration: Mapping[str, str]) -> StoreSettings:
        """As a writer on this TaskManager is told."""
        return parse(self.told(configuration))

    def told(self, configuration: Mapping[str, str]) -> dict[str, Any]:
        """The object "store" of the start message, or {"error"}."""
        return self._ask("settings", configuration)

    def refused(self, configuration: Mapping[str, str]) -> dict[str, Any]:
        """Key and remedy, where Flink's own sink has to write the table; else empty."""
        return self._ask("refused", configuration)

    def writes_success(self, configuration: Mapping[str, str]) -> None:
        """`_SUCCESS` of a folder in the bucket, by the plugin."""
        told = self._ask("success", configuration)
        assert told == {}, told

    def keys(self) -> StoreKeys:
        """The control call `credentials`."""
        return StoreKeys(**self._ask("keys"))

    def hand_out(self, access: str, seconds: int) -> None:
        """Give the plugin a delegation token."""
        told = self._ask("tokens", {"access": access, "secret": "secret", "token": f"token-of-{access}", "seconds": str(seconds)})
        assert told == {}, told

    def _ask(self, verb: str, given: Mapping[str, str] | None = None) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(verb + (f" {json.dumps(given)}" if given is not None else "") + "\n")
        self._process.stdin.flush()
        while line := self._process.stdout.readline():
            if line.startswith("{"):
                answer: dict[str, Any] = json.loads(line)
                return answer
        raise AssertionError("the probe has ended: " + Path(self._errors.name).read_text()[-5_000:])

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._errors.close()
