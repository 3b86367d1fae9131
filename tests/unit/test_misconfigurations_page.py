"""docs/misconfigurations.md: every entry is one that a test brings about, and messages of jobs are those that were brought about."""

import re

import pytest

from tests.integration.misconfigured import CI, JOBS, THOROUGH
from tests.support.flink import ROOT
from tests.support.pages import ShownOutputs

PAGE = ShownOutputs("misconfigurations.md")
MESSAGES = ROOT / "tests" / "golden" / "messages"
SUPPORTED = re.compile(r"(?<=Supported options:\n\n).*", re.DOTALL)


@pytest.mark.parametrize("title", JOBS)
def test_the_page_shows_the_message_of_a_real_job(title: str) -> None:
    """Word for word, but for the long list of options, which docs/options.md has."""
    message = (MESSAGES / f"{JOBS[title]}.txt").read_text()
    PAGE.check(title, SUPPORTED.sub("…\n", re.sub(r"\n{3,}", "\n\n", message)))


def test_every_entry_is_brought_about_by_a_test() -> None:
    """No more entries and no fewer, numbered, and most of them looked at by each run of CI."""
    titles = PAGE.titles()
    assert sorted(titles) == sorted([*CI, *THOROUGH, *JOBS]), "an entry without a set-up, or a set-up without an entry"
    assert PAGE.numbers() == list(range(1, len(titles) + 1)), "one by one"
    assert len(titles) >= 20
    assert len(CI) + len(JOBS) > 2 * len(THOROUGH), "CI looks at most of them"
