"""docs/misconfigurations.md: each set-up is made, and its entry shows what the command prints of it.

`UPDATE_GOLDEN=1` writes the outputs into the page anew: read the difference.
"""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.misconfigured import CI, THOROUGH, SetUp
from tests.support.commands import run
from tests.support.installations import Installation
from tests.support.pages import ShownOutputs
from tests.support.servers import S3Server, Versitygw

PAGE = ShownOutputs("misconfigurations.md")
CASES = [*map(pytest.param, CI), *(pytest.param(each, marks=pytest.mark.thorough) for each in THOROUGH)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A store that is up in no time, with the table's bucket."""
    with Versitygw(tmp_path_factory.mktemp("store")) as server:
        server.create_bucket("lake")
        yield server


def as_elsewhere(text: str, folder: Path) -> str:
    """Without what is this run's: folders, ports, numbers of requests."""
    places = {
        str(folder / "flink"): "/opt/flink",
        str(folder / "older"): "/opt/flink",
        sys.executable: "/opt/venv/bin/python3",
        f"{sys.base_prefix}/bin/python3": "/usr/bin/python3",
        str(folder): "/opt",
    }
    for here, there in places.items():
        text = text.replace(here, there)
    text = re.sub(r"127\.0\.0\.1:(?!9\b)\d+", "127.0.0.1:<port>", text)
    text = re.sub(r"request [^,)]+(, [0-9A-Z]{16})*", "request <id>", text)
    text = re.sub(r"\b1(19\d|20\d) s behind", "1200 s behind", text)  # whole seconds go by on the way
    text = re.sub(r"70627269-[0-9a-f-]{27}", "<uuid>", text)
    return re.sub(r"\b3\.1\d\.\d+\b", "3.11.7", text)


@pytest.mark.parametrize("title", CASES)
def test_the_page_shows_what_is_printed(title: str, store: S3Server, tmp_path: Path) -> None:
    """The right cause with its remedy, word for word; and no secret (I12)."""
    with ExitStack() as left:
        case = SetUp(tmp_path, Installation(tmp_path / "flink", {}), store, left)
        {**CI, **THOROUGH}[title](case)
        home = case.home or case.flink.home
        printed = run(*case.command, "--flink-home", str(home), *case.arguments, environment={**os.environ, **case.environment})
    shown = [*case.command, "--flink-home", as_elsewhere(str(home), tmp_path), *case.arguments]
    told = as_elsewhere(printed.stdout + printed.stderr, tmp_path)
    assert store.secret_key not in told, "no secret is shown"
    expected = 2 if told.startswith("error: ") else int("fail " in told or "No checkpoint" in told)
    assert printed.returncode == expected, f"a script goes by it: {told}"
    PAGE.check(title, as_elsewhere(f"$ partition-bridge {' '.join(shown)}\n{told}", tmp_path))
