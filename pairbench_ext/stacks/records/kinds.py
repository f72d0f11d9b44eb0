"""Determine the kind of judgment, such as pair or rating, from judges' and people's values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from pairbench_ext.stacks.records.cells import (
    WORDS,
    last,
    number,
    numbered,
    plain,
    text_of,
    yes_no,
)
from pairbench_ext.stacks.records.columns import KINDS, MEANINGS, Columns
from pairbench_ext.stacks.records.evidence import side_words
from pairbench_ext.stacks.records.profile import Sample, ranked_names, words_of
from pairbench_ext.stacks.records.values import Readings, words_in_order

_APART = 0.75  # of the best kind's evidence from the next one's
_WEAK = 0.3
#: What codes may mean where they are of two things: the commonest first.
_CODES: Mapping[frozenset[str], Sequence[Sequence[str]]] = {
    frozenset(codes.split()): [meaning.split() for meaning in meanings]
    for codes, meanings in (
        ("0 1", ("first second", "second first")),
        ("1 2", ("first second",)),
        ("0 1 2", ("first second tie", "tie first second")),
        ("-1 0 1", ("second tie first", "first tie second")),
        ("0 0.5 1", ("second tie first", "first tie second")),
        ("1 2 3", ("first second tie", "first tie second")),
        ("-2 -1 0 1 2", ("first first tie second second", "second second tie first first")),
        (
            "-3 -2 -1 0 1 2 3",
            (
                "first first first tie second second second",
                "second second second tie first first first",
            ),
        ),
        ("1 2 3 4 5", ("first first tie second second", "second second tie first first")),
        (
            "1 2 3 4 5 6 7",
            (
                "first first first tie second second second",
                "second second second tie first first first",
            ),
        ),
    )
}


@dataclass(frozen=True)
class ValueFacts:
    """Facts about the values that judges and people gave, considered together.

    Attributes:
        names: of the columns.
        words: their values, in small letters.
        kinds: those that read all columns.
        two: whether two things are named.
        more: whether there are columns of three options or more.
        coded: the values of columns that hold codes alone.
    """

    names: Sequence[str]
    words: set[str]
    kinds: set[str]
    two: bool
    more: bool
    coded: frozenset[str]

    @property
    def codes(self) -> frozenset[str]:
        """Return the distinct values if they are at most three numbers; else an empty set."""
        few = len(self.words) <= 3 and all(number(word) is not None for word in self.words)
        return frozenset(w.removesuffix(".0") for w in self.words) if few else frozenset()

    def named(self, pattern: str) -> bool:
        """Return whether any of the columns has a name that matches a pattern."""
        return any(WORDS[pattern].fullmatch(last(name)) for name in self.names)


_LETTERS = {*"abcdefgh"}
_GRADES = "fedcba"  # from the worst


def _is_yes_or_no(word: str) -> bool:
    """Return whether a word says yes or no and is no code, letter or side."""
    sure = word != "right" and (len(word) > 1 or not word.isascii())
    return sure and yes_no(word) is not None


def _pair_words(facts: ValueFacts) -> bool:
    bare = {*"ab12", "0", "1", "2", "c", "x", "y"}
    return any(
        word not in bare and not _is_yes_or_no(word)
        and (WORDS["tie"].fullmatch(word) or WORDS["placed"].fullmatch(word)
             or WORDS["compared"].fullmatch(word)) for word in facts.words
    )  # fmt: skip


def _beyond(facts: ValueFacts) -> bool:
    return bool(facts.words & {*"defgh"}) or (facts.more and facts.words <= _LETTERS)


#: The kind, what speaks for it, and how much.
_TABLE: Sequence[tuple[str, Callable[[ValueFacts], Any], float]] = (
    ("ranking", lambda _: True, 4.0),
    ("pair", _pair_words, 2.0),
    ("pair", lambda s: s.words <= {*"ab", "tie"} and {*"ab"} & s.words, 1.0),
    ("pair", lambda s: s.words <= {*"abc"} and not s.more, 0.5),
    ("pair", lambda s: s.two, 1.5),
    ("pair", lambda s: s.named("pair_name"), 1.0),
    ("pair", lambda s: s.codes and not s.codes <= {"1", "1.5", "2"}, -1.0),
    ("choice", _beyond, 2.0),
    ("yesno", lambda s: any(map(_is_yes_or_no, s.words)), 2.5),
    ("yesno", lambda s: s.codes, 1.0),
    ("yesno", lambda s: s.codes and s.named("pair_name"), -1.5),
    ("rating", lambda s: len(s.words) > 3, 1.5),
    ("rating", lambda s: not s.codes, 1.0),
    ("rating", lambda s: s.named("scored"), 1.0),
    ("rating", lambda s: s.codes, 0.5),
    ("rating", lambda s: s.codes and not s.named("scored"), -1.0),
    ("rating", lambda s: s.two and not s.named("scored"), -1.0),
    ("rating", lambda s: s.named("pair_name") and not s.named("scored"), -2.0),
    ("category", lambda s: not s.kinds - {"category"}, 1.0),
    ("category", lambda s: len(s.words) > 2, 0.5),
)  # fmt: skip


def kinds(sample: Sample, columns: Columns) -> Readings:
    """Return ways to read columns, each with a kind of judgment, its scale, options and labels."""
    columns = _with_side_words(sample, columns)
    if columns.kind in ("", "choice") and sample.things:
        return _among_things(sample, columns)
    return _of_values(sample, columns)


def _among_things(sample: Sample, columns: Columns) -> Readings:
    """Return readings where three or more things are numbered: a number may be a choice."""
    names = _names(sample, columns)
    words = {text: plain(text).removesuffix(".0") for n in names for text in sample[n].counts}
    used, last_parts = {*words.values()}, [last(name) for name in names]
    spelt = _spelt(sample.things, from_0="0" in used)
    if not used or not used <= spelt.keys() or any(map(WORDS["scored"].fullmatch, last_parts)):
        return _of_values(sample, columns)
    meant = {text: spelt[word] for text, word in words.items() if text != spelt[word]}
    chosen = replace(columns, kind="choice", values={**meant, **columns.values})
    by_name = used <= {*map(plain, sample.things)}
    sure = columns.kind or by_name or any(map(WORDS["picks"].fullmatch, last_parts))
    return [_complete(sample, chosen), *([] if sure else _of_values(sample, columns))]


def _names(sample: Sample, columns: Columns) -> list[str]:
    return [name for name in (*columns.said, *columns["people"]) if name in sample]


def _spelt(things: Sequence[str], *, from_0: bool) -> dict[str, str]:
    """Return the letters that are meant by the numbers, letters and names of several things."""
    letters = dict(zip(things, "ABCDEFGH", strict=False))
    numbers = enumerate(letters.values(), start=int(not from_0))
    named = {plain(name): letter for name, letter in letters.items()}
    single = {letter.lower(): letter for letter in letters.values()}
    return {**named, **single, **{str(number): letter for number, letter in numbers}}


def _of_values(sample: Sample, columns: Columns) -> Readings:
    """Return readings with the kind that values speak for."""
    if columns.kind or columns["scores"]:
        return [_complete(sample, replace(columns, kind=columns.kind or "pair"))]
    if columns.said or columns["people"]:
        return _of_unknown_kind(sample, columns)
    kinds = ["pair"] if columns.of_two else ["pair", "rating", "yesno"]  # of unreadable replies
    tried: Readings = [_complete(sample, replace(columns, kind=kind)) for kind in kinds]
    return tried if columns["reply"] else [None]


def _of_unknown_kind(sample: Sample, columns: Columns) -> Readings:
    """Return readings with the kind that values of judges and people speak for."""
    names = _names(sample, columns)
    coded = {name: _codes(sample[name].words) for name in names}
    every = [_read_as(sample, name, columns, coded[name]) for name in names]
    shared = set.intersection(*every)
    words = {numbered(word)[1].lower() or word for word in words_of(names, sample)}
    if not shared:
        return _without_people(sample, columns, every)
    if shared == {"category"} and (readings := _of_labels(sample, columns, words)):
        return readings
    if words <= {*_GRADES} and {*"df"} & words and all(map(_is_scored, names)):
        return _of_grades(sample, columns)
    codes = frozenset().union(*coded.values())
    more = columns.of_two, sample.more_than_two, codes
    return _by_table(sample, columns, ValueFacts(names, words, shared, *more))


def _of_labels(sample: Sample, columns: Columns, words: set[str]) -> Readings:
    """Return readings of labels that may be of two things, or are not the people's; else none."""
    if columns.of_two and len(words) in (2, 3):
        as_pair = _permuted(sample, replace(columns, kind="pair"), sorted(words))
        return [*as_pair[:3], _complete(sample, replace(columns, kind="category"))]
    if _have_no_label_in_common(sample, columns):
        return _of_other_words(sample, columns)
    return []


