"""The pairs of columns that a data row compares, with each pair's kind, such as "irrelevant"."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple

from annotated_types import Ge, Le, Len
from loguru import logger

from lmms_eval_tasks.pairbench.ratings import HIGHEST, LOWEST, Condition
from pairbench_ext.core.sources import LeftOut, SourceError

Pairs = Annotated[tuple[tuple[str, str], ...], Len(1)]
Kind = Literal["identical", "transformed", "irrelevant"]
Score = Annotated[int | float, Ge(LOWEST), Le(HIGHEST)]
Truth = Mapping[Any, Mapping[Any, float]]  # by kind and condition

# Section 2.1: ground truth by kind of pair and condition, after the human study of Appendix D.2.
TRUTH: Truth = {
    "identical": {"sens": 10, "inv": 10},
    "transformed": {"sens": 6, "inv": 10},
    "irrelevant": {"sens": 1, "inv": 1},
}
KINDS = tuple(TRUTH)
_ORIGINAL = "img1"
_KIND_OF_COLUMN = {"img2": "identical", "img3": "transformed", "img4": "irrelevant"}
_SETTING = "set 'pairs' and 'kinds' in the task's settings"
_WHATSUP = ("identical", "transformed", "transformed", "irrelevant")  # Table 9


class Pair(NamedTuple):
    """Two columns of a row that are compared, and the kind of the pair, such as "identical"."""

    name: str
    first: str
    second: str
    kind: str


def find_pairs(
    columns: Sequence[str],
    pairs: Pairs | None,
    kinds: Sequence[str] | None,
    where: str,
    *,
    positions: bool = False,
    left_out: LeftOut | None = None,
) -> tuple[Pair, ...]:
    """Return the pairs of columns that a data set compares, each with its kind.

    A pair whose column is missing or whose kind nothing says is left out. One warning names it, or
    how an unknown pair is taken, and where to set it.

    Args:
        columns: that may be compared.
        pairs: to compare; without them, img1 with img2, img3, img4 and what else is called so.
        kinds: what each pair is; without them img2, img3 and img4 are known, and a pair of WhatsUp
            that follows from the others.
        where: how messages call the source.
        positions: whether the rows are WhatsUp's, of which Table 9 counts four pairs.
        left_out: takes the pairs that are left out.

    Raises:
        SourceError: if no pair is left.
    """
    left_out = LeftOut() if left_out is None else left_out
    if pairs is not None:
        pairs = tuple((_column(a, columns), _column(b, columns)) for a, b in pairs)
    further = (name for name in columns if re.fullmatch(r"img\d+", name) and name != _ORIGINAL)
    others = dict.fromkeys([*_KIND_OF_COLUMN, *further])
    listed = list(dict.fromkeys(pairs or [(_ORIGINAL, column) for column in others]))
    if kinds:
        kind_of = dict(zip(pairs or (), kinds, strict=True))
    else:
        kind_of = _kinds_by_column(listed, where, positions=positions)
    usable = _usable(kind_of, listed, columns, where, left_out)
    if left_out:
        warn_once("; ".join(left_out))
    if not usable:
        raise SourceError("; ".join(left_out))
    return _named(usable)


def _kinds_by_column(
    pairs: Sequence[tuple[str, str]], where: str, *, positions: bool
) -> dict[tuple[str, str], str]:
    """Return each pair's kind by its column names; for WhatsUp also by Table 9."""
    kind_of = {pair: _kind_by_column(pair) for pair in pairs}
    for pair, kind in (_counted_kinds(kind_of) if positions else {}).items():
        kind_of[pair] = kind
        warn_once(
            f"{where}: the pair {pair} is taken as {kind!r}, because each row should give one "
            "identical, two transformed and one irrelevant pair (PairBench, Table 9). If it is "
            f"not, {_SETTING}"
        )
    return kind_of


