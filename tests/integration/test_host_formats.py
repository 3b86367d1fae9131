"""Formats that Flink encodes: the bridge uploads exactly the bytes that Flink's own sink writes of the same rows."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import duckdb

from partition_bridge.audit import BRIDGE_FILE, TablePath
from partition_bridge.audit.listing import list_table
from tests.integration.lake import BUCKET, Lake
from tests.integration.rows import Rows
from tests.support.servers import S3Server

FORMATS = {
    "csv": "'format' = 'csv', 'csv.field-delimiter' = ';'",
    "avro": "'format' = 'avro'",
    "orc": "'format' = 'orc', 'orc.compress' = 'ZLIB'",
    "parquet": "'format' = 'parquet', 'parquet.bloom.filter.enabled' = 'true'",
    "json": "'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601'",
    "raw": "'format' = 'raw', 'raw.charset' = 'UTF-16'",
    "debezium_json": "'format' = 'debezium-json'",
    "parquet_forced": "'format' = 'parquet', 'sink.writer.encoder' = 'host'",
    "csv_escaped": "'format' = 'csv', 'csv.escape-character' = '\\', 'csv.disable-quote-character' = 'true'",
    "avro_instants": "'format' = 'avro', 'avro.timestamp_mapping.legacy' = 'false', 'avro.codec' = 'deflate'",
    "json_maps": "'format' = 'json', 'json.map-null-key.mode' = 'LITERAL', 'json.map-null-key.literal' = 'nobody'",
    "their_counted": "'format' = 'their-counted'",
}
"""Of Flink and of a third party, whose factory comes with the job's own jar."""

COLUMNS = "id BIGINT, v STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), tags ARRAY<INT>, `day` STRING"
RAW_COLUMNS = "v STRING, `day` STRING"
ROWS = 5_000
QUERY = """
    SELECT id, IF(MOD(id, 7) = 0, CAST(NULL AS STRING), CONCAT('ü"; ', CAST(id AS STRING))), CAST(id AS DECIMAL(10, 2)) / 8,
        CAST(TO_TIMESTAMP_LTZ(id * 1001, 3) AS TIMESTAMP(3)), ARRAY[CAST(id AS INT), 7], IF(MOD(id, 2) = 0, 'even', 'odd') FROM numbers"""

MAP_COLUMNS = "counts MAP<STRING, INT>, `day` STRING"
MAP_QUERY = "SELECT MAP[CAST(NULL AS STRING), CAST(id AS INT)], IF(MOD(id, 2) = 0, 'even', 'odd') FROM numbers"

CHANGELOGS = {
    "debezium": "'format' = 'debezium-json'",
    "canal": "'format' = 'canal-json', 'canal-json.encode.decimal-as-plain-number' = 'true'",
    "maxwell": "'format' = 'maxwell-json'",
    "ogg": "'format' = 'ogg-json'",
    "their_lines": "'format' = 'their-lines', 'their-lines.mark' = '> '",
}
CHANGE_COLUMNS = "k BIGINT, n BIGINT, total DECIMAL(20, 2), `day` STRING"
CHANGES = """
    SELECT n, COUNT(*), SUM(CAST(k AS DECIMAL(10, 2)) / 8), `day` FROM
        (SELECT k, `day`, COUNT(*) AS n FROM
            (SELECT MOD(id, 7) AS k, IF(MOD(id, 2) = 0, 'even', 'odd') AS `day` FROM numbers)
         GROUP BY k, `day`)
    GROUP BY n, `day`"""
"""How many groups have so many rows: each number comes, changes and goes. Inserts, both halves of updates, and deletes."""

RAW_QUERY = "SELECT CONCAT('ü', CAST(id AS STRING)), IF(MOD(id, 2) = 0, 'even', 'odd') FROM numbers"


def numbers(rows: int) -> str:
    """DDL of the table `numbers`: an id in order."""
    return (
        "CREATE TABLE numbers (id BIGINT) WITH ('connector' = 'datagen', 'fields.id.kind' = 'sequence',"
        f" 'fields.id.start' = '1', 'fields.id.end' = '{rows}');\n"
    )


def rows_of(name: str) -> tuple[str, str]:
    """Columns and query of the tables of a format."""
    return {"raw": (RAW_COLUMNS, RAW_QUERY), "json_maps": (MAP_COLUMNS, MAP_QUERY)}.get(name, (COLUMNS, QUERY))


def table(name: str, columns: str, path: str, connector: str, options: str) -> str:
    """DDL of a sink partitioned by day that writes `_SUCCESS`."""
    return (
        f"CREATE TABLE {name} ({columns}) PARTITIONED BY (`day`) WITH ('connector' = '{connector}', 'path' = '{path}',"
        f" 'sink.partition-commit.policy.kind' = 'success-file', {options});\n"
    )


def flinks_files(folder: Path) -> dict[str, bytes]:
    """The one data file of each partition folder."""
    return {f"{each.parent.name}/": each.read_bytes() for each in folder.glob("*/part-*")}


def our_files(server: S3Server, folder: str) -> dict[str, bytes]:
    """The one data object of each partition, which the bridge has written."""
    listing = list_table(server.client(), TablePath(BUCKET, folder, ("day",), data_file=BRIDGE_FILE))
    assert set(listing.success) == {each.partition for each in listing.data}, "each partition is announced (I4)"
    assert not listing.uploads, "no upload is left"
    return {each.partition: server.client().get_object(Bucket=BUCKET, Key=each.key)["Body"].read() for each in listing.data}


