"""Several INSERTs of one job into one path."""

import pytest

from tests.integration.lake import BRIDGE, STOCK, Lake
from tests.integration.rows import Rows


@pytest.mark.parametrize("connector", [STOCK, BRIDGE])
@pytest.mark.parametrize("tables", [1, 2])
def test_two_inserts_into_one_path(lake: Lake, connector: str, tables: int) -> None:
    """A statement set with two INSERTs, into one table or into two tables of one path: no file of one hides the other's."""
    rows = Rows(10_000)
    table = lake.table(rows, connector=connector)
    ddl = rows.source(5_000) + table.ddl + table.ddl.replace("TABLE sink", "TABLE other")
    halves = [f"{rows.query} AND MOD(id, 2) = {half}" for half in (0, 1)]
    names = ("sink", "other" if tables == 2 else "sink")
    inserts = "".join(f"INSERT INTO {name} {half};\n" for name, half in zip(names, halves, strict=True))
    settings = {"parallelism.default": "2", "execution.checkpointing.interval": "500 ms"}
    lake.insert(ddl, f"EXECUTE STATEMENT SET BEGIN\n{inserts}END", settings).finishes()
    # Each of the two sinks announces its partitions by itself: the last `_SUCCESS` is newer than all files.
    table.audit(rows.expected(), rows.paths())