def _usable(
    kinds: Mapping[tuple[str, str], str],
    pairs: Sequence[tuple[str, str]],
    columns: Sequence[str],
    where: str,
    left_out: LeftOut,
) -> dict[tuple[str, str], str]:
    """Return the pairs that have both columns and a known kind; note the pairs left out."""
    usable: dict[tuple[str, str], str] = {}
    for pair in pairs:
        missing = [column for column in pair if column not in columns]
        if missing:
            left_out.append(
                f"{where}: the row has no image or text column {missing[0]!r}, only "
                f"{list(columns)}; the pair {pair} is left out"
            )
        elif not kinds[pair]:
            left_out.append(
                f"{where}: whether the pair {pair} is identical, transformed or irrelevant is "
                f"unknown, so it is left out; {_SETTING}"
            )
        else:
            usable[pair] = kinds[pair]
    return usable


def column_name(name: str) -> str:
    """Return a column's usual name, such as "img1" for "image1" or "Image_1"."""
    return re.sub(r"(?i)^im(?:g|age)[ _-]?(\d+)$", r"img\1", name)


def _column(name: str, columns: Sequence[str]) -> str:
    return name if name in columns else column_name(name)


def _named(kinds: Mapping[tuple[str, str], str]) -> tuple[Pair, ...]:
    """Return the pairs, named after their kinds; repeats are numbered ("transformed2")."""
    seen: Counter[str] = Counter()
    pairs = []
    for (first, second), kind in kinds.items():
        seen[kind] += 1
        pairs.append(Pair(kind + (str(seen[kind]) if seen[kind] > 1 else ""), first, second, kind))
    return tuple(pairs)


def _kind_by_column(pair: tuple[str, str]) -> str:
    """Return a pair's kind by the usual names of columns; empty if they do not tell it."""
    if pair[0] == pair[1]:
        return "identical"
    if _ORIGINAL not in pair:
        return ""
    return _KIND_OF_COLUMN.get(pair[0] if pair[1] == _ORIGINAL else pair[1], "")


def _counted_kinds(kind_of: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """Return the kinds that Table 9 implies for pairs of unknown kind in WhatsUp's rows.

    3,344 comparisons are 418 rows x 4 pairs x 2 orders, and three new data per row are two other
    positions and something unrelated: one identical pair, two transformed ones, an irrelevant one.
    """
    if len(kind_of) != len(_WHATSUP):
        return {}
    new = [pair for pair in kind_of if pair[0] != pair[1]]
    unknown = [pair for pair, kind in kind_of.items() if not kind]
    if len(new) == 3:  # beside the original with itself
        return dict(zip(new, _WHATSUP[1:], strict=True))
    rest = Counter(_WHATSUP) - Counter(kind for kind in kind_of.values() if kind)
    return {unknown[0]: next(iter(rest))} if len(unknown) == rest.total() == 1 else {}


@cache
def warn_once(message: str) -> None:
    """Log a warning only once, even if every task of a group has the same problem."""
    logger.warning(message)


@dataclass(frozen=True)
class Logistics:
    """What a data set declares about its pairs: columns, kinds, conditions and truth.

    Attributes:
        pairs: of columns, which are compared; None if unsaid.
        kinds: what each of them is; None if unsaid.
        asked_under: for each of them the one condition that it is asked under, or None for both;
            None if unsaid.
        truth: by kind and condition, from 1 to 10; the paper's where it says nothing.
    """

    pairs: Pairs | None = None
    kinds: tuple[Kind, ...] | None = None
    asked_under: tuple[Condition | None, ...] | None = None
    truth: Mapping[Kind, Mapping[Condition, Score]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_kinds(self.pairs, self.kinds)
        if self.asked_under is not None and len(self.asked_under) != len(self.pairs or ()):
            raise SourceError(
                "'pair-conditions' must have one entry for each of 'data-pairs', not "
                f"{list(self.asked_under)}"
            )
        truth = {kind: {**paper, **self.truth.get(kind, {})} for kind, paper in TRUTH.items()}
        object.__setattr__(self, "truth", truth)


def check_kinds(pairs: Pairs | None, kinds: Sequence[Kind] | None) -> None:
    """Check that there is one kind for each pair of columns.

    Raises:
        SourceError: if there is not.
    """
    if kinds is not None and len(kinds) != len(pairs or ()):
        raise SourceError(f"'kinds' must have one entry for each of 'pairs', not {list(kinds)}")
