"""A checkpoint that is restored by a job whose tables have other options. Ends with the audit."""

import re
from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq

from tests.integration.faults import FaultPoints
from tests.integration.lake import BUCKET, Contents, Lake, Table
from tests.integration.rows import Rows
from tests.integration.stage import NO_CHECKPOINTS_BY_THEMSELVES
from tests.support.feed import Feed

MIB = 1 << 20

WIDE = Rows(1 << 40, partitions=2, fat=1000)
"""32 KB in every row of p=0, so that its files have several parts; small rows in p=1. Without an end: the feed has one."""

ROWS_OF_A_FILE = 1_000
"""16 MB in p=0, read by one source, so that one of two writers gets all of them."""


def parts(table: Table, key: str) -> int:
    """Of how many parts an object was made, as its ETag tells; 0 where it was stored by a single request."""
    tag = table.server.client().head_object(Bucket=BUCKET, Key=key)["ETag"]
    found = re.fullmatch(r'"[0-9a-f]{32}-(\d+)"', tag)
    return int(found.group(1)) if found else 0


def codec(table: Table, key: str, folder: Path) -> str:
    """How a Parquet file's first column is compressed."""
    target = folder / "downloaded"
    table.server.client().download_file(BUCKET, key, str(target))
    return str(pq.read_metadata(target).row_group(0).column(0).compression)


def tables_with_parts(faults: FaultPoints, number: int) -> set[str]:
    """Names of the tables of which a file has so many parts."""
    return {str(each.facts["key"]).partition("/")[0] for each in faults.reached("after-part") if each.facts["number"] == number}


def begins(lake: Lake, feed: Feed, tables: tuple[Table, Table], settings: Mapping[str, str]) -> str:
    """The job of the test below; its id."""
    ddl = WIDE.watched(feed.inbox) + tables[0].ddl + tables[1].ddl.replace("TABLE sink", "TABLE beside")
    inserts = f"INSERT INTO sink {WIDE.query};\nINSERT INTO beside {WIDE.query};\n"
    given = {"parallelism.default": "1", **NO_CHECKPOINTS_BY_THEMSELVES, **settings}
    return lake.insert(ddl, f"EXECUTE STATEMENT SET BEGIN\n{inserts}END", given).runs().id


def test_a_restore_with_other_settings(lake: Lake, tmp_path: Path) -> None:
    """Part size, codec, names, encoder, rolling, parallelism and options of the format change: what the checkpoint names ends as it began."""
    small = {"parquet.compression": "UNCOMPRESSED", "parquet.block.size": str(2 * MIB), "sink.upload.part-size": "5 mb"}
    parquet = lake.table(WIDE, {**small, "sink.parallelism": "2"})
    text = lake.table(WIDE, {"format": "json", "sink.upload.part-size": "5 mb", "sink.parallelism": "2"})
    feed = Feed(tmp_path / "inbox")

    # Phase 1: a checkpoint with pending uploads and inline files of one table, and open files of the other, of both kinds, too.
    with lake.faults.hold("commit-before-complete") as reached:
        begun = begins(lake, feed, (parquet, text), {})
        (job,) = lake.jobs
        feed.drop(ROWS_OF_A_FILE)
        job.waits_for("two parts of each table's file", lambda: tables_with_parts(lake.faults, 2) == {parquet.name, text.name})
        lake.cluster.jobs.checkpoint(job.id, job.asks_for_checkpoint())
        reached()
        for writer in job.writers():
            job.kills(writer)
        job.cancels()
    assert not parquet.listing().data, "nothing was completed"
    assert not text.listing().data, "nor ended"

    # Phase 2: everything about the tables changes but their path and columns.
    other = {
        "sink.file.prefix": "new",
        "sink.file.suffix": ".x",
        "sink.upload.part-size": "8 mb",
        "sink.upload.inline-threshold": "0 b",
    }
    parquet.options |= {**other, "parquet.compression": "SNAPPY", "sink.writer.encoder": "host", "sink.parallelism": "1"}
    text.options |= {**other, "sink.rolling-policy.file-size": "1 mb", "json.encode.decimal-as-plain-number": "true"}
    text.options |= {"sink.parallelism": "1"}
    checkpoint = lake.cluster.latest_checkpoint(begun).as_uri()
    begins(lake, feed, (parquet, text), {"execution.state-recovery.path": checkpoint})
    job = lake.jobs[-1]
    restored = {table.name: sorted(table.objects()) for table in (parquet, text)}
    for table in (parquet, text):
        (wide, narrow) = restored[table.name]
        assert re.search(r"/p=0/part-[^/]*-\d+$", wide), "completed under the name that it had"
        assert re.search(r"/p=1/part-[^/]*-\d+$", narrow), "and so is what had no upload"
        size = table.objects()[wide].size
        assert parts(table, wide) == -(-size // (5 * MIB)) > -(-size // (8 * MIB)), "in the parts that were sent"
        assert parts(table, narrow) == 0, "or from the state"
    assert codec(parquet, restored[parquet.name][0], tmp_path) == "UNCOMPRESSED", "with the bytes that it had"

    # Phase 3: new files are made with the new settings.
    feed.drop(ROWS_OF_A_FILE)
    rows = WIDE.first(feed.rows)
    contents = Contents(parquet)

    def landed() -> bool:
        job.takes_checkpoint()
        return contents.rows().total() >= rows.count

    job.waits_for("all rows in a checkpoint", landed)
    job.stops(drain=True)
    new = {table.name: sorted(table.objects().keys() - set(restored[table.name])) for table in (parquet, text)}
    assert all(re.search(r"/new-[^/]*-\d+\.x$", key) for keys in new.values() for key in keys)
    assert {codec(parquet, key, tmp_path) for key in new[parquet.name]} == {"SNAPPY"}
    for table in (parquet, text):
        table.remove_orphans()
        table.audit(rows.expected(), rows.paths())
