"""Encoded bytes on their way from pyarrow to whoever cuts parts, passed on only while the encoder asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

Emit = Callable[["pa.Buffer | bytes"], None]


class EncodedSink:
    """The file object that a ``pyarrow.parquet.ParquetWriter`` writes to.

    pyarrow ends a file whenever its writer is closed, and it closes it in ``__exit__`` after an exception and in
    ``__del__``. So bytes pass only inside ``passing()``; what a finalizer writes later is dropped (I2).

    Each ``write`` brings one page or one header as ``bytes`` of its own: that copy is the only one between the encoder
    and ``emit``, and the receiver may keep the object. Encoding a row group into a buffer first would copy as often and
    hold the whole group besides.
    """

    closed = False

    def __init__(self, emit: Emit) -> None:
        self.emit = emit
        """Whom bytes are passed to; may be replaced."""
        self._passing = False

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Let bytes through until the block is left, however it is left."""
        self._passing = True
        try:
            yield
        finally:
            self._passing = False

    def write(self, data: pa.Buffer | bytes) -> int:
        """Pass the bytes on; what ``emit`` raises goes up through pyarrow to the encoder's caller."""
        if self._passing:
            self.emit(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back here."""

    def close(self) -> None:
        """The encoder alone decides when a file is finished."""
