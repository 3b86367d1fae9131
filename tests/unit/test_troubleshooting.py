"""docs/troubleshooting.md quotes messages that the code has: a reworded message takes its page along."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text()
HEADING = re.compile(r"^\*\*(?P<messages>`.+?)\*\*(?P<after>.{0,12})", re.MULTILINE)
"""The bold start of an entry, where it is a message and not a symptom in plain words."""


def quoted() -> list[str]:
    """Each message of the page, but for those that are Flink's own."""
    headings = [found for found in HEADING.finditer(PAGE) if "(Flink's)" not in found["after"]]
    return [message for found in headings for message in re.findall(r"`([^`]+)`", found["messages"])]


@cache
def code() -> str:
    """Both languages' sources, with every literal that is broken over lines put together again."""
    files = [*(ROOT / "bridge").rglob("*.py"), *(ROOT / "java-shim" / "src" / "main").rglob("*.java")]
    text = "\n".join(each.read_text() for each in sorted(files))
    return re.sub(r'"\s*\+?\s*f?"', "", text)


@pytest.mark.parametrize("message", quoted())
def test_the_code_has_each_message_of_the_page(message: str) -> None:
    """What stands between two `…` is in the code word for word."""
    for fixed in filter(None, (part.strip() for part in message.split("…"))):
        assert fixed in code(), f"no message has {fixed!r}: correct the page, so that who searches it for an error finds it"


def test_the_page_is_read_as_it_was_meant() -> None:
    """Most entries are messages; a change of the page's form must not leave this test with nothing to look at."""
    assert len(quoted()) > 20, "entries begin with **`message`**"
