"""Where the classes of a run write: folders, or buckets of a gateway that keeps each object as a file."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from botocore.exceptions import ClientError

from partition_bridge.names import TOKEN_METADATA
from tests.peer.connector import class_path
from tests.peer.launch import Outcome, run
from tests.peer.suites import FLINKS_WRITERS
from tests.support.flink import s3_config
from tests.support.servers import S3Server, Versitygw


class Stage:
    """Runs classes of one run; `server` where they write to S3. `python` runs the bridge's writers."""

    def __init__(self, name: str, folder: Path, server: S3Server | None, python: Path) -> None:
        self._folder = folder
        self._server = server
        self._class_path = class_path(name, folder / "jars")
        self._started = 0
        self._environment = {} if server is None else _configured(server, folder / "conf", python)

    def run(self, suite: str) -> Outcome:
        """One class, which has a folder of its own. May be called from several threads."""
        self._started += 1
        name = f"suite-{self._started}"
        work = self._folder / "work" / name
        if self._server is None:
            place = self._folder / "files" / name
            place.mkdir(parents=True)
            return run(suite, self._class_path, place, work, self._environment)
        self._server.create_bucket(name)
        outcome = run(suite, self._class_path, self._server.folder / "data" / name, work, self._environment)
        if suite not in FLINKS_WRITERS:
            outcome.trouble += self._strangers(name, outcome.files)
        return outcome

    def _strangers(self, bucket: str, files: Mapping[str, list[str]]) -> list[str]:
        """Data files that the store doesn't know as objects of the bridge."""
        assert self._server
        client = self._server.client()
        found = []
        for test, keys in files.items():
            for key in keys:
                try:
                    known = client.head_object(Bucket=bucket, Key=key)["Metadata"]
                except ClientError as refused:
                    found.append(f"{test}: {key}: {refused}")
                    continue
                if not known.get(TOKEN_METADATA):
                    found.append(f"{test}: {key} has no {TOKEN_METADATA}: not the bridge has written it")
        return found


@contextmanager
def stage(name: str, folder: Path, python: Path | None = None) -> Iterator[Stage]:
    """For `stock`, `local` or `s3`; the last starts a gateway in the folder."""
    for part in ("jars", "conf"):
        (folder / part).mkdir(parents=True)
    interpreter = python or Path(sys.executable)
    if name != "s3":
        yield Stage(name, folder, None, interpreter)
        return
    with Versitygw(folder / "store") as server:
        yield Stage(name, folder, server, interpreter)


def _configured(server: S3Server, conf: Path, python: Path) -> dict[str, str]:
    """Flink's configuration file, from which the suites' clusters get the store's keys, and what names it."""
    file = conf / "config.yaml"
    file.touch(mode=0o600)
    keys = {**s3_config(server), "python.executable": str(python)}
    file.write_text("".join(f"{key}: '{value}'\n" for key, value in keys.items()))
    return {"FLINK_CONF_DIR": str(conf)}
