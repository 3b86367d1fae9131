"""What others do to the store or the state behind the job's back."""

from collections.abc import Callable

from partition_bridge import entries
from tests.faults.bench import BUCKET, Lake

Deed = Callable[[Lake, list[bytes]], list[bytes]]
"""Is given the state of the last complete checkpoint, and gives the state that the job will find."""


def _large(state: list[bytes]) -> entries.Entry:
    return next(entry for entry in map(entries.decode, state) if entry.upload_id is not None)


def forgotten(lake: Lake, state: list[bytes]) -> list[bytes]:
    """A lifecycle rule aborts the upload that the checkpoint names."""
    entry = _large(state)
    lake.server.client().abort_multipart_upload(Bucket=BUCKET, Key=entry.key, UploadId=str(entry.upload_id))
    return state


def foreign(lake: Lake, state: list[bytes]) -> list[bytes]:
    """Somebody puts an object of exactly our size under our key."""
    entry = _large(state)
    lake.server.client().put_object(Bucket=BUCKET, Key=entry.key, Body=b"x" * entry.size, Metadata={"owner": "somebody"})
    return state


def deleted(lake: Lake, state: list[bytes]) -> list[bytes]:
    """Somebody deletes the object after it was completed."""
    lake.server.client().delete_object(Bucket=BUCKET, Key=_large(state).key)
    return state


def trailing_bytes(lake: Lake, state: list[bytes]) -> list[bytes]:
    """The state has bytes after an entry's end."""
    del lake
    return [state[0] + b"\0\0\0\0", *state[1:]]


def cut_state(lake: Lake, state: list[bytes]) -> list[bytes]:
    """The state lacks an entry's last bytes."""
    del lake
    return [state[0][:-3], *state[1:]]


DEEDS: dict[str, Deed] = {
    "forgotten": forgotten,
    "foreign": foreign,
    "deleted": deleted,
    "trailing-bytes": trailing_bytes,
    "cut-state": cut_state,
}
"""`shutdown`, `declined`, `late-notify` and `zombie` are turns of the job itself (`run`)."""
