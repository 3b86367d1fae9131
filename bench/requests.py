"""Requests to the S3 server, counted by its own access log."""

import re
from collections import Counter
from pathlib import Path

_OPERATION = re.compile(r" s3_(\w+) ")


class AccessLog:
    """versitygw's `--access-log`, a line a request in the form of S3's server access logs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = 0

    def news(self) -> Counter[str]:
        """S3 operations, and how often each was asked for since the last look. Lines that are being written wait for the next."""
        with self.path.open("rb") as log:
            log.seek(self._read)
            lines = log.read()
        whole = lines[: lines.rfind(b"\n") + 1]
        self._read += len(whole)
        return Counter(_OPERATION.findall(whole.decode("utf-8", "replace")))
