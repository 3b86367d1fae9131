"""The leaf columns of an Arrow schema, under the dotted paths that Parquet gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator


def leaf_columns(schema: pa.Schema) -> Iterator[tuple[str, pa.DataType]]:
    """Give each leaf's path (``a.list.element``, ``m.key_value.value``, ``r.x``) and Arrow type.

    Two leaves can share a path, as a name may hold a dot; Parquet's column properties can't tell them apart either.
    """
    for field in schema:
        yield from _leaves(field.name, field.type)


def _leaves(path: str, kind: pa.DataType) -> Iterator[tuple[str, pa.DataType]]:
    if pa.types.is_map(kind):
        yield from _leaves(f"{path}.key_value.key", kind.key_type)
        yield from _leaves(f"{path}.key_value.value", kind.item_type)
    elif pa.types.is_list(kind):
        yield from _leaves(f"{path}.list.element", kind.value_type)
    elif pa.types.is_struct(kind):
        for index in range(kind.num_fields):
            child = kind.field(index)
            yield from _leaves(f"{path}.{child.name}", child.type)
    else:
        yield path, kind
