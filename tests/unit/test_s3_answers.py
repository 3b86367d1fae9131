"""A 200 that only looks like one: a proxy's page, an empty body."""

from typing import Any

import pytest

from partition_bridge.entries import Part
from partition_bridge.errors import StoreUnavailable
from partition_bridge.store.conditional import Conditional
from partition_bridge.store.s3 import S3Store


class LoginPage:
    """A client whose every call is answered with 200 and nothing of S3 in it."""

    def __getattr__(self, verb: str) -> Any:
        return lambda **_: {"ResponseMetadata": {"HTTPStatusCode": 200}}


class Unchanging:
    """`Clients` that are never renewed."""

    current = LoginPage()


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("create", ({},)),
        ("upload_part", ("u", 1, b"x")),
        ("complete", ("u", [Part(1, 1, '"e"')], True)),
        ("put", (b"x", {}, True)),
        ("head", ()),
    ],
)
def test_success_without_what_only_a_store_knows_is_unclear(verb: str, arguments: tuple[Any, ...]) -> None:
    """No upload id, ETag or date: the answer may be anybody's, so the caller reads back or tries again (I3)."""
    store = S3Store(Unchanging(), None, Conditional.AUTO)  # type: ignore[arg-type]  # all that it uses of Clients
    with pytest.raises(StoreUnavailable, match=r"s3://lake/k.*no answer of an object store"):
        getattr(store, verb)("lake", "k", *arguments)
