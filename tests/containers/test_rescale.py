"""A job that goes on with other parallelism."""

import pytest

from tests.containers.registry import agree, registered
from tests.containers.stores import MetastoreContainer
from tests.integration.lake import MULTIPART, SqlLake
from tests.integration.rows import Rows

pytestmark = pytest.mark.containers

PATIENCE = 300.0


def test_rescale(lake: SqlLake, metastore: MetastoreContainer) -> None:
    """From two TaskManagers to one and back to two, by savepoints on S3: each row once, each day listed and announced."""
    rows = Rows(20_000, per_day=2_000)
    table = registered(lake, rows, metastore, MULTIPART)
    savepoint = None
    for parallelism in (2, 1):
        job = lake.stream(table, rows, per_second=300, parallelism=parallelism, checkpoint="1 s", savepoint=savepoint)
        savepoint = job.runs().has_checkpoints(2).stops()
    lake.stream(table, rows, parallelism=2, checkpoint="1 s", savepoint=savepoint).finishes(PATIENCE)
    agree(metastore, table, rows)
