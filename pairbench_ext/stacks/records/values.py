"""Find the columns that hold replies, judges' verdicts and people's labels.

Each step returns the readings that fit, whole; None among them stands for a file without judgments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, permutations
from operator import attrgetter
from typing import Any

from pairbench_ext.stacks.records.cells import (
    WORDS,
    higher,
    last,
    name_weight,
    path,
    plain,
    yes_no,
)
from pairbench_ext.stacks.records.columns import EACH, KINDS, Columns
from pairbench_ext.stacks.records.evidence import (
    is_count,
    says_as_judged,
    scores_of_two,
    shares_labels,
    without_role,
)
from pairbench_ext.stacks.records.factors import Factors, factors, is_criterion
from pairbench_ext.stacks.records.profile import Sample
from pairbench_ext.stacks.records.raters import ValueColumn, columns_of_values, orders_of, rests_of

Readings = list[Columns | None]
_SYSTEM = re.compile("(?:model|modell|modelo|modèle|system|method|generator|variant)_.+")
_PROBABILITY = re.compile("(?:.*_)?(?:p|prob(?:ability)?|proba|logits?|logprob)(?:_|$)")
_OUTCOME = re.compile("(?:is_)?(?:correct|right|accurate|accuracy|success|hit)")  # of an answer
_BESIDE_LABEL = re.compile(".*_(?:annotator|rater|reviewer|name|id|confidence)")
_LETTERED = re.compile(r"(?:^| )[a-z]$")  # rater A, rater B
_SPREAD = re.compile(".*_(?:std|stdev|stddev|sd|sem|se|var|ci|n|count|time|s|ms|seconds)")
_KEY = re.compile("(?:.*_)?(?:key|solution)")
_FEW = 50  # values of what is compared with a key
_SURE = 2.6  # of a name
_COPY = 0.985
_AGREE = 0.97  # of replies and the values read in them
_MOSTLY = 0.8
_SOME = 0.25  # of the replies
_SETTLED = {"adjudicated", "adjudication", "reconciled"}
_TOGETHER = {"majority", "consensus", "mean", "avg", "final", "mos"}
_JUDGED = ("reply", "verdict", "winner", "scores")


@dataclass
class Candidates:
    """Names of columns that may hold judgments or replies, with the likeliest first."""

    judged: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    weak: list[str] = field(default_factory=list)
    peers: list[str] = field(default_factory=list)

    def without(self, names: Sequence[str]) -> Candidates:
        """Return the candidates without the given columns."""
        return Candidates(*([n for n in of if n not in names] for of in vars(self).values()))


def value_score(name: str, sample: Sample, columns: Columns) -> float:
    """Return how many points a column's name and values give for holding verdicts."""
    of, part, column = factors(last(name)), last(name), sample[name]
    named = bool(WORDS["value_name"].fullmatch(part))
    under = bool(WORDS["scored_under"].match(name.lower()))
    weights = (3.0 * named, 2.4 * under, 2.0 * of.machine, 1.8 * bool(of.model), 1.5 * of.value,
               3.6 * factors(name).person, 2.2 * of.weak)  # fmt: skip
    other = WORDS["no_value"].fullmatch(part) and not (named or of.person)
    other = other and not (of.model and sample.counts_things(name))
    against = (
        -6.0 * (max(sample.kinds(name, columns).values(), default=0.0) < _MOSTLY),
        -2.5 * column.running, -4.0 * bool(other), -0.8 * (column.distinct < 2),
        -9.0 * (of.person and bool(_SPREAD.fullmatch(part))),
        -4.0 * (name_weight(name, "item") >= (1 if _names_raters(part) else 2) and not named),
        -5.0 * (_names_raters(part) and not sample.kinds(name, columns).keys() - {"category"}
                and not shares_labels(column, sample)),
    )  # fmt: skip
    weight = max(weights)
    return weight + 1.5 + sum(against) if weight and not is_count(name) else 0.0


def _names_raters(part: str) -> bool:
    """Whether a column of this name holds raters or models, if its values are no verdicts."""
    return bool(WORDS["group"].fullmatch(part)) or name_weight(part, "judge") > 2


