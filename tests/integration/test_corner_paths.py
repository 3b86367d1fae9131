"""Tables at odd places."""

from dataclasses import replace

import pyarrow as pa

from tests.integration.lake import MULTIPART, Lake
from tests.integration.rows import Rows
from tests.support.servers import S3Server

PLACES = {"root": "", "quoted": "New Year's tables/of 2024", "letters": "Zürich/Ελλάδα 都"}
CITY = "Zürich am 都"


def test_tables_at_odd_places(lake: Lake, server: S3Server) -> None:
    """One job writes to a bucket's root, under blanks and quotes, and under letters of other alphabets, and is killed before it completes
    files: files, recovery, `_SUCCESS` and the orphan tool keep to each path as it's written, and to the names of its partitions.
    """
    rows = Rows(10_000)
    number = f"CAST(MOD(id, {rows.partitions}) AS STRING)"
    query = rows.query.replace(number, f"CONCAT('{CITY}, ', {number})")
    assert query != rows.query, "the partitions have odd names, too"
    tables = {}
    ddl = rows.source(2_500)
    for bucket, place in PLACES.items():
        server.create_bucket(f"corner-{bucket}")
        table = replace(lake.table(rows, MULTIPART), bucket=f"corner-{bucket}", name=place)
        ddl += replace(table, name=place.replace("'", "''")).ddl.replace("TABLE sink", f"TABLE {bucket}")
        tables[bucket] = table
    settings = {"parallelism.default": "2", "execution.checkpointing.interval": "500 ms"}
    inserts = " ".join(f"INSERT INTO {name} {query};" for name in tables)
    with lake.faults.hold("commit-before-complete") as reached:
        job = lake.insert(ddl, f"EXECUTE STATEMENT SET BEGIN {inserts} END", settings)
        job.kill_writer(reached())
    job.finishes()

    expected = rows.expected()
    days = [f"{CITY}, {each}" for each in expected["p"].to_pylist()]
    expected = expected.drop_columns("p").append_column("p", pa.array(days, pa.string()))
    for table in tables.values():
        table.remove_orphans()
        table.audit(expected, {f"p={day}/" for day in days})