def _is_scored(name: str) -> bool:
    return WORDS["scored"].fullmatch(last(name)) is not None


def _of_grades(sample: Sample, columns: Columns) -> Readings:
    """Return readings of grades in letters, the best of which is A: as numbers, or as labels."""
    texts = sorted({text for name in _names(sample, columns) for text in sample[name].counts})
    order = _GRADES if "e" in map(plain, texts) else _GRADES.replace("e", "")
    points = {text: str(order.index(plain(text)) + 1) for text in texts}
    rated = replace(columns, kind="rating", values={**points, **columns.values})
    return [_complete(sample, of) for of in (rated, replace(columns, kind="category"))]


def _have_no_label_in_common(sample: Sample, columns: Columns) -> bool:
    """Whether no label of people's is one of the judge's: then they cannot be compared."""
    judged, people = (words_of(names, sample) for names in (columns.said, columns["people"]))
    return bool(people) and not judged & people


def _read_as(sample: Sample, name: str, columns: Columns, codes: frozenset[str]) -> set[str]:
    """Return the kinds that read a column; codes may be of two things, whatever they are."""
    fitting = {*sample.kinds(name, columns)}
    return fitting | {"pair"} if codes else fitting


def _by_table(sample: Sample, columns: Columns, facts: ValueFacts) -> Readings:
    """Return readings of the kinds that most speaks for."""
    points = {
        kind: sum(weight for k, test, weight in _TABLE if k == kind and test(facts))
        for kind in KINDS
        if kind in facts.kinds
    }
    sure, weak = _surest(points)
    found = [r for kind in sure for r in _coded(sample, replace(columns, kind=kind), facts)]
    return [*found[:4], None] if weak and len(found) == 1 else found[:4]


