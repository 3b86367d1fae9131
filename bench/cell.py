"""One cell of the bench: what is measured against what in one run of a few minutes, named `workload/p<parallelism>/<codec>`."""

from dataclasses import dataclass
from pathlib import Path

from bench.events import Events
from bench.flights import Flights
from bench.workload import Workload

WORKLOADS: dict[str, type[Workload]] = {each.name: each for each in (Events, Flights)}
CODECS = ("none", "snappy", "zstd")


@dataclass(frozen=True)
class Cell:
    workload: str
    parallelism: int
    codec: str

    @classmethod
    def parse(cls, name: str) -> "Cell":
        """Read a name such as `events/p1/snappy`. Raises `SystemExit` that says what there is."""
        workload, parallelism, codec = (*name.split("/"), "", "")[:3]
        known = workload in WORKLOADS and parallelism in ("p1", "p2") and codec in CODECS
        if not known or name.count("/") != 2:
            raise SystemExit(
                f"no cell {name}: one is {'|'.join(WORKLOADS)}/p1|p2/{'|'.join(CODECS)}, for example events/p1/snappy"
            )
        return cls(workload, int(parallelism[1:]), codec)

    def __str__(self) -> str:
        return f"{self.workload}/p{self.parallelism}/{self.codec}"

    def rows_in(self, root: Path) -> Workload:
        """The workload, whose source is below `root`, or will be."""
        return WORKLOADS[self.workload](root)

    @property
    def options(self) -> dict[str, str]:
        """Options of the sink's table that make the cell."""
        return {"parquet.compression": "UNCOMPRESSED" if self.codec == "none" else self.codec.upper()}
