"""The line of JSON that the shim writes to the standard input of the metastore's process: parsed, checked, kept from view (I12)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from partition_bridge import start_line, store_settings
from partition_bridge.metastore.protocol import Column, TableDescription
from partition_bridge.store_settings import StoreSettings


@dataclass(frozen=True)
class Settings:
    """All that the process is told at its start. ``store`` is there for Glue only."""

    gateway_port: int
    token: str = field(repr=False)
    kind: str
    table: TableDescription
    retry_ms: int
    store: StoreSettings | None
    fault_points: str | None

    def secrets(self) -> tuple[str, ...]:
        """Texts that no message may hold."""
        return (self.token, *(self.store.secrets if self.store else ()))


_OWN = {"gateway_port", "token", "kind", "retry_ms", "store", "fault_points"}


def parse(line: str) -> Settings:
    """Raises ``Configuration`` naming the field at fault, never its value: it may be a secret."""
    raw = start_line.fields(line, _OWN | set(TableDescription.__dataclass_fields__), "process")
    own: dict[str, Any] = {name: raw.pop(name) for name in _OWN}
    own["store"] = None if own["store"] is None else store_settings.parse(own["store"])
    columns = {name: tuple(Column(**each) for each in raw[name]) for name in ("columns", "partition_columns")}
    return Settings(**own, table=TableDescription(**{**raw, **columns}))
