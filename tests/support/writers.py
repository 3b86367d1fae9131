"""A writer at work inside the test's process: real socket, real stages, any store; only the gateway is a list of calls."""

import dataclasses
import json
import socket
import threading
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from partition_bridge import bootstrap
from partition_bridge.bootstrap import Bootstrap
from partition_bridge.faultpoint import in_folder
from partition_bridge.process import WriterProcess
from partition_bridge.store.protocol import Store
from partition_bridge.store_settings import StoreKeys
from tests.support.jvm import Heard, Shim

MIB = 1 << 20
ORDINARY = {
    "proxy": None,
    "providers": None,
    "role": None,
    "objects": {
        "encryption": None,
        "encryption_key": None,
        "encryption_context": None,
        "acl": None,
        "storage_class": None,
        "requester_pays": False,
    },
    "ask_again_ms": None,
    "access_point": None,
    "signature": "s3v4",
    "region_of_instance": False,
}
"""What the shim says of a store where Flink's configuration has keys and an endpoint only."""
SCHEMA = pa.schema([("id", pa.int64()), ("text", pa.string())])


def start_message(**changes: Any) -> dict[str, Any]:
    """A whole start message of the shim, with `changes`."""
    store = {"endpoint": "http://127.0.0.1:1", "region": "us-east-1", "path_style": True, "access_key": "ak", "secret_key": "sk"}
    message: dict[str, Any] = {
        "protocol": 1,
        "socket": "/nowhere",
        "gateway_port": 1,
        "token": "ab" * 32,
        "subtask": 0,
        "parallelism": 1,
        "attempt": 0,
        "table": "t",
        "bucket": "lake",
        "prefix": "",
        "encoder": "arrow",
        "compression": "none",
        "schema": None,
        "format_options": {},
        "part_size": 5 * MIB,
        "upload_concurrency": 2,
        "commit_concurrency": 4,
        "checksum": "auto",
        "conditional": "auto",
        "inline_threshold": MIB,
        "inline_limit": 8 * MIB,
        "memory": 64 * MIB,
        "missing_upload": "fail",
        "store": {**store, "session_token": None, "aws_environment": {}, **ORDINARY},
        "fault_points": None,
    }
    return {**message, **changes}


def settings(**changes: Any) -> Bootstrap:
    """What the writer makes of `start_message`."""
    return bootstrap.parse(json.dumps(start_message(**changes)))


@dataclasses.dataclass
class ListedCalls:
    """`Control` that notes calls under the names of docs/protocol.md's methods, as Python spells them."""

    heard: Heard

    def _note(self, *call: Any) -> None:
        with self.heard.changed:
            self.heard.calls.append(call)
            self.heard.changed.notify_all()

    def hello(self, protocol: int, pid: int, versions: Mapping[str, Any]) -> None:
        self._note("hello", protocol, pid, versions)

    def upload_created(self, file: int, key: str, upload_id: str) -> None:
        self._note("upload_created", file, key, upload_id)

    def snapshot_ready(self, checkpoint: int, summary: Mapping[str, Any]) -> None:
        self._note("snapshot_ready", checkpoint, summary)

    def restored(self, summary: Mapping[str, Any]) -> None:
        self._note("restored", summary)

    def committed(self, checkpoint: int, summary: Mapping[str, Any]) -> None:
        self._note("committed", checkpoint, summary)

    def inserted(self, summary: Mapping[str, Any]) -> None:
        self._note("inserted", summary)

    def insert_ended(self) -> None:
        self._note("insert_ended")

    def failed(self, kind: str, message: str) -> None:
        self._note("failed", kind, message)

    def metrics(self, values: Mapping[str, Any]) -> None:
        self._note("metrics", values)

    def credentials(self) -> StoreKeys:
        self._note("credentials")
        return StoreKeys("ak", "sk", None)


class InProcessWriter:
    """`shim` drives it; `errors` has what the writer failed with."""

    def __init__(self, store: Store, **changes: Any) -> None:
        given = settings(**changes)
        ours, theirs = socket.socketpair()
        heard = Heard()
        self.errors: list[BaseException] = []
        self.warnings: list[str] = []
        self._theirs = theirs
        self.shim = Shim(ours, SCHEMA, heard)
        reach = in_folder(given.fault_points)
        self.process = WriterProcess(
            given, theirs, ListedCalls(heard), store, lambda: 1_000, lambda _: None, reach, self._fail, self.warnings.append
        )
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.process.run()
        except Exception as error:  # noqa: BLE001  # handed to the test
            self._fail(error)
        self._theirs.close()

    def _fail(self, error: BaseException) -> None:
        self.errors.append(error)
        heard = self.shim.heard
        with heard.changed:
            heard.gone, heard.gone_of = True, error
            heard.changed.notify_all()

    def shut_down(self) -> None:
        self.shim.shutdown()
        self._thread.join()
