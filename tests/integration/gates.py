"""Points inside tasks that a test sees, holds and fails: rows with an id below 0, and calls of the commit policy."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.integration.faults import wait_for


class Gates:
    """The folder that RowGate and GatedPolicy of tests/support/java look into. Names: `row-1`, `row-2`, `call1`, `call2` …"""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder = folder

    def holds(self, *names: str) -> None:
        """Whoever comes to one of these waits there until it is released."""
        for each in names:
            (self.folder / f"hold.{each}").touch()

    def releases(self, *names: str) -> None:
        for each in names:
            (self.folder / f"hold.{each}").unlink()

    @contextmanager
    def held(self, name: str) -> Iterator[None]:
        """While in it, somebody waits at the gate."""
        self.waits_for_reached(name)
        yield
        self.releases(name)

    def slows(self) -> None:
        """Lingering rows (`Stage.lingers`) take a moment each, and the task goes on meanwhile, until `hurries`."""
        (self.folder / "slow").touch()

    def hurries(self) -> None:
        (self.folder / "slow").unlink()

    def fails(self, name: str) -> None:
        """The next to come there throws, once."""
        (self.folder / f"fail.{name}").touch()

    def failed(self, name: str) -> bool:
        return self.reached(name) and not (self.folder / f"fail.{name}").exists()

    def reached(self, name: str) -> bool:
        return (self.folder / f"reached.{name}").exists()

    def passed(self, name: str) -> bool:
        return (self.folder / f"passed.{name}").exists()

    def waits_for_reached(self, name: str) -> None:
        wait_for(f"somebody at gate {name}", lambda: self.reached(name))

    def calls(self) -> Counter[str]:
        """How often the policy was called for each partition's value, calls that failed included."""
        file = self.folder / "calls"
        return Counter(file.read_text().splitlines() if file.exists() else ())
