"""Options of tables: what can be set besides the format, with values that a third of the tables has."""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

Draw = Callable[[SearchStrategy[Any]], Any]
POLICIES = ("success-file", "custom,success-file", "success-file,custom", "custom", "")
COMPRESSIONS = ("gzip", "zstd")
"""Which Flink's sink hasn't: what is compared is what was compressed."""


def options(draw: Draw, form: str, partitioned: bool) -> dict[str, str]:
    """All but path and connector."""
    of_format = _OF_FORMAT[form](draw) if form in _OF_FORMAT else {}
    return {"format": form, **_sink_options(draw, partitioned), **of_format}


def _sink_options(draw: Draw, partitioned: bool) -> dict[str, str]:
    options = _some(
        draw,
        {
            "sink.file.prefix": ("data", "part-ü"),
            "sink.file.suffix": (".x", "-end"),
            "partition.default-name": ("__HIVE_DEFAULT_PARTITION__", "none"),
            "sink.partition-commit.success-file.name": ("_DONE", ".ready"),
            "sink.partition-commit.trigger": ("process-time", "partition-time"),
            "sink.partition-commit.delay": ("0 s", "1 d"),
            "sink.rolling-policy.check-interval": ("10 s",),
            "sink.rolling-policy.rollover-interval": ("1 h",),
            "sink.parallelism": ("1",),
            "auto-compaction": ("false",),
            "sink.upload.inline-threshold": ("0 b",),
            "sink.upload.checksum": ("auto", "off"),
            **({"sink.shuffle-by-partition.enable": ("true", "false")} if partitioned else {}),
        },
    )
    policy = draw(st.sampled_from(POLICIES))
    return {**options, **({"sink.partition-commit.policy.kind": policy} if policy else {})}


def _parquet_options(draw: Draw) -> dict[str, str]:
    options = _some(
        draw,
        {
            "parquet.compression": ("SNAPPY", "GZIP", "UNCOMPRESSED", "LZ4_RAW", "gzip"),
            "parquet.enable.dictionary": ("true", "false"),
            "parquet.utc-timezone": ("true", "false"),
            "parquet.write.int64.timestamp": ("true", "false"),
            "parquet.timestamp.time.unit": ("nanos", "micros", "millis"),
            "parquet.block.size": ("65536", "1048576"),
            "parquet.page.size": ("1024", "65536"),
            "parquet.dictionary.page.size": ("256", "65536"),
            # One table with PARQUET_2_0 changes the encodings of all that parquet-mr writes in that JVM at that moment:
            # its factory of encodings is static, and has the options of whichever writer was opened last.
            "parquet.writer.version": ("PARQUET_1_0",),
        },
    )
    host = {"parquet.bloom.filter.enabled": ("true",), "parquet.some.key": ("x",), "sink.writer.encoder": ("host",)}
    return {**options, **(_some(draw, host) if draw(st.integers(0, 5)) == 0 else {})}


def _csv_options(draw: Draw) -> dict[str, str]:
    return _some(
        draw,
        {
            "csv.field-delimiter": (";", "|"),
            "csv.null-literal": ("NULL", "n/a"),
            "csv.quote-character": ("'",),
            "csv.array-element-delimiter": ("#",),
            "csv.write-bigdecimal-in-scientific-notation": ("true", "false"),
            "sink.file.compression": COMPRESSIONS,
        },
    )


def _json_options(draw: Draw) -> dict[str, str]:
    booleans = ("true", "false")
    keys = {"json.encode.decimal-as-plain-number": booleans, "json.encode.ignore-null-fields": booleans}
    standard = {"json.timestamp-format.standard": ("SQL", "ISO-8601"), "sink.file.compression": COMPRESSIONS}
    return _some(draw, {**keys, **standard})


def _raw_options(draw: Draw) -> dict[str, str]:
    return _some(
        draw,
        {
            "sink.file.compression": COMPRESSIONS,
            "raw.charset": ("UTF-16", "ISO-8859-1"),
            "raw.endianness": ("big-endian", "little-endian"),
        },
    )


def _avro_options(draw: Draw) -> dict[str, str]:
    return _some(draw, {"avro.codec": ("null", "deflate", "snappy")})


def _orc_options(draw: Draw) -> dict[str, str]:
    return _some(draw, {"orc.compress": ("ZLIB", "NONE", "SNAPPY")})


def _some(draw: Draw, choices: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Each option with a third of the chances."""
    return {key: draw(st.sampled_from(values)) for key, values in choices.items() if draw(st.integers(0, 2)) == 0}


def _cdc_options(draw: Draw) -> dict[str, str]:
    return _some(draw, {"sink.file.compression": COMPRESSIONS})


_OF_FORMAT: dict[str, Callable[[Draw], dict[str, str]]] = {
    "parquet": _parquet_options,
    "csv": _csv_options,
    "json": _json_options,
    "raw": _raw_options,
    "avro": _avro_options,
    "orc": _orc_options,
    **dict.fromkeys(("debezium-json", "canal-json", "maxwell-json", "ogg-json"), _cdc_options),
}
