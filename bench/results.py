"""The raw figures of all cells in one JSON file, which a run appends to: what was measured at this commit isn't measured again."""

import json
import os
import platform
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa

Run = dict[str, Any]


@dataclass
class Results:
    """`cells` holds, by a cell's name, the runs of its rounds and what is needed to judge them."""

    path: Path
    cells: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> "Results":
        return cls(path, json.loads(path.read_text()) if path.exists() else {})

    def begin(self, cell: str, commit: str, rows: int) -> list[Run]:
        """The runs of the cell so far: of this commit and machine, else none."""
        facts = {"commit": commit, "rows": rows, "machine": _machine()}
        known = self.cells.get(cell)
        if known is None or any(known[name] != value for name, value in facts.items()):
            self.cells[cell] = known = {**facts, "time": datetime.now(timezone.utc).isoformat(timespec="seconds"), "runs": []}
        return list(known["runs"])

    def add(self, cell: str, runs: list[Run]) -> None:
        """Append a whole round and write the file."""
        self.cells[cell]["runs"] += runs
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.cells, indent=1) + "\n")


def _machine() -> dict[str, Any]:
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "pyarrow": pa.__version__,
        "kernel": platform.release(),
    }
