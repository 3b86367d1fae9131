"""A cluster and a store of its own, whose JVMs are in a zone with summer time: times without a zone depend on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.integration.lake import Lake
from tests.soak.stage import lake_on
from tests.support.servers import Versitygw

ZONE = "Europe/Berlin"


@contextmanager
def stage(folder: Path) -> Iterator[Lake]:
    """The folder holds everything that the processes write, their logs included."""
    config = {"env.java.opts.taskmanager": f"-Duser.timezone={ZONE}", "execution.checkpointing.timeout": "10 min"}
    with Versitygw(folder / "s3") as server, lake_on(server, folder, config) as lake:
        yield lake
