"""Calls of the bridge's processes to the shim (docs/protocol.md, "Control calls"). The only module that knows py4j."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from partition_bridge.errors import Retry
from partition_bridge.store_settings import StoreKeys

Summary = Mapping[str, Any]


class Control(Protocol):
    """The shim as the writer sees it; may be called from any thread. A call returns when the shim has taken note."""

    def hello(self, protocol: int, pid: int, versions: Summary) -> None: ...

    def upload_created(self, file: int, key: str, upload_id: str) -> None: ...

    def snapshot_ready(self, checkpoint: int, summary: Summary) -> None: ...

    def restored(self, summary: Summary) -> None: ...

    def committed(self, checkpoint: int, summary: Summary) -> None: ...

    def inserted(self, summary: Summary) -> None: ...

    def insert_ended(self) -> None: ...

    def failed(self, kind: str, message: str) -> None: ...

    def metrics(self, values: Summary) -> None: ...

    def credentials(self) -> StoreKeys: ...


class Gateway:
    """The shim's py4j server. Raises ``Retry`` when it doesn't answer, or refuses."""

    def __init__(self, port: int, token: str) -> None:
        from py4j.java_gateway import GatewayParameters, JavaGateway

        # No proxies, no reflection of fields and no conversions: only strings and integers cross here.
        self._gateway = JavaGateway(
            gateway_parameters=GatewayParameters(
                address="127.0.0.1", port=port, auth_token=token, auto_field=False, auto_convert=False, eager_load=False
            )
        )

    def hello(self, protocol: int, pid: int, versions: Summary) -> None:
        self._call("hello", protocol, pid, _json(versions))

    def failed(self, kind: str, message: str) -> None:
        self._call("failed", kind, message)

    def credentials(self) -> StoreKeys:
        """The keys that the shim has now: Flink's configuration, its delegation tokens, or a Java class of the user's."""
        return StoreKeys(**json.loads(self._call("credentials")))

    def _call(self, name: str, *arguments: Any) -> Any:
        from py4j.protocol import Py4JError

        try:
            return getattr(self._gateway.entry_point, name)(*arguments)
        # Of half an answer py4j makes an IndexError or a ValueError.
        except (Py4JError, OSError, IndexError, ValueError) as broken:
            raise Retry(f"control call {name} to the task failed: {broken}") from broken


class GatewayControl(Gateway):
    """``Control`` by py4j."""

    def upload_created(self, file: int, key: str, upload_id: str) -> None:
        self._call("uploadCreated", file, key, upload_id)

    def snapshot_ready(self, checkpoint: int, summary: Summary) -> None:
        self._call("snapshotReady", checkpoint, _json(summary))

    def restored(self, summary: Summary) -> None:
        self._call("restored", _json(summary))

    def committed(self, checkpoint: int, summary: Summary) -> None:
        self._call("committed", checkpoint, _json(summary))

    def inserted(self, summary: Summary) -> None:
        self._call("inserted", _json(summary))

    def insert_ended(self) -> None:
        self._call("insertEnded")

    def metrics(self, values: Summary) -> None:
        self._call("metrics", _json(values))


class GatewayRequests(Gateway):
    """What the task asks of its metastore, by py4j."""

    def next(self) -> Summary | None:
        """The next request, waiting for it; None when there will be none."""
        request = self._call("next")
        return None if request is None else json.loads(request)

    def answered(self, request: int, answer: str | None) -> None:
        self._call("answered", request, answer)


def _json(value: Summary) -> str:
    return json.dumps(value, separators=(",", ":"))