def candidates(sample: Sample, columns: Columns) -> Candidates:
    """Return the columns that have no role yet and may hold judgments or labels."""
    found = Candidates()
    every = without_role(sample, columns)
    scores = {name: value_score(name, sample, columns) for name in every}
    for name in sorted(every, key=lambda name: -scores[name]):
        of = factors(name)
        if scores[name] < 1:
            if _nameless(name, sample, columns):
                found.peers.append(name)
        elif of.person or (columns["annotator"] and not (of.machine or of.model)):
            found.people.append(name)
        elif _has_weak_name(name) or WORDS["given"].match(name.lower()):
            found.weak.append(name)
        else:
            found.judged.append(name)
    return found


def _is_weak(of: Factors) -> bool:
    """Whether a name may be that of people's labels: nothing else is said in it."""
    sure = of.machine or of.model or of.repeat or of.order or is_criterion(of.rest)
    return of.weak and not sure


def _has_weak_name(name: str) -> bool:
    return _is_weak(factors(last(name)))


def _nameless(name: str, sample: Sample, columns: Columns) -> bool:
    """Whether a column's name means nothing known, and its values are judgments of some kind."""
    column, part = sample[name], last(name)
    of_other = WORDS["no_value"].fullmatch(part) or any(
        name_weight(name, role) for role in ("item", "order", "repeat", "image", "prompt")
    )
    of_other = of_other or bool(name_weight(name, "source") and not says_as_judged(column, sample))
    kinds = sample.kinds(name, columns)
    return bool(kinds) and not of_other and not column.running and column.distinct > 1


def said(sample: Sample, columns: Columns) -> Readings:
    """Return ways to choose the columns of judgments and labels; columns given by the user stay."""
    found = candidates(sample, columns)
    if any(role in columns.roles for role in _JUDGED):
        return _with_people(sample, columns, found)
    readings: Readings = []
    for reading in _judged(sample, columns, found):
        if reading is None:
            readings.append(None)
            continue
        left = candidates(sample, reading)
        readings += _with_people(sample, reading, left)
    return readings


def _judged(sample: Sample, columns: Columns, found: Candidates) -> Readings:
    """Return readings of what judges said."""
    scores = scores_of_two(sample, columns) if columns.kind in ("", "pair") else []
    if scores:
        return _of_scores(sample, columns, found, scores)
    if replies := _replies(sample, columns, found):
        return replies
    if not (names := _of_judges(sample, columns, found)):
        unread = _unreadable(sample, columns)
        return unread or _of_weak(sample, columns, found) or _of_peers(sample, columns, found)
    if graded := _graded(sample, columns, names):
        return graded
    doubted = [None] if _is_no_judges(names, columns, found) else []
    return [*several(sample, columns, names, found), *doubted]


def _graded(sample: Sample, columns: Columns, names: Sequence[str]) -> Readings:
    """Return readings of two columns where all that is said is whether they are equal."""
    if len(names) > 1 or not _OUTCOME.fullmatch(last(names[0])):
        return []
    free = [n for n in without_role(sample, columns) if 1 < sample[n].distinct <= _FEW]
    two = [pair for pair in combinations(free, 2) if _says_equal(names[0], pair, sample)]
    if len(two) != 1 or sum(map(_may_be_truth, two[0])) != 1:
        return [
            columns.with_roles(verdict=[x], people=[y]) for x, y in (*two, *(t[::-1] for t in two))
        ]
    answer, truth = sorted(two[0], key=_may_be_truth)
    return [columns.with_roles(verdict=[answer], people=[truth])]


def _may_be_truth(name: str) -> bool:
    of = factors(name)
    return of.weak or of.person or bool(_KEY.fullmatch(last(name)))


def _says_equal(outcome: str, two: Sequence[str], sample: Sample) -> bool:
    """Return whether a column of yes and no says of nearly all rows if two others are equal."""
    rows = [(yes_no(x), *(plain(row.get(n)) for n in two)) for x, row in sample[outcome].some]
    return _share_equal((no, int(x != y)) for no, x, y in rows) >= _COPY


