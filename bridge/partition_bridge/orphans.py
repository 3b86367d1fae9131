"""Open uploads of the bridge that no retained checkpoint names: what a hard kill leaves behind (I6).

S3 keeps an open upload, and bills its parts, until somebody aborts it. No job may do that, since none can know which
savepoints exist; so it's done here, given the checkpoints that are to stay restorable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from partition_bridge.names import folder_of, is_marked
from partition_bridge.store.protocol import OpenUpload, Store


def orphans(
    store: Store,
    bucket: str,
    prefix: str,
    named: Collection[tuple[str, str]],
    before_ms: int | None = None,
) -> list[OpenUpload]:
    """Open uploads under the table path ``prefix`` ("" is the whole bucket) that bear the bridge's mark and aren't ``named``.

    ``named`` holds (key, upload id). With ``before_ms`` (epoch milliseconds, the store's clock) only older ones: a running
    job's uploads since its last checkpoint are named by none yet.
    """
    return [
        upload
        for upload in store.list_uploads(bucket, folder_of(prefix))
        if is_marked(upload.key)
        and (upload.key, upload.upload_id) not in named
        and (before_ms is None or upload.initiated_ms < before_ms)
    ]


def abort(store: Store, bucket: str, uploads: Iterable[OpenUpload]) -> int:
    """Abort the uploads and count them. One that is gone meanwhile is no error; their bytes are lost for good."""
    count = 0
    for upload in uploads:
        store.abort(bucket, upload.key, upload.upload_id)
        count += 1
    return count
