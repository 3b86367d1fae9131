"""How Hive and Glue are told of a table's files: classes by format, columns, properties. For tables that the bridge makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from partition_bridge.metastore.protocol import Column, Configuration, TableDescription

_QL = "org.apache.hadoop.hive.ql.io."
_SERDE = "org.apache.hadoop.hive.serde2."
_TEXT = ("org.apache.hadoop.mapred.TextInputFormat", f"{_QL}HiveIgnoreKeyTextOutputFormat")


@dataclass(frozen=True)
class Layout:
    """Class names of Hive; ``classification`` is Glue's word for the format."""

    input_format: str
    output_format: str
    serde: str
    classification: str
    serde_parameters: Mapping[str, str] = field(default_factory=dict)


_LAYOUTS = {
    "parquet": Layout(
        f"{_QL}parquet.MapredParquetInputFormat",
        f"{_QL}parquet.MapredParquetOutputFormat",
        f"{_QL}parquet.serde.ParquetHiveSerDe",
        "parquet",
    ),
    "orc": Layout(f"{_QL}orc.OrcInputFormat", f"{_QL}orc.OrcOutputFormat", f"{_QL}orc.OrcSerde", "orc"),
    "avro": Layout(
        f"{_QL}avro.AvroContainerInputFormat", f"{_QL}avro.AvroContainerOutputFormat", f"{_SERDE}avro.AvroSerDe", "avro"
    ),
    "json": Layout(*_TEXT, "org.apache.hive.hcatalog.data.JsonSerDe", "json"),
    "csv": Layout(*_TEXT, f"{_SERDE}OpenCSVSerde", "csv"),
}

_NAMED_BY_NUMBER = ("DATE", "TIME")


def layout(table: TableDescription) -> Layout:
    """Raises ``Configuration`` for a format that Hive has no reader of."""
    found = _LAYOUTS.get(table.format)
    if found is None:
        raise Configuration(
            f"{table.name} can't be made for 'format' = '{table.format}', only for {', '.join(_LAYOUTS)}: create the table in the "
            "metastore yourself, with the SerDe that reads it, and remove 'metastore.create-table'"
        )
    if table.format != "csv":
        return found
    options = table.format_options
    given = {
        "separatorChar": options.get("field-delimiter", ",").replace("\\t", "\t"),
        "quoteChar": options.get("quote-character", '"'),
        "escapeChar": options.get("escape-character", "\\"),
    }
    return Layout(found.input_format, found.output_format, found.serde, found.classification, given)


def data_columns(table: TableDescription) -> Sequence[tuple[str, str]]:
    """Names and Hive types of the columns in the files. Raises ``Configuration`` for one that Hive can't have."""
    return [(column.name, _type(table, column)) for column in table.columns]


def partition_columns(table: TableDescription) -> Sequence[tuple[str, str]]:
    """The same of the partition columns."""
    for column in table.partition_columns:
        if column.sql_type.split("(")[0].split()[0] in _NAMED_BY_NUMBER:
            raise Configuration(
                f"{table.name} can't be made: the partition column {column.name} is {column.sql_type}, whose folders Flink names by a "
                f"number ({column.name}=18385), which no reader of the metastore takes for what it is. Make the column a STRING "
                f"(DATE_FORMAT(…, 'yyyy-MM-dd')), or create the table yourself and remove 'metastore.create-table'"
            )
    return [(column.name, _type(table, column)) for column in table.partition_columns]


def _type(table: TableDescription, column: Column) -> str:
    if column.hive_type is None:
        raise Configuration(
            f"{table.name} can't be made: Hive has no type for the column {column.name} {column.sql_type}. Create the table in the "
            "metastore yourself, and remove 'metastore.create-table'"
        )
    return column.hive_type


def require_same_partitions(table: TableDescription, there: Sequence[str]) -> None:
    """Raises ``Configuration`` unless the metastore's table has the DDL's partition columns, in their order; Hive's are in lower case."""
    ours = [column.name for column in table.partition_columns]
    if [name.lower() for name in ours] != [name.lower() for name in there]:
        raise Configuration(
            f"{table.name} is partitioned by ({', '.join(there)}) in the metastore, and by ({', '.join(ours)}) in Flink: partition both alike, "
            "or set 'metastore.table' to another table"
        )


def missing_table(table: TableDescription) -> Configuration:
    """For a table that isn't there and isn't to be made."""
    return Configuration(
        f"the metastore has no table {table.name}: create it there, set 'metastore.database' and 'metastore.table' to what it's called, or "
        "set 'metastore.create-table' = 'true'"
    )


def missing_database(table: TableDescription) -> Configuration:
    """For a database that isn't there."""
    return Configuration(
        f"the metastore has no database {table.database}: create it there, or set 'metastore.database' to one that is there"
    )