def _surest(points: Mapping[str, float]) -> tuple[list[str], bool]:
    """Return up to three kinds with the most points, and whether the most are few."""
    best = sorted(points, key=lambda kind: -points[kind])
    most = points[best[0]]
    sure = [kind for kind in best if most - points[kind] < _APART]
    if most <= _WEAK or len(sure) > 1:
        sure = [kind for kind in best if points[kind] >= -1.5] or best
    return sure[:3], most <= _WEAK


def _codes(words: set[str]) -> frozenset[str]:
    """Return values that are codes of two things; empty if they are none."""
    codes = frozenset(word.removesuffix(".0") for word in words)
    return codes if codes and _coding(codes) else frozenset()


def _coding(codes: frozenset[str]) -> frozenset[str]:
    """Return the known codes of which some are these: of grades, both sides must be used."""
    fitting = (scheme for scheme in _CODES if codes <= scheme)
    grades = (scheme for scheme in fitting if len(scheme) < 4 or len(codes) > 3)
    return next(grades, frozenset())


def _with_side_words(sample: Sample, columns: Columns) -> Columns:
    """Return columns whose values are the words in the names of the columns of the two."""
    meant = side_words(columns)
    names = _names(sample, columns)
    used = {
        text: meant[plain(text)] for n in names for text in sample[n].counts if plain(text) in meant
    }
    unknown = {t: m for t, m in used.items() if Columns(kind="pair").says(t, {}) is None}
    return replace(columns, values={**unknown, **columns.values})


