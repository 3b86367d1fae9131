"""Pages of docs/ that show what programs print: what they show is compared with what is printed, and written by `UPDATE_GOLDEN=1`."""

import os
import re
from pathlib import Path

from tests.support.flink import ROOT

_ENTRY = re.compile(r"^## (?:(?P<number>\d+)\. )?(?P<title>.+)\n", re.MULTILINE)
_BLOCK = re.compile(r"^```text\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL)


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
