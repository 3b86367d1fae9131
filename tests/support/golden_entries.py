"""The entries behind tests/golden/entries; `python -m tests.support.golden_entries` writes the files of a new version."""

from pathlib import Path

from partition_bridge import insert_list
from partition_bridge.entries import Entry, Part, encode
from partition_bridge.insert_list import InsertList

FOLDER = Path(__file__).resolve().parents[1] / "golden" / "entries"
MIB = 1 << 20


def _entry(**changes: object) -> Entry:
    fields: dict = {
        "state": "pending",
        "bucket": "lake",
        "key": "flights/day=2013-01-01/part-70627269-1a2b-8c3d-9e4f-0123456789ab-0-7",
        "partition": "day=2013-01-01/",
        "token": "00112233445566778899aabbccddeeff",
        "upload_id": "upload-1",
        "parts": (Part(1, 16 * MIB, '"9b2cf535f27731c974343645a3985328"'), Part(2, 12345, '"5eb63bbbe01eeed093cb22bb8f5acdc3"')),
        "part_size": 16 * MIB,
        "sealed": True,
        "size": 16 * MIB + 12345,
        "tail": b"",
        "rows": 200_000,
        "checkpoint": 42,
        "created_ms": 1_357_034_400_000,
        "last_write_ms": 1_357_034_460_000,
        "encoder": "arrow",
        "schema": "0123456789abcdef",
    }
    return Entry(**{**fields, **changes})


GOLDEN = {
    "v1-multipart": _entry(),
    "v1-inline": _entry(upload_id=None, parts=(), size=10, tail=bytes(range(246, 256)), rows=1),
    "v1-completed": _entry(state="completed", upload_id=None, parts=()),
    "v1-checksums": _entry(parts=(Part(1, 5, '"abc"', "AAAAAAAAAAA="),), size=5),
    "v1-other-letters": _entry(partition="stadt=Zürich/", key='tisch/stadt=Zürich/日本 "quoted" \\ part-0', encoder="host"),
    "v1-rare-letters": _entry(
        partition="vogel=\U0001f426\U00021f1e/", key="tisch/vogel=\U0001f426\U00021f1e/\x0b\x1f\x7f\u2028 part-0"
    ),
    "v1-last-checkpoint": _entry(checkpoint=(1 << 63) - 1, partition=""),
    "v1-open": _entry(sealed=False, parts=_entry().parts[:1], size=16 * MIB + 3, tail=b"abc"),
}

GOLDEN_LIST = InsertList(("flights/day=2013-01-01/_SUCCESS", "flights/day=2013-01-01/Zürich"), tuple(GOLDEN.values())[:2])
LIST_FILE = FOLDER.parent / "inserts" / "v1-list.bin"

if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    LIST_FILE.parent.mkdir(parents=True, exist_ok=True)
    LIST_FILE.write_bytes(insert_list.encode(GOLDEN_LIST))
    for name, entry in GOLDEN.items():
        (FOLDER / f"{name}.bin").write_bytes(encode(entry))
