"""A cluster and a store of its own, whose JVMs are in a zone with summer time: times without a zone depend on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.differential.forks import warm_interpreter
from tests.integration.lake import Lake
from tests.soak.stage import lake_on
from tests.support.servers import Versitygw
from tests.support.spark import spark_session

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

ZONE = "Europe/Berlin"
NETWORK = "256m"
"""Two batch jobs of 20 tables at a time: each of the bridge's has an exchange of 16 MB (docs/parity.md, "network memory")."""


@dataclass(frozen=True)
class Stage:
    """What tables are written on and read with; `python` is the interpreter of the bridge's writers."""

    lake: Lake
    client: "S3Client"
    python: Path
    spark: Any = None


@contextmanager
def stage(folder: Path) -> Iterator[Stage]:
    """The folder holds everything that the processes write, their logs included."""
    config = {
        "env.java.opts.taskmanager": f"-Duser.timezone={ZONE}",
        "execution.checkpointing.timeout": "10 min",
        # A batch job takes every slot that is free; a job that finds none must wait, and only in this time does a standalone cluster let it.
        "resourcemanager.standalone.start-up-time": "1 d",
        **dict.fromkeys(("taskmanager.memory.network.min", "taskmanager.memory.network.max"), NETWORK),
    }
    with (
        Versitygw(folder / "s3") as server,
        warm_interpreter(folder) as python,
        lake_on(server, folder, config) as lake,
        spark_session(folder) as spark,
    ):
        # What Spark can't read is an answer, told in the end; and no time of these files needs its old calendar.
        spark.sparkContext.setLogLevel("OFF")
        for kind in ("datetime", "int96"):
            spark.conf.set(f"spark.sql.parquet.{kind}RebaseModeInRead", "CORRECTED")
        yield Stage(lake, server.client(), python, spark)
