"""State bytes are public API: what a version wrote once is never changed, only added to (I7)."""

import hashlib

from tests.support.golden_entries import FOLDER

GOLDEN = FOLDER.parent
SUMS = GOLDEN / "SHA256SUMS"


def test_golden_files_are_as_they_were_written() -> None:
    """Each file has the checksum that was noted when it was added; none has gone, none is unnoted."""
    noted = {name: digest for digest, name in (line.split("  ") for line in SUMS.read_text().splitlines())}
    found = {path.relative_to(GOLDEN).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in GOLDEN.rglob("*.bin")}
    assert found == noted, (
        "a golden file must not change or go: savepoints of users have these bytes. A new one is noted by "
        "`cd tests/golden && sha256sum */*.bin > SHA256SUMS`; a change of the format needs a new version"
    )
