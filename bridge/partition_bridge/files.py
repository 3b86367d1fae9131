"""A live file of this writer: what the encode loop and the pools know of it, and its state entry once it is final."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from partition_bridge.entries import Entry
from partition_bridge.errors import WrongState
from partition_bridge.lifecycle import FileState, Phase
from partition_bridge.parts import PartCutter

if TYPE_CHECKING:
    from partition_bridge.encode.parquet import ParquetEncoder


@dataclass
class LiveFile:
    """``encoder`` and ``cutter`` belong to the encode loop; all else is guarded by the desk's lock."""

    number: int
    key: str
    partition: str
    token: str
    created_ms: int
    cutter: PartCutter
    state: FileState = field(default_factory=FileState)
    encoder: ParquetEncoder | None = None
    last_write_ms: int = 0
    rows: int = 0
    bodies: dict[int, bytearray] = field(default_factory=dict)
    tail: bytes = b""
    roll_asked: bool = False

    def entry(self, bucket: str, part_size: int, encoder: str, schema: str) -> Entry:
        """The state entry. Only a file that is PENDING or further has one (I1)."""
        if self.state.phase not in (Phase.PENDING, Phase.COMPLETING) or self.state.checkpoint is None:
            raise WrongState(f"file {self.number} is {self.state.phase.value}: its entry isn't final")
        return Entry(
            state="pending",
            bucket=bucket,
            key=self.key,
            partition=self.partition,
            token=self.token,
            upload_id=self.state.upload_id,
            parts=self.state.stored,
            part_size=part_size,
            sealed=True,
            size=self.state.size,
            tail=self.tail,
            rows=self.rows,
            checkpoint=self.state.checkpoint,
            created_ms=self.created_ms,
            last_write_ms=self.last_write_ms or self.created_ms,
            encoder=encoder,
            schema=schema,
        )