def _is_no_judges(names: Sequence[str], columns: Columns, found: Candidates) -> bool:
    """Return whether values may be what was right, or what people settled on, not a judge's."""
    sure = _labels(columns, found) or columns["judge"] or names[1:]
    if not sure and _OUTCOME.fullmatch(last(names[0])):
        return True
    return len(found.people) > 1 and all(_TOGETHER & {*last(n).split("_")} for n in names)


def _of_judges(sample: Sample, columns: Columns, found: Candidates) -> list[str]:
    """Return the columns of judges' values, each value once."""
    labels = [*found.people, *found.weak]
    names = without_copies(found.judged, sample, columns)
    names = _with_known_values(names, labels, sample, columns)
    names = _without_other_scale(names, found.people, sample, columns)
    names = _as_people_rate(names, found.people)
    more = _criteria(names) and not found.weak
    return [*names, *(_criteria_among(sample, columns, found.peers) if more else ())]


def _as_people_rate(names: list[str], people: Sequence[str]) -> list[str]:
    """Return the columns of judges that are called as people's are, if some are: `model_stars`."""
    theirs = {factors(name).rest for name in people}
    parsed = {name: factors(name) for name in names}
    named = {n for n, of in parsed.items() if of.machine or of.model}
    alike = [n for n in named if parsed[n].rest in theirs]
    others = [n for n in names if n not in named and parsed[n].rest not in theirs]
    return [n for n in names if n not in others] if alike else names


def _unreadable(sample: Sample, columns: Columns) -> Readings:
    """Return the reading of a column that only a judge can have written, if few can be read."""
    every = list(chain.from_iterable(_by_weight(sample, columns)))
    names = [n for n in every if _is_judges(n, columns)] or _read_in_part(every, sample, columns)
    return [columns.with_roles(reply=names)] if len(names) == 1 else []


def _read_in_part(names: Sequence[str], sample: Sample, columns: Columns) -> list[str]:
    """Return columns of words with a weak name, some of which are read, of judges by row."""
    labels = [n for n in without_role(sample, columns) if factors(n).person]
    if not (columns["judge"] and labels):
        return []
    weak = (name for name in names if name_weight(name, "reply"))
    return [name for name in weak if _read(name, labels, sample, columns)[1] >= _SOME]


def _is_judges(name: str, columns: Columns) -> bool:
    """Whether a name is a verdict's or a rating's, or a reply's beside or after a judge's."""
    of, part = factors(name), last(name)
    if WORDS["pair_name"].fullmatch(part) or WORDS["scored"].fullmatch(part):
        return True
    named = columns["judge"] or of.machine or of.model
    return bool(named) and name_weight(name, "reply") >= _SURE


def _with_known_values(
    names: list[str], labels: Sequence[str], sample: Sample, columns: Columns
) -> list[str]:
    """Return columns without those of free words, such as `model_answer` beside `gpt_eval`.

    Words are not free where people's labels, or what may be these, are the same words.
    """
    used = [sample[name].words for name in labels]
    clear = [
        name for name in names
        if sample.kinds(name, columns).keys() - {"category"}
        or any(2 * len(sample[name].words & words) > len(sample[name].words) for words in used)
    ]  # fmt: skip
    return clear or names


def _criteria_among(sample: Sample, columns: Columns, peers: Sequence[str]) -> list[str]:
    """Return columns of ratings that have the name of a criterion alone."""
    rated = (n for n in peers if "rating" in sample.kinds(n, columns))
    return [name for name in rated if is_criterion(factors(name).rest)]


def _of_weak(sample: Sample, columns: Columns, found: Candidates) -> Readings:
    """Return readings where only names such as `label` tell: one, or a judge's and people's."""
    weak, people = found.weak, bool(found.people or "people" in columns.roles)
    if len(weak) == 1:
        return [columns.with_roles(verdict=weak), *([] if people or columns["who"] else [None])]
    if len(weak) != 2 or people:
        return []
    return _judge_and_people(columns, weak) if _one_kind(weak, sample, columns) else [None]


def without_copies(names: Sequence[str], sample: Sample, columns: Columns) -> list[str]:
    """Return columns without those that repeat another column by the same judge."""
    kept: list[str] = []
    for name in names:
        same = [other for other in kept if _of_one_judge(name, other)]
        alike = (sample.copies(k, name) for k in same)
        if not any(alike) and not any(same_verdict(k, name, sample, columns) for k in same):
            kept.append(name)
    return kept


