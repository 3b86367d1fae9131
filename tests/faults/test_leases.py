"""Credentials that end while a file is open, in short; `make faults` takes minutes for it."""

from pathlib import Path

import pytest

from tests.faults.leases import BATCHES, outlive


@pytest.mark.thorough
def test_a_file_outlives_its_credentials(tmp_path: Path) -> None:
    """A file open for two leases of a role, one of them revoked, and completed by a successor after the last: every row is there."""
    shown = outlive(5, 10, tmp_path)
    assert shown.sessions > 3, "a new session before the end of each"
    assert {method for method, _ in shown.refused} <= {"PUT", "POST", "HEAD"}
    assert shown.parts >= BATCHES // 2, "parts were sent in all of them"
