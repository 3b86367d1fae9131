"""A cluster whose writers reach the store through the fault proxy, and their tasks' gateways through toxiproxy; Flink's own file system,
and the tests, go to the store itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.faults.jobs.gateways import python_with_a_line
from tests.integration.lake import BUCKET, Lake
from tests.soak.stage import lake_on
from tests.support.faultproxy.proxy import FaultProxy
from tests.support.servers import SERVERS
from tests.support.tcpproxy import TcpProxy


@dataclass(frozen=True)
class FaultyLake:
    """`proxy` is before the store, `lines` before the gateways."""

    lake: Lake
    proxy: FaultProxy
    lines: TcpProxy


@contextmanager
def stage(folder: Path, server_name: str) -> Iterator[FaultyLake]:
    """The folder holds everything that the processes write, their logs included."""
    with (
        SERVERS[server_name](folder / "s3") as server,
        FaultProxy(server.endpoint, folder / "proxy") as proxy,
        TcpProxy(folder / "lines") as lines,
    ):
        config = {
            # The bridge honours a bucket's own endpoint; s3-fs-native knows no such key.
            f"fs.s3a.bucket.{BUCKET}.endpoint": proxy.endpoint,
            "python.executable": str(python_with_a_line(folder, lines.api)),
        }
        with lake_on(server, folder, config) as lake:
            yield FaultyLake(lake, proxy, lines)
