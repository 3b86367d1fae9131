"""What the pages of docs/ show: code in blocks, and outputs that are compared with what is printed, and written by `UPDATE_GOLDEN=1`."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.flink import ROOT

_ENTRY = re.compile(r"^## (?:(?P<number>\d+)\. )?(?P<title>.+)\n", re.MULTILINE)
_BLOCK = re.compile(r"^```text\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```(?P<language>[a-z]+)\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class CodeBlock:
    """A block of a page. `number`: its place among the page's blocks of its language, from 1."""

    page: str
    language: str
    number: int
    content: str

    @property
    def name(self) -> tuple[str, str, int]:
        """How an exemption names it."""
        return self.page, self.language, self.number


def code_blocks() -> Iterator[CodeBlock]:
    """Those of README.md, CONTRIBUTING.md and docs/ that are marked with a language; not outputs, which are `text`."""
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))):
        seen: Counter[str] = Counter()
        for block in _CODE.finditer(page.read_text()):
            language = block["language"]
            if language != "text":
                seen[language] += 1
                yield CodeBlock(str(page.relative_to(ROOT)), language, seen[language], block["content"])


class ShownOutputs:
    """A page of entries, each with a heading of the second level and the first `text` block below it."""

    def __init__(self, name: str) -> None:
        self._path: Path = ROOT / "docs" / name

    def titles(self) -> list[str]:
        """In the page's order, without numbers."""
        return [each["title"] for each in _ENTRY.finditer(self._path.read_text())]

    def numbers(self) -> list[int]:
        """Of the entries that have one."""
        return [int(each["number"]) for each in _ENTRY.finditer(self._path.read_text()) if each["number"]]

    def check(self, title: str, printed: str) -> None:
        """The entry shows what was printed."""
        text = self._path.read_text()
        start, end = self._block(text, title)
        if os.environ.get("UPDATE_GOLDEN"):
            self._path.write_text(text[:start] + printed + text[end:])
            return
        assert text[start:end] == printed, (
            f"docs/{self._path.name}, {title!r}: UPDATE_GOLDEN=1 writes it anew: read the difference"
        )

    def _block(self, text: str, title: str) -> tuple[int, int]:
        heading = next((each for each in _ENTRY.finditer(text) if each["title"] == title), None)
        assert heading is not None, f"docs/{self._path.name} has no entry {title!r}"
        following = _ENTRY.search(text, heading.end())
        block = _BLOCK.search(text, heading.end(), following.start() if following else len(text))
        assert block is not None, f"docs/{self._path.name}, {title!r} shows no output: give it a block of `text`"
        return block.start("content"), block.end("content")
