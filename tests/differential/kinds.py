"""SQL types with their values, as Hypothesis strategies: each value as Flink's JSON format reads it, so that a source file carries all exactly."""

# ruff: noqa: DTZ001  # a TIMESTAMP has no zone

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Context, Decimal
from typing import Any, Literal

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

Values = SearchStrategy[Any]
_WIDE = Context(prec=60)
"""Decimal's own 28 digits would round."""


@dataclass(frozen=True)
class Kind:
    """A type: its name in DDL, the one by which JSON carries it, what it's counted as, and its values."""

    sql: str
    carrier: str
    families: tuple[str, ...]
    values: Values
    nulls: bool = True

    @property
    def cast(self) -> bool:
        return self.sql != self.carrier

    def mandatory(self) -> "Kind":
        """The same, NOT NULL."""
        return replace(self, sql=f"{self.sql} NOT NULL", carrier=f"{self.carrier} NOT NULL", nulls=False)

    @property
    def drawn(self) -> Values:
        """Its values, with a NULL in each fourth place if it may be."""
        return st.integers(0, 3).flatmap(lambda draw: st.none() if draw == 0 else self.values) if self.nulls else self.values


@dataclass(frozen=True)
class Era:
    """From when to when times go."""

    first: datetime
    last: datetime
    extremes: tuple[str, ...]


# The gap and the overlap of Europe's summer time are in it: times without a zone are converted with the JVM's.
MODERN = Era(
    datetime(1970, 1, 2),
    datetime(2200, 1, 1),
    ("1970-01-02 00:00:00", "2021-03-28 02:30:00", "2021-10-31 02:30:00", "2106-02-07 06:28:15"),
)
OLD = Era(
    datetime(1680, 1, 1),
    datetime(2260, 1, 1),
    (
        "1970-01-01 00:00:00",
        "1969-12-31 23:59:59",
        "1969-12-31 00:00:00",
        "1900-01-01 00:00:00",
        "1700-02-28 12:00:00",
        "2262-04-10 23:47:16",
    ),
)
ANCIENT = Era(
    datetime(1, 1, 3),
    datetime(9999, 12, 29),
    ("0001-01-03 00:00:00", "1582-10-04 00:00:00", "1582-10-15 12:00:00", "9999-12-29 23:59:59"),
)

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
EXTREME_TEXT = (
    "",
    " ",
    "a b",
    "€ uro",
    "\U0001f426",
    "line\nbreak",
    "quote\" and '",
    "back\\slash",
    "comma,;|",
    "NULL",
    "\u200f\u0645",
    "x" * 40,
)


def integer(sql: str, bits: int) -> Kind:
    """A signed integer."""
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    return Kind(sql, sql, (sql,), st.sampled_from([low, high, 0, -1]) | st.integers(low, high))


def floating(sql: str, width: Literal[32, 64], extremes: tuple[str, ...]) -> Kind:
    """FLOAT or DOUBLE with what has no digits."""
    special = st.sampled_from(("NaN", "Infinity", "-Infinity", "-0.0", "0.0", *extremes))
    return Kind(sql, sql, (sql,), special | st.floats(width=width, allow_nan=False, allow_infinity=False).map(repr))


def decimal(precision: int, scale: int) -> Kind:
    """A DECIMAL."""
    most = 10**precision - 1
    unscaled = st.sampled_from([most, -most, 0, 1, -1]) | st.integers(-most, most)
    text = unscaled.map(lambda number: format(Decimal(number).scaleb(-scale, _WIDE), "f"))
    sql = f"DECIMAL({precision}, {scale})"
    return Kind(sql, sql, ("DECIMAL",), text)


def characters(sql: str, length: int) -> Kind:
    """CHAR, VARCHAR or STRING; a length counts UTF-16's units at the most."""

    def cut(text: str) -> str:
        while len(text.encode("utf-16-le")) > 2 * length:
            text = text[:-1]
        return text

    fits = (TEXT | st.sampled_from(EXTREME_TEXT)).map(cut)
    return Kind(sql, sql, (sql.split("(", maxsplit=1)[0],), fits)


def octets(sql: str, least: int, most: int) -> Kind:
    """BINARY, VARBINARY or BYTES."""
    values = (st.binary(min_size=least, max_size=most) | st.just(b"\0" * least)).map(lambda raw: base64.b64encode(raw).decode())
    return Kind(sql, sql, (sql.split("(", maxsplit=1)[0],), values)


def day(era: Era) -> Kind:
    """A DATE."""
    values = st.sampled_from([each[:10] for each in era.extremes]) | st.dates(era.first.date(), era.last.date()).map(
        date.isoformat
    )
    return Kind("DATE", "DATE", ("DATE",), values)


def clock(precision: int) -> Kind:
    """A TIME. JSON would drop its fraction, so text carries it."""
    digits = min(precision, 3)
    fraction = st.integers(0, 10**digits - 1).map(lambda part: f".{part:0{digits}}" if digits else "")
    whole = st.sampled_from(["00:00:00", "23:59:59", "12:00:00"]) | st.integers(0, 86_399).map(
        lambda second: str(timedelta(seconds=second)).zfill(8)
    )
    return Kind(f"TIME({precision})", "STRING", ("TIME",), st.tuples(whole, fraction).map("".join))


