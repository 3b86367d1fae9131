"""Values of Hadoop-style options: text in, checked values out."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from partition_bridge.errors import Configuration

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")


def refusal(key: str, value: str, allowed: str) -> Configuration:
    """The error for a value that can't be used."""
    return Configuration(f"'{key}' = '{value}' can't be used: allowed is {allowed}")


def whole_number(options: Mapping[str, str], key: str, default: int, least: int, most: int) -> int:
    """An integer between ``least`` and ``most``; hexadecimal is taken too, as Hadoop's ``Configuration.getInt`` does."""
    text = options.get(key)
    if text is None:
        return default
    try:
        stripped = text.strip()
        number = int(stripped, 16 if stripped.lower().startswith("0x") else 10)
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise refusal(key, text, f"a whole number from {least} to {most}")
    return number


def boolean(options: Mapping[str, str], key: str, *, default: bool) -> bool:
    """``true`` or ``false``. Hadoop takes any other text for the default; that hides typos, so it's refused."""
    return one_of(options, key, default, {"true": True, "false": False})


def one_of(options: Mapping[str, str], key: str, default: T, values: Mapping[str, T]) -> T:
    """One of the named values, upper and lower case alike; the names in ``values`` are lower case."""
    text = options.get(key)
    if text is None:
        return default
    try:
        return values[text.strip().lower()]
    except KeyError:
        raise refusal(key, text, " or ".join(values)) from None