def _without_people(sample: Sample, columns: Columns, every: Sequence[set[str]]) -> Readings:
    """Readings of a judge's column whose kind is none of people's; or words that nobody knows."""
    judged = set.intersection(*every[: len(columns.said)])
    if judged:
        return _of_other_words(sample, columns)
    words = list(sample[_names(sample, columns)[0]].counts)
    if columns.of_two and len(words) in (2, 3):
        return _permuted(sample, replace(columns, kind="pair"), words)
    return [None]


def _of_other_words(sample: Sample, columns: Columns) -> Readings:
    """Return readings where people use other words than the judge: what they may mean, or none."""
    alone = kinds(sample, columns.with_roles(people=()))
    texts = {text for name in columns["people"] for text in sample[name].counts}
    words = {plain(text) for text in texts if not WORDS["tie"].fullmatch(plain(text))}
    found: Readings = []
    for of in (c for c in alone if c is not None and len(words) == 2 and c.kind in MEANINGS):
        found += _permuted(sample, of.with_roles(people=columns["people"]), sorted(texts))[:2]
    return [*alone, *found, None]


def _permuted(sample: Sample, columns: Columns, words: Sequence[str]) -> Readings:
    """Return readings of two or three words that nobody knows, of two things or yes and no."""
    ties = [w for w in words if WORDS["tie"].fullmatch(plain(w))]
    free = [w for w in words if w not in ties]
    meanings = permutations(MEANINGS[columns.kind][: len(free)])
    assigned = ({**dict(zip(free, meaning, strict=True)), **dict.fromkeys(ties, "tie")}
            for meaning in meanings)  # fmt: skip
    found: Readings = [
        _complete(sample, replace(columns, values={**columns.values, **m})) for m in assigned
    ]
    return found[:4]


def _coded(sample: Sample, columns: Columns, facts: ValueFacts) -> Readings:
    """Return readings of a kind; of codes of two things, one for each meaning."""
    codes = frozenset(code for code in facts.coded if code not in columns.values)
    clear = all(Columns(kind="pair").says(code, {}) is not None for code in codes)
    if columns.kind != "pair" or clear:
        return [_complete(sample, columns)]
    scheme = _coding(codes)
    order = sorted(scheme, key=float)
    assigned = [dict(zip(order, meaning, strict=True)) for meaning in _CODES.get(scheme, ())]
    return [_complete(sample, replace(columns, values={**columns.values, **m})) for m in assigned]


def _complete(sample: Sample, columns: Columns) -> Columns:
    """Return columns with what a kind needs: scale, options, labels."""
    names = _names(sample, columns)
    if columns.kind == "ranking" and not columns.labels and names:
        columns = replace(columns, labels=ranked_names(sample[names[0]].some))
    if columns.kind in ("choice", "ranking"):
        return replace(columns, options=sample.options(names, columns))
    if columns.kind == "rating" and names and columns.scale == Columns.scale:
        return replace(columns, scale=sample.scale(names))
    if columns.kind == "category" and not columns.labels and names:
        found = dict[str, str]()
        for text in (*words_in_order(sample, names, ["category"]), *_none(sample, columns)):
            found.setdefault(plain(text), text)
        return replace(columns, labels=tuple(found.values()))
    return columns


def _none(sample: Sample, columns: Columns) -> list[str]:
    """What people say where it could stand for an answer that is missing: `none`, `unknown`."""
    names = columns.said if columns["who"] else columns["people"]
    cells = (text_of(x) for n in names if n in sample for x, _ in sample[n].some)
    return sorted({text for text in cells if plain(text) in ("none", "unknown", "invalid")})
