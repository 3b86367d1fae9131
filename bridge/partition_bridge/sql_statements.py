"""A SQL file cut into its statements, as Flink's SQL client cuts it: at each ``;`` that isn't in a text, a name or a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: What holds semicolons that end nothing: comments, texts, names. A hint is a comment with a plus, and stays.
_TOKEN = re.compile(
    r"""(?P<comment>--[^\n]*|/\*(?!\+).*?\*/)
      | (?P<whole>'(?:[^']|'')*'|`(?:[^`]|``)*`|"(?:[^"]|"")*"|/\*\+.*?\*/)
      | (?P<end>;)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
#: A statement set is one statement, though its INSERTs end in semicolons.
_SET_BEGINS = re.compile(
    r"\s*(EXECUTE|EXPLAIN|COMPILE\s+PLAN\s+'[^']*'\s+FOR|COMPILE\s+AND\s+EXECUTE\s+PLAN\s+'[^']*'\s+FOR)?\s*STATEMENT\s+SET\s+BEGIN\b",
    re.IGNORECASE,
)
_SET_ENDS = re.compile(r".*;\s*END\s*", re.IGNORECASE | re.DOTALL)


def statements_of(text: str) -> list[str]:
    """The statements in their order, without comments and without the semicolons that end them; empty ones are left out."""
    return [each.strip() for each in _cut(text) if each.strip()]


def _cut(text: str) -> Iterator[str]:
    begun = ""
    for token in _TOKEN.finditer(text):
        if token["comment"] is not None:
            begun += " "
        elif token["end"] is None or (_SET_BEGINS.match(begun) and not _SET_ENDS.fullmatch(begun)):
            begun += token[0]
        else:
            yield begun
            begun = ""
    yield begun
