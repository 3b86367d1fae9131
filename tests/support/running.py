"""What runs while a test is in its `with` block: a server, a proxy, a cluster, a container."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self


class Running(ABC):
    """Started on the way in, stopped on the way out, and stopped as well where the start fails."""

    @abstractmethod
    def start(self) -> None:
        """Return when it answers."""

    @abstractmethod
    def stop(self) -> None:
        """End it, also one whose start has failed half-way."""

    def __enter__(self) -> "Self":
        try:
            self.start()
        except BaseException:
            # Python calls no __exit__ then, and what has started would outlive the tests.
            self.stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