def _without_other_scale(
    names: Sequence[str], people: Sequence[str], sample: Sample, columns: Columns
) -> list[str]:
    """Drop numbers that a judge's yes or no was made of, or it, whichever people do not use."""
    labels = [*columns["people"], *people]
    by_number = any("yesno" not in sample.kinds(name, columns) for name in labels)
    dropped = {
        verdict if by_number else number
        for number, verdict in permutations(names, 2)
        if (labels or _PROBABILITY.match(last(number)))
        and _is_made_of(verdict, number, sample, columns)
    }
    return [name for name in names if name not in dropped]


def _is_made_of(verdict: str, number: str, sample: Sample, columns: Columns) -> bool:
    """Return whether a judge's yes or no rises with a number of the same judge."""
    yes = ["yesno" in sample.kinds(name, columns) for name in (verdict, number)]
    alike = yes == [True, False] and _of_one_judge(verdict, number)
    return alike and sample.go_together(verdict, number)


def _of_one_judge(first: str, second: str) -> bool:
    judges = [attrgetter("model", "order", "number")(factors(name)) for name in (first, second)]
    return judges[0] == judges[1]


def several(sample: Sample, columns: Columns, names: Sequence[str], found: Candidates) -> Readings:
    """Return ways to read a file that may have one or several columns of verdicts."""
    if _by_row(columns) and (systems := _of_systems(sample, columns, names, found)):
        return systems
    if len(names) == 1 or (
        columns_of_values(names, found.people) and _same_values(names, sample, columns)
    ):
        return [columns.with_roles(verdict=names)]
    alike = [n for n in names if _one_kind([names[0], n], sample, columns)]
    if others := [n for n in names if n not in alike]:  # of another kind
        first = several(sample, columns, alike, found)
        return [*first, *several(sample, columns, others, found)][:4]
    return _of_one_kind(columns, names, found)


def _of_one_kind(columns: Columns, names: Sequence[str], found: Candidates) -> Readings:
    """Return readings of several columns whose names do not say what tells them apart."""
    some = [name for name in names if factors(name).order]  # beside one of both orders together
    readings: Readings = []
    if 1 < len(some) < len(names) and columns_of_values(some, found.people):
        readings.append(columns.with_roles(verdict=some))
    if not (_labels(columns, found) or _criteria(names) or columns["who"]):
        readings += _judge_and_people(columns, names)
    return [*readings, *_each_alike(columns, names)][:4]


def _each_alike(columns: Columns, names: Sequence[str]) -> Readings:
    """Return readings of columns that are all of judges, systems, criteria or repeats, or alone."""
    without = "judge" if _by_row(columns) else "system"
    every = columns.with_roles(verdict=names)
    alike = [replace(every, each=each) for each in EACH if each != without]
    return [*alike, *(columns.with_roles(verdict=[name]) for name in names)]


def _by_row(columns: Columns) -> bool:
    return bool(columns["judge"] or columns["who"])


def _of_systems(
    sample: Sample, columns: Columns, names: Sequence[str], found: Candidates
) -> Readings:
    """Return readings where each column has ratings of a system: `model_x`, `llava`, alone."""
    parsed = [factors(name) for name in names]
    named = all((of.model or _SYSTEM.fullmatch(path(name))) and not of.value and not of.order
                for name, of in zip(names, parsed, strict=True))  # fmt: skip
    rated = [n for n in (*names, *found.peers) if "rating" in sample.kinds(n, columns)]
    if len(names) < 2 or not (named and {*names} <= {*rated}):
        return []
    by_system = replace(columns.with_roles(verdict=names), each="system")
    return [by_system.with_roles(verdict=rated), *([by_system] if rated != [*names] else [])]


def _labels(columns: Columns, found: Candidates) -> bool:
    return bool(found.people or found.weak or "people" in columns.roles)


