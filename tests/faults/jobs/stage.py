"""A cluster whose writers reach the store through the fault proxy; Flink's own file system, and the tests, go to the store itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.integration.lake import BUCKET, Lake
from tests.soak.launch import interpreter
from tests.soak.stage import lake_on
from tests.support.faultproxy.proxy import FaultProxy
from tests.support.servers import SERVERS


@contextmanager
def stage(folder: Path, server_name: str) -> Iterator[tuple[Lake, FaultProxy]]:
    """The folder holds everything that the processes write, their logs included."""
    with SERVERS[server_name](folder / "s3") as server, FaultProxy(server.endpoint, folder / "proxy") as proxy:
        config = {
            # The bridge honours a bucket's own endpoint; s3-fs-native knows no such key.
            f"fs.s3a.bucket.{BUCKET}.endpoint": proxy.endpoint,
            "python.executable": str(interpreter(folder, impatient=True)),
        }
        with lake_on(server, folder, config) as lake:
            yield lake, proxy
