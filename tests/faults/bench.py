"""What cases share: one JVM with the gateway, one server of each kind, a proxy in front of each, and the rows."""

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from partition_bridge.store.protocol import Store
from partition_bridge.store.s3 import open_store
from partition_bridge.store_settings import StoreSettings
from tests.support.faultproxy.proxy import FaultProxy
from tests.support.peer import Peer
from tests.support.servers import SERVERS, S3Server
from tests.support.tcpproxy import Line, TcpProxy
from tests.support.writers import SCHEMA

BUCKET = "lake"
LARGE_ROWS, LARGE_WIDTH = 112, 1 << 16
"""Seven MiB that no codec makes smaller than half: a part of 5 MiB, and a rest. Twice that many rows, which make three parts, would cost each case a second."""


def random_rows(first: int, count: int, width: int) -> pa.RecordBatch:
    """Rows of SCHEMA, numbered from `first`, with texts of `width` characters that no codec makes small."""
    source = random.Random(first)
    texts = [source.randbytes(width // 2).hex() for _ in range(count)]
    return pa.record_batch([pa.array(range(first, first + count)), pa.array(texts)], schema=SCHEMA)


@dataclass
class Lake:
    """A server, the proxy in front of it, and the line to that. The tests look at the server itself; writers know the line alone."""

    server: S3Server
    proxy: FaultProxy
    line: Line

    @cached_property
    def store(self) -> Store:
        """The bridge's own view of the server, past the proxy."""
        server = self.server
        settings = StoreSettings(server.endpoint, server.region, True, server.access_key, server.secret_key, None, {})
        return open_store(settings, "off", connections=4)


@dataclass
class Bench:
    """Started once, used by one case after the other. `folder` takes what the writers write to standard error."""

    peer: Peer
    gateway: Line
    lakes: dict[str, Lake]
    folder: Path
    large: pa.RecordBatch = field(default_factory=lambda: random_rows(0, LARGE_ROWS, LARGE_WIDTH))
    larger: pa.RecordBatch = field(default_factory=lambda: random_rows(0, 2 * LARGE_ROWS, LARGE_WIDTH))
    unnamed: pa.RecordBatch = field(default_factory=lambda: random_rows(5_000, LARGE_ROWS, LARGE_WIDTH))
    small: pa.RecordBatch = field(default_factory=lambda: random_rows(1_000, 10, 64))
    later: pa.RecordBatch = field(default_factory=lambda: random_rows(2_000, 10, 64))


@contextmanager
def bench(folder: Path, servers: set[str]) -> Iterator[Bench]:
    """A bench with the servers named in `servers`."""
    lakes: dict[str, Lake] = {}
    with ExitStack() as running:
        peer = Peer()
        running.callback(peer.stop)
        lines = running.enter_context(TcpProxy(folder / "toxiproxy"))
        for name in sorted(servers):
            server = SERVERS[name](folder / name)
            server.start()
            running.callback(server.stop)
            server.create_bucket(BUCKET)
            proxy = running.enter_context(FaultProxy(server.endpoint, folder / f"{name}-proxy"))
            lakes[name] = Lake(server, proxy, lines.line(name, proxy.endpoint))
        gateway = lines.line("gateway", f"http://127.0.0.1:{peer.port}")
        yield Bench(peer, gateway, lakes, folder)