def _judge_and_people(columns: Columns, names: Sequence[str]) -> Readings:
    """Return readings of several columns some of which are people's."""
    if len(names) == 2:
        pairs = (names, names[::-1])
        return [columns.with_roles(verdict=[a], people=[b]) for a, b in pairs]
    named = [n for n in names if factors(n).machine or factors(n).model]
    rest = [n for n in names if n not in named]
    both = columns_of_values(named) and rest
    return [columns.with_roles(verdict=named, people=rest)] if both else []


def _criteria(names: Sequence[str]) -> bool:
    """Whether names are of criteria, none of which is another's: `p_toxicity`, `is_toxicity`."""
    rests = {factors(name).rest for name in names}
    within = any(longer.endswith(f" {shorter}") for longer in rests for shorter in rests)
    return not within and all(map(is_criterion, rests))


def _one_kind(names: Sequence[str], sample: Sample, columns: Columns) -> bool:
    kinds = [{*sample.kinds(name, columns)} for name in names]
    return bool(set.intersection(*kinds))


def _same_values(names: Sequence[str], sample: Sample, columns: Columns) -> bool:
    """Whether columns are of one kind, and none is 0 or 1 beside others of other numbers."""
    codes = {sample[name].words == {"0", "1"} for name in names}
    return len(codes) == 1 and _one_kind(names, sample, columns)


def _of_peers(sample: Sample, columns: Columns, found: Candidates) -> Readings:
    """Return readings where no name says what the judge said: by the words of people's labels."""
    labels, peers = [*columns["people"], *found.people], found.peers
    if not labels:
        if len(peers) == 1 and columns["who"]:
            return [columns.with_roles(verdict=peers)]
        return [*(several(sample, columns, peers[:8], found)[:3] if peers else []), None]
    labels_used = sample[labels[0]].words
    words = [n for n in peers if _one_kind([n, labels[0]], sample, columns)
             and (sample[n].words & labels_used or sample[n].numbers)]  # fmt: skip
    if words:
        return several(sample, columns, words, found)
    return [None]


def _of_scores(
    sample: Sample, columns: Columns, found: Candidates, scores: Sequence[Sequence[str]]
) -> Readings:
    """Return readings of scores of the two, beside a verdict that may be another's."""
    stems = {last(two[0]).partition("_")[0] for two in scores}
    others = [n for n in found.judged if last(n).partition("_")[0] not in stems
              and sample.kinds(n, columns).get("pair")]  # fmt: skip
    same = [n for n in others if _as_scored(sample, columns, scores[0], n)]
    if same and len(scores) == 1:
        return [columns.with_roles(verdict=same[:1])]
    readings: Readings = [columns.with_roles(scores=two) for two in scores]
    if not others:
        return readings[-4:]
    beside = columns.with_roles(scores=scores[0], people=others[:1])
    return [*readings, beside, columns.with_roles(verdict=others[:1])][:4]


def _as_scored(sample: Sample, columns: Columns, two: Sequence[str], name: str) -> bool:
    """Return whether a verdict is for the one with the higher score."""
    pair = replace(columns, kind="pair")
    rows = ((higher([row.get(n) for n in two]), pair.says(x, row)) for x, row in sample[name].some)
    return _share_equal(rows) >= _AGREE


def _share_equal(pairs: Iterable[tuple[Any, Any]]) -> float:
    """Return the share of equal ones among pairs of known values; 0 of none."""
    equal: list[bool] = [a == b for a, b in pairs if a is not None and b is not None]
    return sum(equal) / max(1, len(equal))


def _replies(sample: Sample, columns: Columns, found: Candidates) -> Readings:
    """Return readings of a column of words, and of the value that was read in them."""
    labels = [*columns["people"], *found.people, *found.weak[:1]]
    for names in _by_weight(sample, columns):
        if both := _in_both_orders(names, found.judged, labels, sample, columns):
            return both
        tried = (_readable(name, labels, sample, columns) for name in names)
        readable = [each for each in tried if each is not None]
        taken = {name for each in readable for name in each["reply"]}
        values = [n for n in (*found.judged, *found.weak) if n not in taken]
        recorded = (_with_record(sample, each, values, columns) for each in readable)
        if found_here := list(chain.from_iterable(recorded)):
            return found_here[:4]
    return []


