"""What the bridge needs of a store, the same for memory and real servers (store/protocol.py)."""

import contextlib
import itertools
from collections.abc import Callable

import pytest

from partition_bridge.entries import Part
from partition_bridge.errors import Configuration, NoSuchUpload, PartsRefused, PreconditionFailed
from partition_bridge.store.protocol import Store

BUCKET = "lake"
FULL = bytearray(5 << 20)
META = {"pb-token": "0a" * 16}
Upload = Callable[..., tuple[str, list[Part]]]
_numbers = itertools.count()


@pytest.fixture
def key(request: pytest.FixtureRequest) -> str:
    """A key of the test's own."""
    return f"{request.node.originalname}/{next(_numbers)}/day=2013-01-01/Zürich part-0"


@pytest.fixture
def upload(store: Store, key: str) -> Upload:
    """Uploads bodies as parts 1, 2, … of a new upload."""

    def send(*bodies: bytearray) -> tuple[str, list[Part]]:
        upload_id = store.create(BUCKET, key, META)
        parts = []
        for number, body in enumerate(bodies, 1):
            stored = store.upload_part(BUCKET, key, upload_id, number, body)
            parts.append(Part(number, len(body), stored.etag, stored.checksum))
        return upload_id, parts

    return send


def test_bucket_is_there(store: Store) -> None:
    """A bucket that exists passes; one that doesn't is a configuration error that names it."""
    store.check_bucket(BUCKET)
    with pytest.raises(Configuration, match="absent"):
        store.check_bucket("absent")


def test_upload_is_invisible_until_it_is_completed(store: Store, key: str, upload: Upload) -> None:
    """Parts show up in ListParts and ListMultipartUploads, the object only after complete, with its metadata."""
    upload_id, parts = upload(FULL, bytearray(b"end"))
    assert store.head(BUCKET, key) is None, "nothing is visible yet (I2)"
    assert [(p.number, p.size) for p in store.list_parts(BUCKET, key, upload_id)] == [(1, len(FULL)), (2, 3)]
    assert [(u.key, u.upload_id) for u in store.list_uploads(BUCKET, key)] == [(key, upload_id)]
    store.complete(BUCKET, key, upload_id, parts, only_if_absent=True)
    there = store.head(BUCKET, key)
    assert there is not None
    assert (there.size, there.metadata["pb-token"]) == (len(FULL) + 3, META["pb-token"]), "size and token are the proof (I3)"
    assert list(store.list_uploads(BUCKET, key)) == [], "the upload is gone"
    assert [(o.key, o.size) for o in store.list_objects(BUCKET, key)] == [(key, there.size)]


def test_single_small_part_makes_an_object(store: Store, key: str, upload: Upload) -> None:
    """The last part may be small, also when it is the only one."""
    upload_id, parts = upload(bytearray(b"x"))
    store.complete(BUCKET, key, upload_id, parts, only_if_absent=True)
    there = store.head(BUCKET, key)
    assert there is not None
    assert there.size == 1


def test_small_part_before_the_last_is_refused(store: Store, key: str, upload: Upload) -> None:
    """Under 5 MiB only the last part is allowed; the upload stays as it was."""
    upload_id, parts = upload(bytearray(b"small"), bytearray(b"end"))
    with pytest.raises(PartsRefused):
        store.complete(BUCKET, key, upload_id, parts, only_if_absent=False)
    assert store.head(BUCKET, key) is None
    assert len(store.list_parts(BUCKET, key, upload_id)) == 2, "a refused upload is still there"


def test_part_with_another_etag_is_refused(store: Store, key: str, upload: Upload) -> None:
    """The store holds us to the ETags of the state."""
    upload_id, parts = upload(bytearray(b"x"))
    wrong = [Part(1, 1, '"00000000000000000000000000000000"')]
    with pytest.raises(PartsRefused):
        store.complete(BUCKET, key, upload_id, wrong, only_if_absent=False)
    store.complete(BUCKET, key, upload_id, parts, only_if_absent=False)


def test_part_sent_again_replaces_the_first(store: Store, key: str, upload: Upload) -> None:
    """A part whose answer was lost is sent again under its number."""
    upload_id, _ = upload(bytearray(b"first"))
    again = store.upload_part(BUCKET, key, upload_id, 1, bytearray(b"second"))
    store.complete(BUCKET, key, upload_id, [Part(1, 6, again.etag)], only_if_absent=True)
    there = store.head(BUCKET, key)
    assert there is not None
    assert there.size == 6


def test_repeated_complete_never_harms(store: Store, key: str, upload: Upload) -> None:
    """A repeated complete is answered by yes, NoSuchUpload or a refused precondition; the object stays as it is."""
    upload_id, parts = upload(bytearray(b"x"))
    store.complete(BUCKET, key, upload_id, parts, only_if_absent=True)
    before = store.head(BUCKET, key)
    with contextlib.suppress(NoSuchUpload, PreconditionFailed):
        store.complete(BUCKET, key, upload_id, parts, only_if_absent=True)
    assert store.head(BUCKET, key) == before


def test_existing_object_is_not_overwritten(store: Store, key: str, upload: Upload) -> None:
    """With only_if_absent neither complete nor put touches an object that is there (I10)."""
    store.put(BUCKET, key, b"first", META, only_if_absent=True)
    with pytest.raises(PreconditionFailed):
        store.put(BUCKET, key, b"second!", META, only_if_absent=True)
    upload_id, parts = upload(bytearray(b"third one"))
    with pytest.raises(PreconditionFailed):
        store.complete(BUCKET, key, upload_id, parts, only_if_absent=True)
    there = store.head(BUCKET, key)
    assert there is not None
    assert there.size == 5


def test_aborted_upload_is_unknown(store: Store, key: str, upload: Upload) -> None:
    """After abort nothing can be completed; aborting again is no error."""
    upload_id, parts = upload(bytearray(b"x"))
    store.abort(BUCKET, key, upload_id)
    store.abort(BUCKET, key, upload_id)
    with pytest.raises(NoSuchUpload):
        store.complete(BUCKET, key, upload_id, parts, only_if_absent=True)
    with pytest.raises(NoSuchUpload):
        store.list_parts(BUCKET, key, upload_id)
    assert store.head(BUCKET, key) is None


def test_put_keeps_metadata_and_delete_removes(store: Store, key: str) -> None:
    """A single PUT bears the token too; an empty body is an object; delete is final and repeatable."""
    store.put(BUCKET, key, b"", META, only_if_absent=True)
    there = store.head(BUCKET, key)
    assert there is not None
    assert (there.size, there.metadata["pb-token"]) == (0, META["pb-token"])
    store.delete(BUCKET, key)
    store.delete(BUCKET, key)
    assert store.head(BUCKET, key) is None


def test_content_of_an_object(store: Store, key: str) -> None:
    """A whole object comes back as it was stored, an empty one too; of no object there is no content."""
    assert store.get(BUCKET, key) is None
    store.put(BUCKET, key, bytes(FULL), META, only_if_absent=True)
    assert store.get(BUCKET, key) == bytes(FULL)
    store.put(BUCKET, f"{key}-empty", b"", META, only_if_absent=True)
    assert store.get(BUCKET, f"{key}-empty") == b""
