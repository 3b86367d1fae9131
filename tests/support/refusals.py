"""Answers of a store that the real servers don't give by themselves, put in front of them inside the client."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from botocore.awsrequest import AWSResponse

Request = Any  # botocore's AWSPreparedRequest, which has no types


@dataclass
class Refusals:
    """Answers with `status` and `code` where `due` says so, and lets all else through to the server. `sent` has every request."""

    status: int
    code: str
    due: Callable[[Request], bool]
    sent: list[Request] = field(default_factory=list)
    refused: list[Request] = field(default_factory=list)

    def into(self, client: Any) -> None:
        """From now on in front of `client`."""
        client.meta.events.register("before-send.s3", self._answer)

    def _answer(self, request: Request, **_: Any) -> AWSResponse | None:
        self.sent.append(request)
        if not self.due(request):
            return None
        self.refused.append(request)
        body = f"<Error><Code>{self.code}</Code><Message>as the store says</Message><RequestId>R1</RequestId></Error>"
        headers = {"Content-Type": "application/xml"}
        return AWSResponse(request.url, self.status, headers, _Body(b"" if request.method == "HEAD" else body.encode()))  # type: ignore[arg-type]


class _Body(io.BytesIO):
    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()


def without_header(client: Any, name: str) -> None:
    """The server never sees the header, as if it ignored it."""

    def strip(request: Request, **_: Any) -> None:
        del request.headers[name]

    client.meta.events.register("before-sign.s3", strip)
