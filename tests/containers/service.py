"""One container of a service: it can be killed, started again and looked into. Its published port stays the same."""

import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docker.errors import APIError
from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network

from tests.containers.engine import image, labels
from tests.support.ports import free_ports
from tests.support.process import ServerFailed
from tests.support.running import Running

if TYPE_CHECKING:
    from docker.models.containers import Container


class Service(Running):
    """`port` is the one inside; `self.port` is where it's published on this machine. `mounts` are read-only, but those that end with `:rw`."""

    READY_TIMEOUT = 180.0  # seconds; a JVM on busy cores

    def __init__(
        self,
        network: Network,
        name: str,
        image_name: str,
        *,
        command: Sequence[str] | None = None,
        port: int | None = None,
        mounts: Mapping[Path, str] | None = None,
        environment: Mapping[str, str] | None = None,
        tmpfs: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        self.name = name
        self._container = DockerContainer(image(image_name)).with_network(network).with_network_aliases(name)
        self._container.with_envs(**(environment or {}))
        if command is not None:
            self._container.with_command(list(command))
        if port is not None:
            (self.port,) = free_ports(1)
            self._container.ports = {str(port): ("127.0.0.1", self.port)}  # type: ignore[dict-item]  # on loopback: its own type knows only ports
        self._container.tmpfs.update(tmpfs or {})
        for host, inside in (mounts or {}).items():
            path, _, mode = inside.partition(":")
            self._container.with_volume_mapping(host, path, mode or "ro")
        self._container.with_kwargs(labels=labels(), hostname=name, **options)
        self._made = False

    @property
    def inside(self) -> "Container":
        """As the engine's client knows it."""
        return self._container.get_wrapped_container()

    @property
    def alive(self) -> bool:
        return bool(self._state()["Running"])

    @property
    def pid(self) -> int:
        """Its first process as this machine numbers it."""
        return int(self._state()["Pid"])

    def start(self) -> None:
        """The first time, and again after `kill`: then with what is on its disk."""
        if self._made:
            self.inside.start()
        else:
            self._made = True
            self._container.start()

    def kill(self) -> None:
        """SIGKILL to all that is in it."""
        self.inside.kill()
        self.inside.wait()

    @contextmanager
    def cut_off(self) -> Iterator[None]:
        """While in it, every packet to it and from it is lost, as with a cable that is pulled: nobody is told. Needs root."""
        rules = (["INPUT", "-i", "eth0", "-j", "DROP"], ["OUTPUT", "-o", "eth0", "-j", "DROP"])
        iptables = ["nsenter", "--target", str(self.pid), "--net", "iptables"]
        for rule in rules:
            subprocess.run([*iptables, "-I", *rule], check=True)
        try:
            yield
        finally:
            for rule in rules:
                subprocess.run([*iptables, "-D", *rule], check=True)

    def run(self, *command: str, user: str = "") -> str:
        """What a command in it prints; raises `ServerFailed` where it fails."""
        code, output = self.inside.exec_run(list(command), user=user)
        text = str(output.decode(errors="replace"))
        if code != 0:
            raise ServerFailed(f"{' '.join(command)} in {self.name} exited with {code}:\n{text[-10_000:]}")
        return text

    def wait_ready(self, ready: Callable[[], bool]) -> None:
        """Return when `ready` says so; fail at once when the container ends."""
        deadline = time.monotonic() + self.READY_TIMEOUT
        while not ready():
            if not self.alive or time.monotonic() > deadline:
                raise ServerFailed(f"{self.name} isn't ready; the end of its log:\n{self.tail()}")
            time.sleep(0.1)

    def tail(self, lines: int = 40) -> str:
        return str(self.inside.logs(tail=lines).decode(errors="replace"))

    def stop(self) -> None:
        """Remove it with its disk."""
        if self._made:
            with suppress(APIError):
                self._container.stop()

    def _state(self) -> dict[str, Any]:
        if not self._made:
            return {"Running": False, "Pid": 0}
        self.inside.reload()
        return dict(self.inside.attrs["State"])
