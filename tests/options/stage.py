"""Store and cluster that stand while pytest runs once for each option: to start them each time would take longer than the tests."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.integration.lake import BUCKET
from tests.support.jars import policies_jar
from tests.support.job_fixtures import job_cluster
from tests.support.servers import S3Server, Versitygw

if TYPE_CHECKING:
    from _pytest.fixtures import SubRequest


class Standing:
    """A plugin of pytest: fixtures of the session by their names, in place of those that each run would make."""

    def __init__(self, server: S3Server, fixtures: Mapping[str, object]) -> None:
        self._server = server
        self._fixtures = {"server": server, **fixtures}

    def clears(self) -> None:
        """Nothing of an earlier run is in the bucket: some tests name their tables."""
        client = self._server.client()
        for page in client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
            for each in page.get("Contents", []):
                client.delete_object(Bucket=BUCKET, Key=each["Key"])

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object], request: "SubRequest") -> object:
        """The value; None leaves it to pytest."""
        if fixturedef.scope != "session" or fixturedef.argname not in self._fixtures:
            return None
        value = self._fixtures[fixturedef.argname]
        fixturedef.cached_result = (value, fixturedef.cache_key(request), None)
        return value


@contextmanager
def standing(folder: Path, shim: Path) -> Iterator[Standing]:
    """What tests/support/job_fixtures.py makes for the job tests, with this shim."""
    for each in ("s3", "faults", "flink"):
        (folder / each).mkdir()
    with Versitygw(folder / "s3") as server:
        server.create_bucket(BUCKET)
        with job_cluster(folder / "flink", server, folder / "faults", shim) as cluster:
            policies = policies_jar(folder / "policies")
            yield Standing(server, {"policies": policies, "fault_folder": folder / "faults", "cluster": cluster})
