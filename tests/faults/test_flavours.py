"""The stores' ways are refusals: each refuses what it is there for, and takes the rest."""

import pytest

from tests.support.faultproxy.answers import Answer
from tests.support.faultproxy.flavours import (
    MIB,
    Memory,
    Request,
    at_most,
    equal_parts,
    minimum,
    once,
    remember,
    repeatable,
    unconditional,
)

COMPLETE = "CompleteMultipartUpload"


def completion(*sizes: int) -> tuple[Request, Memory]:
    """A Complete of an upload with parts of these sizes, and what the proxy remembers of them."""
    memory = Memory()
    for number, size in enumerate(sizes, 1):
        remember(Request("UploadPart", "u", number, body=b"x" * size), Answer(200), memory)
    named = "".join(f"<Part><PartNumber>{number}</PartNumber></Part>" for number in range(1, len(sizes) + 1))
    return Request(COMPLETE, "u", body=named.encode()), memory


@pytest.mark.parametrize(
    ("sizes", "refused"),
    [
        ((5, 5, 3), False),
        ((5, 5, 5), False),
        ((5,), False),
        ((5, 3), False),
        ((5, 6, 3), True),
        ((5, 4, 5), True),
        ((5, 6), True),
    ],
)
def test_parts_of_unequal_size_are_refused(sizes: tuple[int, ...], refused: bool) -> None:
    """All but the last must be equal, and the last may only be shorter."""
    assert (equal_parts(*completion(*sizes)) is not None) is refused


def test_small_parts_and_high_numbers_are_refused() -> None:
    """The last part may be small; any other may not, and none may have a number beyond the store's."""
    assert minimum(5)(*completion(5, 5, 1)) is None
    small = minimum(6)(*completion(5, 6, 1))
    assert small is not None
    assert b"EntityTooSmall" in small.body
    assert at_most(1)(Request("UploadPart", number=1), Memory()) is None
    assert at_most(1)(Request("UploadPart", number=2), Memory()) is not None


def test_a_repeated_completion_is_a_yes_or_a_no() -> None:
    """Both know only of what they have completed."""
    request, memory = completion(5 * MIB)
    assert repeatable(request, memory) is None
    assert once(request, memory) is None, "the first one goes to the server"
    yes = Answer(200, b"<CompleteMultipartUploadResult/>")
    remember(request, yes, memory)
    assert repeatable(request, memory) == yes
    no = once(request, memory)
    assert no is not None
    assert b"NoSuchUpload" in no.body


def test_a_condition_is_refused() -> None:
    """And nothing without one."""
    assert unconditional(Request("PutObject"), Memory()) is None
    refused = unconditional(Request("PutObject", conditional=True), Memory())
    assert refused is not None
    assert refused.status == 501