def stamp(precision: int, era: Era, *, local: bool) -> Kind:
    """A TIMESTAMP or, if `local`, a TIMESTAMP_LTZ."""
    # Beyond INT64's nanoseconds the bridge refuses a column of more than microseconds, and Flink wraps: docs/parity.md.
    era = OLD if era is ANCIENT and precision > 6 else era
    fraction = st.sampled_from([0, 10**precision - 1, 1 if precision else 0]) | st.integers(0, 10**precision - 1)
    moments = st.sampled_from(era.extremes) | st.datetimes(era.first, era.last).map(
        lambda when: when.replace(microsecond=0).isoformat(" ")
    )
    values = st.tuples(moments, fraction.map(lambda part: f".{part:0{precision}}" if precision else "")).map("".join)
    sql = f"TIMESTAMP_LTZ({precision})" if local else f"TIMESTAMP({precision})"
    return Kind(sql, sql, (sql.split("(", maxsplit=1)[0],), values.map(lambda text: text + "Z") if local else values)


def array(of: Kind) -> Kind:
    """An ARRAY."""
    return Kind(f"ARRAY<{of.sql}>", f"ARRAY<{of.carrier}>", ("ARRAY", *of.families), st.lists(of.drawn, max_size=3))


def mapping(key: Kind, value: Kind, multiset: bool) -> Kind:
    """A MAP or, if `multiset`, a MULTISET of the keys. JSON's keys are texts."""
    named = key.values.map(str)
    if multiset:
        counts = st.dictionaries(named, st.integers(1, 9), max_size=3)
        return Kind(f"MULTISET<{key.sql}>", "MULTISET<STRING>", ("MULTISET", *key.families), counts)
    sql, carrier = f"MAP<{key.sql}, {value.sql}>", f"MAP<STRING, {value.carrier}>"
    return Kind(sql, carrier, ("MAP", *key.families, *value.families), st.dictionaries(named, value.drawn, max_size=3))


def row(fields: Sequence[Kind]) -> Kind:
    """A ROW with fields f0, f1 and so on."""
    sql, carrier = (
        "ROW<" + ", ".join(f"f{number} {name(each)}" for number, each in enumerate(fields)) + ">" for name in (_sql, _carrier)
    )
    families = ("ROW", *(family for each in fields for family in each.families))
    return Kind(sql, carrier, families, st.fixed_dictionaries({f"f{number}": each.drawn for number, each in enumerate(fields)}))


def scalars(era: Era) -> dict[str, SearchStrategy[Kind]]:
    """Every type without parts, by family."""
    lengths, nines = st.integers(1, 20), st.integers(0, 9)
    return {
        "BOOLEAN": st.just(Kind("BOOLEAN", "BOOLEAN", ("BOOLEAN",), st.booleans())),
        **{sql: st.just(integer(sql, bits)) for sql, bits in {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}.items()},
        "FLOAT": st.just(floating("FLOAT", 32, ("3.4028235E38", "1.4E-45"))),
        "DOUBLE": st.just(floating("DOUBLE", 64, ("1.7976931348623157E308", "4.9E-324"))),
        "DECIMAL": st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: decimal(p, s))),
        "CHAR": lengths.map(lambda length: characters(f"CHAR({length})", length)),
        "VARCHAR": lengths.map(lambda length: characters(f"VARCHAR({length})", length)),
        "STRING": st.just(characters("STRING", 2**31 - 1)),
        "BINARY": lengths.map(lambda length: octets(f"BINARY({length})", length, length)),
        "VARBINARY": lengths.map(lambda length: octets(f"VARBINARY({length})", 0, length)),
        "BYTES": st.just(octets("BYTES", 0, 40)),
        "DATE": st.just(day(ANCIENT)),
        "TIME": nines.map(clock),
        "TIMESTAMP": nines.map(lambda precision: stamp(precision, era, local=False)),
        "TIMESTAMP_LTZ": nines.map(lambda precision: stamp(precision, era, local=True)),
    }


KEYS = ("INT", "BIGINT", "DATE", "BOOLEAN", "VARCHAR", "STRING")
"""Of what a map's keys are: what a text can be cast to, and of which no two values are one key."""


@st.composite
def nested(
    draw: Callable[[SearchStrategy[Any]], Any], leaves: dict[str, SearchStrategy[Kind]], shapes: Sequence[str], depth: int
) -> Kind:
    """A type with parts, `depth` levels of them at the most."""

    def part() -> Kind:
        if depth > 1 and draw(st.booleans()):
            return draw(nested(leaves, shapes, depth - 1))
        kind = draw(st.sampled_from(sorted(leaves)).flatmap(lambda family: leaves[family]))
        # A cast to a type with NOT NULL inside isn't what is tested here.
        return kind.mandatory() if not kind.cast and draw(st.integers(0, 4)) == 0 else kind

    shape = draw(st.sampled_from(shapes))
    if shape == "ARRAY":
        return array(part())
    if shape == "ROW":
        return row([part() for _ in range(draw(st.integers(1, 3)))])
    texts = shape.endswith("of texts")
    family = "STRING" if texts else draw(st.sampled_from([each for each in KEYS if each in leaves]))
    return mapping(draw(leaves[family]), part(), multiset=shape.startswith("MULTISET"))


def _sql(kind: Kind) -> str:
    return kind.sql


def _carrier(kind: Kind) -> str:
    return kind.carrier