def without_sync_markers(avro: bytes) -> bytes:
    """An Avro file ends each block with 16 random bytes that its header announces: with these blanked, it's deterministic."""
    return avro.replace(avro[-16:], b"\0" * 16)


def test_the_bytes_are_flinks(lake: Lake, tmp_path: Path) -> None:
    """The same rows through both sinks, one job: for each format the objects in the store equal the files on disk."""
    # Phase 1: one job writes every table twice. One file a partition, since there are no checkpoints.
    both_write(lake, numbers(ROWS), {name: (*rows_of(name), options) for name, options in FORMATS.items()}, tmp_path)

    # Phase 2: partition by partition, the same bytes.
    for name in FORMATS:
        theirs, ours = flinks_files(tmp_path / name), our_files(lake.server, f"formats/{name}")
        if name.startswith("avro"):
            theirs, ours = ({key: without_sync_markers(file) for key, file in files.items()} for files in (theirs, ours))
        assert set(ours) == {"day=even/", "day=odd/"}, f"{name}: the partitions"
        assert ours == theirs, f"{name}: the bridge changed bytes on the way"

    # Phase 3: of what was asked of Parquet, Flink's sink does what docs/parquet-keys.md says.
    for file in (tmp_path / "parquet").glob("*/part-*"):
        assert not has_bloom_filter(file), "Flink's sink hands parquet-mr no options of bloom filters"
    control = tmp_path / "control.parquet"
    duckdb.execute(f"COPY (SELECT range % 10 AS i FROM range(10000)) TO '{control}' (FORMAT PARQUET)")
    assert has_bloom_filter(control), "one that is there would have been seen"


def test_changes_are_encoded_as_flinks(lake: Lake, tmp_path: Path) -> None:
    """A changelog of inserts, updates and deletes through both sinks, one job: for each CDC format the same bytes, of all kinds."""
    both_write(lake, numbers(400), {name: (CHANGE_COLUMNS, CHANGES, options) for name, options in CHANGELOGS.items()}, tmp_path)

    for name in CHANGELOGS:
        theirs, ours = flinks_files(tmp_path / name), our_files(lake.server, f"formats/{name}")
        assert set(ours) == {"day=even/", "day=odd/"}, f"{name}: the partitions"
        assert ours == theirs, f"{name}: the bridge changed bytes on the way"
    kinds = {line[:4] for file in our_files(lake.server, "formats/their_lines").values() for line in file.splitlines()}
    assert kinds == {b"> +I", b"> -U", b"> +U", b"> -D"}, "changes of every kind went through both"


def both_write(lake: Lake, source: str, tables: Mapping[str, tuple[str, str, str]], folder: Path) -> None:
    """One job fills each table twice: Flink's own sink in the folder, the bridge in the store. Given are columns, query and options."""
    ddl, inserts = f"ADD JAR '{lake.policies.removeprefix('file:')}';\n{source}", ""
    for name, (columns, query, options) in tables.items():
        flinks = re.sub(", 'sink.writer.encoder' = 'host'", "", options)
        ddl += table(f"flink_{name}", columns, (folder / name).as_uri(), "filesystem", flinks)
        ours = f"'sink.fallback' = 'forbid', {options}"
        ddl += table(f"our_{name}", columns, f"s3://{BUCKET}/formats/{name}", "filesystem-bridge", ours)
        inserts += f"INSERT INTO flink_{name} {query};\nINSERT INTO our_{name} {query};\n"
    settings = {"parallelism.default": "1", "restart-strategy.type": "none"}
    job = lake.insert(ddl, f"EXECUTE STATEMENT SET BEGIN\n{inserts}END", settings)
    names = " ".join(str(vertex["name"]) for vertex in job.vertices())
    assert names.count("BridgeFileWriter (Flink's format)") == len(tables), f"Flink's format encodes each of ours: {names}"
    job.finishes(timeout=300)


def has_bloom_filter(file: Path) -> bool:
    """Whether any column chunk of a Parquet file has one."""
    offsets = duckdb.execute(f"SELECT bloom_filter_offset FROM parquet_metadata('{file}')").fetchall()
    return any(offset is not None for (offset,) in offsets)


def test_json_files_span_checkpoints_and_lose_nothing_with_a_killed_writer(lake: Lake) -> None:
    """Far fewer files than checkpoints; the file that was open at the kill ends where its checkpoint left it; each row is there once."""
    rows = Rows(3_000)
    table = lake.table(rows, {"format": "json"}, partition="")
    job = lake.stream(table, rows, per_second=300)

    # Phase 1: some checkpoints are complete, and nothing is visible: the file is open.
    job.has_checkpoints(4)
    assert table.listing().data == [], "the file is open over checkpoints"

    # Phase 2: the writer is killed; the job goes on by itself, to its end.
    (writer,) = job.writers()
    job.kill_writer(writer).finishes()

    # Phase 3: one file of each attempt, every row once.
    listing, client = table.listing(), lake.server.client()
    files = [client.get_object(Bucket=BUCKET, Key=each.key)["Body"].read() for each in listing.data]
    written = [json.loads(line) for each in files for line in each.splitlines()]
    assert sorted(written, key=lambda row: int(row["id"])) == rows.expected().to_pylist(), "each row once, and whole"
    assert len(files) == 2, f"one file an attempt, not one a checkpoint: {[each.key for each in listing.data]}"
    assert not listing.uploads, "small files need no upload"
    assert not listing.strays, "nothing else lies there"
