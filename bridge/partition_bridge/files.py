"""A live file of this writer: what the encode loop and the pools know of it, and its state entry once it is final."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from partition_bridge.entries import Entry
from partition_bridge.errors import WrongState
from partition_bridge.lifecycle import FileState, Phase
from partition_bridge.parts import PartCutter

if TYPE_CHECKING:
    from partition_bridge.encode.compression import Compressor
    from partition_bridge.encode.parquet import ParquetEncoder


@dataclass
class MarkedContent:
    """What an open file held when a barrier came; kept until its entry is sent or nobody will ask for it."""

    parts: int
    tail: bytes
    rows: int
    last_write_ms: int
    whole: bool = False


@dataclass
class LiveFile:
    """``encoder``, ``compressor`` and ``cutter`` belong to the encode loop; all else is guarded by the desk's lock."""

    number: int
    key: str
    partition: str
    token: str
    created_ms: int
    cutter: PartCutter
    state: FileState = field(default_factory=FileState)
    encoder: ParquetEncoder | None = None
    compressor: Compressor | None = None
    last_write_ms: int = 0
    rows: int = 0
    bodies: dict[int, bytearray] = field(default_factory=dict)
    tail: bytes = b""
    marks: dict[int, MarkedContent] = field(default_factory=dict)
    roll_asked: bool = False

    def entry(self, bucket: str, part_size: int, encoder: str, schema: str) -> Entry:
        """The state entry of the sealed file. Only one that is PENDING or further has it (I1)."""
        if self.state.phase not in (Phase.PENDING, Phase.COMPLETING):
            raise WrongState(f"file {self.number} is {self.state.phase.value}: its entry isn't final")
        content = MarkedContent(len(self.state.cut), self.tail, self.rows, self.last_write_ms)
        return self._entry(content, bucket, part_size, encoder, schema, sealed=True)

    def open_entry(self, checkpoint: int, bucket: str, part_size: int, encoder: str, schema: str) -> Entry:
        """The state entry of the file as it was at that barrier. Only with its parts stored (I1)."""
        content = self.marks[checkpoint]
        if not content.whole:
            raise WrongState(f"file {self.number} isn't stored up to barrier {checkpoint}: its entry isn't final")
        return self._entry(content, bucket, part_size, encoder, schema, sealed=False)

    def committed(self) -> dict[str, int | str | None]:
        """What the shim is told of the file once it is visible (docs/protocol.md)."""
        return {
            "file": self.number,
            "bytes": self.state.size,
            "rows": self.rows,
            "parts": len(self.state.stored),
            "upload_id": self.state.upload_id,
        }

    def _entry(self, content: MarkedContent, bucket: str, part_size: int, encoder: str, schema: str, *, sealed: bool) -> Entry:
        if self.state.first_named is None:
            raise WrongState(f"file {self.number} has an entry though no barrier has named it")
        parts = self.state.stored[: content.parts]
        return Entry(
            state="pending",
            bucket=bucket,
            key=self.key,
            partition=self.partition,
            token=self.token,
            # An upload that was opened after the mark isn't part of it.
            upload_id=self.state.upload_id if parts else None,
            parts=parts,
            part_size=part_size,
            sealed=sealed,
            size=sum(part.size for part in parts) + len(content.tail),
            tail=content.tail,
            rows=content.rows,
            checkpoint=self.state.first_named,
            created_ms=self.created_ms,
            last_write_ms=content.last_write_ms or self.created_ms,
            encoder=encoder,
            schema=schema,
        )
