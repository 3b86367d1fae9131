"""Links of README.md and CONTRIBUTING.md lead somewhere. Those of docs/ are looked at by `make docs`, which reads nothing outside."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "CONTRIBUTING.md")


def links(page: Path) -> Iterator[str]:
    """Targets of all links and pictures that aren't on the web."""
    for block in MarkdownIt().parse(page.read_text()):
        for token in block.children or ():
            target = token.attrGet("href") or token.attrGet("src")
            if target is not None and "://" not in str(target):
                yield str(target)


def anchors(page: Path) -> set[str]:
    """What GitHub makes of the page's headings: lower case, hyphens for blanks, letters, digits, hyphens and underscores only."""
    blocks = MarkdownIt().parse(page.read_text())
    headings = [text.content for opened, text in itertools.pairwise(blocks) if opened.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file_and_to_a_heading_of_it(page: str) -> None:
    """A page or heading that is renamed takes along what points to it."""
    found = list(links(ROOT / page))
    assert found, "the page has links, else this test looks at nothing"
    for target in found:
        path, _, anchor = target.partition("#")
        file = ROOT / path if path else ROOT / page
        assert file.exists(), f"{page} links to {target}, which isn't there"
        assert not anchor or anchor in anchors(file), f"{page} links to {target}, and no heading of that page has this name"