def _in_both_orders(
    names: Sequence[str], judged: Sequence[str], labels: Sequence[str], sample: Sample,
    columns: Columns,
) -> Readings:  # fmt: skip
    """Return the reading of a column of words for each order, beside what was recorded of each."""
    orders = columns_of_values([name for name, order in orders_of(names).items() if order]) or []
    read = _readable(orders[0].column, labels, sample, columns) if len(orders) == 2 else None
    return [] if read is None else _of_two_replies(orders, read, judged, sample)


def _of_two_replies(
    orders: Sequence[ValueColumn], read: Columns, judged: Sequence[str], sample: Sample
) -> Readings:
    """Return the reading of two columns of words, as shown or as options of the data."""
    columns = read.with_roles(reply=[each.column for each in orders])
    values = [n for each in orders for n in judged if factors(n).order == each.order]
    if len(values) != 2:
        return [columns]
    shown = data = 0.0
    for value, each in zip(values, orders, strict=True):
        agreed = sample.agreement(value, each.column, read, reverse=each.order == "rev")
        shown, data = shown + agreed[0], data + agreed[1]
    return [columns.with_roles(**{"winner" if data > shown else "verdict": values})]


def _by_weight(sample: Sample, columns: Columns) -> Iterator[list[str]]:
    """Yield columns of texts by the weight of their names; those without one last."""
    texts = [n for n in without_role(sample, columns, but="remark")
             if _wordy(n, sample, columns) and not factors(n).person]  # fmt: skip
    for weight in (3, 2.6, 1, 0):
        names = [n for n in texts if name_weight(n, "reply") == weight
                 and not (weight == 0 and _asked(n))]  # fmt: skip
        if names:
            yield names


def _asked(name: str) -> bool:
    return any(name_weight(name, role) for role in ("prompt", "item", "image", "order", "source"))


def _wordy(name: str, sample: Sample, columns: Columns) -> bool:
    column = sample[name]
    words = sum(isinstance(cell, str) for cell, _ in column.some)
    kinds = sample.kinds(name, columns)
    spoken = any(" " in text for text in column.counts)
    short = max((x for k, x in kinds.items() if k != "category" or not spoken), default=0) >= 0.95
    return 2 * words > len(column.some) and not short


def _readable(name: str, labels: Sequence[str], sample: Sample, columns: Columns) -> Columns | None:
    """Return the columns with a reply, if a grammar reads most of it."""
    best, share = _read(name, labels, sample, columns)
    least = 0.5 if name_weight(name, "reply") >= _SURE else 0.9
    return best.with_roles(reply=[name]) if share >= least else None


def _read(
    name: str, labels: Sequence[str], sample: Sample, columns: Columns
) -> tuple[Columns, float]:
    """Return columns with the kind that reads most of a column of words, and the share it reads."""
    kinds = [columns.kind] if columns.kind else [*KINDS]
    if labels:
        kinds = [k for k in kinds if k in sample.kinds(labels[0], columns)] or kinds
    tried = columns
    if labels and {"yesno", "category"} & {*kinds} and not columns.labels:
        tried = replace(columns, labels=words_in_order(sample, labels, kinds))
    best, share = next(iter(sample.read(name, kinds, tried)), (columns, 0.0))
    keep = best.kind in ("yesno", "category")
    return best if keep else replace(best, labels=columns.labels), share


def replied(sample: Sample, columns: Columns) -> Readings:
    """Return ways to read columns, with the kind of judgment and the labels found in replies."""
    words = columns.kind in ("yesno", "category") and not columns.labels
    if not columns["reply"] or (columns.kind and not words):
        return [columns]
    labels = [*columns["people"], *columns.said]
    read, share = _read(columns["reply"][0], labels, sample, columns)
    return [read if share else columns]  # else the labels tell what was asked


