"""How the bench counts requests."""

from pathlib import Path

from bench.requests import AccessLog

LINE = '- lake [03/December/2026:12:48:37 +0000] 127.0.0.1 - U92T3EKJHWGEGUX1 s3_{} k "PUT /lake/k" 200 - 0 0 0 0 - Boto3/1.44.8 - SigV4\n'


def test_requests_are_counted_once_by_their_operation(tmp_path: Path) -> None:
    """Each look tells what came since the last one; a line that the server is about to write waits for the next."""
    log = AccessLog(tmp_path / "access.log")
    begun = LINE.format("PutObject")[:40]
    log.path.write_text("log starts\n" + LINE.format("UploadPart") * 2 + LINE.format("HeadObject") + begun)
    assert log.news() == {"UploadPart": 2, "HeadObject": 1}, "whole lines count"
    with log.path.open("a") as more:
        more.write(LINE.format("PutObject")[40:])
    assert log.news() == {"PutObject": 1}, "the line that was begun, and nothing twice"