def words_in_order(sample: Sample, names: Sequence[str], kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the labels in the given columns; no labels if these are usual words for yes and no."""
    texts = sorted({text for name in names for text in sample[name].counts})
    if "yesno" not in kinds:
        return tuple(texts)
    read = Columns(kind="yesno")
    two = {read.says(text, {}): text for text in texts}
    if None in two or len(two) < 2:
        return ()
    usual = all(text in "01" or read.reads(f"{text}.") == option for option, text in two.items())
    return () if usual else (two[0], two[1])


def _with_record(sample: Sample, reply: Columns, values: Sequence[str], given: Columns) -> Readings:
    """Return readings of a reply: beside its record, alone, or beside a value that is another's."""
    [words] = reply["reply"]
    alike = [v for v in values if reply.kind in sample.kinds(v, replace(reply, labels=()))]
    strong = list(filter(_is_strong, alike))
    record, (shown, data) = _record_of(words, strong or alike, reply, sample)
    if max(shown, data) >= _AGREE:
        return _as_recorded(reply, record, "winner" if data > shown else "verdict")
    others = max(shown, data) < 0.5 if strong else not all(map(_has_weak_name, values))
    if others and name_weight(words, "reply") < _SURE:
        return []  # a weak name is not enough beside a value
    if not strong or factors(strong[0]).machine or factors(strong[0]).model:
        return [reply, *(given.with_roles(verdict=[name]) for name in strong[:1])]
    asked = [reply.with_roles(people=strong[:1]), given.with_roles(verdict=strong[:1])]
    return [*asked, reply.with_roles(people=())]


def _is_strong(name: str) -> bool:
    return factors(name).machine or not factors(name).weak


def _record_of(
    words: str, names: Sequence[str], reply: Columns, sample: Sample
) -> tuple[str, tuple[float, float]]:
    """Return the column of values that agrees best with replies, and how often it does."""
    agreed = {name: sample.agreement(name, words, reply) for name in names}
    best = max(agreed, key=lambda name: max(agreed[name]), default="")
    return best, agreed.get(best, (0.0, 0.0))


def _as_recorded(reply: Columns, name: str, role: str) -> Readings:
    """Return readings of a reply with what was read in it, which may be what people said."""
    recorded = reply.with_roles(**{role: [name]})
    if last(name) not in ("label", "target", "gold_label", "expected"):
        return [recorded]
    return [reply.with_roles(people=[name]), recorded.with_roles(people=())]


def _with_people(sample: Sample, columns: Columns, found: Candidates) -> Readings:
    """Return readings with people's labels: sure names, else weak ones beside a judge's."""
    if "people" in columns.roles:
        return [columns]
    judged = [*columns.said, *columns["reply"]]
    found = found.without(judged)
    if found.people:
        return [
            *_with_more_names(sample, columns, found),
            *_with_sure_people(sample, columns, found.people, judged),
        ]
    said_by = [n for n in judged if n not in columns["reply"]]
    if weak := [n for n in found.weak if _is_label(n, said_by, sample, columns)]:
        return [columns.with_roles(people=weak[:1])]
    if said_by and (apart := _of_another_kind(said_by[0], found.weak, sample, columns)):
        alone = columns.with_roles(people=())
        return [alone, alone.with_roles(verdict=apart[:1])]
    return _beside_peers(sample, columns, [*found.judged, *found.peers], said_by)


def _with_more_names(sample: Sample, columns: Columns, found: Candidates) -> Readings:
    """Return the reading where columns beside those with names of people are of people, too."""
    named = all(factors(name).given for name in found.people)
    more = [n for n in found.peers if named and _alike(found.people[0], n, sample, columns)]
    return [columns.with_roles(people=[*found.people, *more])] if more else []


def _of_another_kind(
    judge: str, weak: Sequence[str], sample: Sample, columns: Columns
) -> list[str]:
    """Return columns of verdicts with a weak name beside what can only be a rating."""
    if {*sample.kinds(judge, columns)} != {"rating"}:
        return []
    return [n for n in weak if {"pair", "yesno"} & sample.kinds(n, columns).keys()]


def _with_sure_people(
    sample: Sample, columns: Columns, people: Sequence[str], judged: Sequence[str]
) -> Readings:
    """Return readings with columns that name people: one, numbered raters, or asked."""
    judge = (columns["verdict"] or columns["winner"])[:1]
    alike = [name for name in people if judge and _one_kind([name, *judge], sample, columns)]
    names = without_aggregates(_without_names(alike, judge, sample, columns) or people, sample)
    every = columns.with_roles(people=names)
    if len(names) == 1 or _alike_raters(names, judged):
        return [every]
    single: Readings = [columns.with_roles(people=[name]) for name in names[:3]]
    return [every, *single] if _may_be_raters(names) else [*single, every]


def _without_names(
    labels: Sequence[str], judge: Sequence[str], sample: Sample, columns: Columns
) -> Sequence[str]:
    """Return columns without those that say who, beside others that say what the judge may say."""
    words = {word for name in judge for word in sample[name].words}
    says = {
        name: not _BESIDE_LABEL.fullmatch(last(name))
        and bool(sample.kinds(name, columns).keys() - {"category"})
        for name in labels
    }
    return [name for name in labels if says[name] or sample[name].words & words] or labels


def _may_be_raters(names: Sequence[str]) -> bool:
    """Return whether names of people's columns, the truth among them or not, have no criterion."""
    return len({factors(name).truth for name in names}) == 1 and not _any_criterion(names)


def _any_criterion(names: Sequence[str]) -> bool:
    return any(is_criterion(factors(name).rest) for name in names)


def _is_label(name: str, said_by: Sequence[str], sample: Sample, columns: Columns) -> bool:
    """Whether a column of a weak name may be people's: not the record of what the judge said."""
    if not said_by:
        return True
    if all(same_verdict(value, name, sample, columns) for value in said_by):
        return False
    return _one_kind([name, said_by[0]], sample, columns)


def _beside_peers(
    sample: Sample, columns: Columns, others: Sequence[str], said_by: Sequence[str]
) -> Readings:
    """Readings where another column holds the same words as the judge's: it may be people's."""
    if not said_by or columns["who"]:
        return [columns]
    peers = [
        n for n in others
        if _alike(said_by[0], n, sample, columns) and not any(sample.copies(v, n) for v in said_by)
    ]  # fmt: skip
    if not peers:
        return [columns]
    readings: Readings = [columns.with_roles(people=[peers[0]])]
    if len(said_by) == 1 and columns["verdict"]:
        readings.append(columns.with_roles(verdict=peers[:1], people=said_by))
        both = replace(columns.with_roles(verdict=[*said_by, *peers], people=()), each="judge")
        readings.append(both)
    return [*readings, columns.with_roles(people=())]


def _alike(judge: str, other: str, sample: Sample, columns: Columns) -> bool:
    """Whether a column holds most of the judge's words, or numbers that rise with the judge's."""
    if not sample[judge].numbers:
        return len(sample[judge].words & sample[other].words) * 2 > len(sample[judge].words)
    one_scale = sample.scale([judge]) == sample.scale([other])
    return (
        one_scale
        and _one_kind([judge, other], sample, columns)
        and sample.go_together(judge, other)
    )


def same_verdict(first: str, second: str, sample: Sample, columns: Columns) -> bool:
    """Return whether the values of two columns mean the same verdict in nearly all rows."""
    shared = sample.kinds(first, columns).keys() & sample.kinds(second, columns).keys()
    for kind in shared - {"category"} or shared:
        of = replace(columns, kind=kind, labels=())
        both = [(cell, row.get(first), row) for cell, row in sample[second].some]
        pairs = [(of.says(x, row), of.says(y, row)) for x, y, row in both]
        if _share_equal(pairs) >= _COPY:
            return True
    return False


def _alike_raters(names: Sequence[str], judged: Sequence[str]) -> bool:
    """Whether people's columns are of numbered or named raters, or of the judge's criteria."""
    rests = {_LETTERED.sub("", rest) for rest in rests_of(names)}
    named = any(factors(name).given for name in names) and not _any_criterion(names)
    raters = len(rests) == 1 or named or rests == {*rests_of(judged)}
    return raters and len({factors(name).truth for name in names}) == 1


def without_aggregates(names: Sequence[str], sample: Sample) -> list[str]:
    """Return people's columns without columns that hold the majority or mean of other columns."""
    settled = [n for n in names if _SETTLED & {*path(n).split("_")}]
    if len(settled) == 1:
        return settled  # by a person who saw what the others said
    raters = [n for n in names if not _TOGETHER & {*last(n).split("_")}]
    lists = (isinstance(cell, list) for name in raters for cell, _ in sample[name].some)
    return raters if len(raters) > 1 or any(lists) else list(names)
