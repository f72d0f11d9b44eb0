"""Declare how recorded judgments are scored: choices, ratings, yes-or-no answers, rankings.

Nothing is asked here, so there are no tasks. `pairbench import judgments` makes logged samples of
files that hold what judges said; what people said, orders, repeats and all else is there where the
files have it, and what they lack is not measured.

    pairbench import judgments verdicts.csv --out judges
    pairbench score judgments judges
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from lmms_eval_tasks.judgments.numbers import (
    COMMONEST,
    DRAWN,
    KAPPA,
    SAME_AGAIN,
    SCALE,
    WHO_SAID_WHAT,
    YES_OR_NO,
    remarks_on_ratings,
)
from lmms_eval_tasks.judgments.stock import STOCK
from lmms_eval_tasks.mllm_judge.numbers import distance, ratings
from lmms_eval_tasks.preference.ties import CONSISTENCY, TIES, place_or_tie
from pairbench_ext.core.benchmark import (
    TIE,
    Answers,
    Benchmark,
    Breakdown,
    Correlation,
    Exchange,
    Mean,
    Number,
    Outcome,
    OutcomeFields,
    OutcomeTable,
    People,
    Reader,
    Reading,
    Request,
    TaskTrials,
    Trial,
    by_field,
)
from pairbench_ext.core.controls import AS_SHOWN, SAME
from pairbench_ext.core.media import read_image
from pairbench_ext.core.readers import first_reply, parse, reading_of
from pairbench_ext.replies import asks
from pairbench_ext.replies.answer_format import AnswerFormat, declared
from pairbench_ext.runs.card.choices import choice_evidence
from pairbench_ext.runs.card.model import READABLE
from pairbench_ext.runs.card.ratings import recorded_rating_evidence
from pairbench_ext.statistics.correlation import pearson
from pairbench_ext.statistics.kendall import tau_b
from pairbench_ext.statistics.means import mean_of_defined
from pairbench_ext.statistics.ranking import spearman


@dataclass(frozen=True, kw_only=True)
class JudgmentRow:
    """The fields of a recorded judgment, as `pairbench import judgments` logs it.

    Attributes:
        item: what was judged, under an `aspect` (criterion, turn); `cluster`: of which image or
            prompt it is one of several.
        source: the part of the data.
        systems: who made what was judged; of two things, in the order of the data.
        order, repeat, options, longer, people, truth: as those of an `Outcome`.
        recorded: what whoever recorded it read in the reply, as `Outcome.said`.
        extracted: whether that is all there is: the reply itself is not recorded.
        confidence: in [0, 1], of the judge in what it said.
        scale: the lowest and the highest rating.
        labels: of categories, or the words for yes and no.
        answer: what the reply was asked for, as `answer_format.declared` reads it.
        pictures: paths of images.
    """

    item: str
    aspect: str = ""
    cluster: str | None = None
    source: str = ""
    systems: tuple[str, ...] = ()
    order: Literal["fwd", "rev"] = "fwd"
    repeat: int = 0
    options: int = 2
    longer: int | None = None
    people: Mapping[str, Any] = field(default_factory=dict)
    truth: Any = None
    recorded: Any = None
    extracted: bool = False
    confidence: float | None = None
    scale: tuple[int, int] = (1, 10)
    labels: tuple[str, ...] = ()
    answer: str = ""
    pictures: tuple[str, ...] = ()


class Judgments(TaskTrials[Any]):
    """The trials of recorded judgments, with prompts and images; no judge is asked again."""

    entry_type = dict
    requests: Sequence[Trial] = ()

    def describe(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a recorded judgment unchanged, for the log."""
        return dict(request)

    def ask(self, trial: Trial) -> Request:
        """Return the prompt of a recorded judgment, with its images if their files exist."""
        shown = tuple(
            lambda path=path: [read_image(path, trial["item"], as_is=True)]
            for path in [Path(path) for path in trial.get("pictures") or ()]
            if path.is_file()
        )
        return Request((str(trial.get("prompt") or ""), *shown), as_is=True)


_KINDS = {"labels": "verdict", "rating": "rating", "yesno": "yesno"}
_Asks: TypeAlias = Callable[[Trial], AnswerFormat]
_asks = lru_cache(4096)(asks)  # rows of a file ask alike


def _read_by(
    grammar: str, fields: OutcomeFields, usual: _Asks, to_answer: Callable[[Any, Trial], Any]
) -> Reader:
    """Return a reader of replies by a grammar, which also keeps the recorded value."""

    def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
        reply, recorded, value = first_reply(exchanges), trial["recorded"], None
        why = "the recorded value is not one that can be read"
        if not trial["extracted"]:
            # Labels are options that the reply names by their texts.
            named = _asks("letter", options=trial["labels"]) if trial["labels"] else None
            asked = declared(trial["answer"], _KINDS[grammar]) if trial["answer"] else named
            by = grammar if trial["answer"] or not named else "letter"
            value, why = parse(by, reply, rule, asked or usual(trial))
            value = None if value is None else to_answer(value, trial)
        value_read = recorded if trial["extracted"] else value
        measured = {}
        if recorded is not None and not trial["extracted"]:
            measured = {
                "as_recorded": value_read == recorded,
                "other": value_read not in (None, recorded),
            }
        if trial["confidence"] is not None:
            measured["confidence"] = trial["confidence"]
        outcome = fields.outcome(trial, value_read, measured=measured)
        return reading_of([outcome], value_read, why, reply)

    return Reader(fields, read, grammar)


def _won_by_systems(table: OutcomeTable) -> dict[str, float]:
    """Return each system's share of comparisons won (a tie counts half), or its mean rating."""
    values: dict[str, list[float]] = defaultdict(list)
    for outcome in table:
        systems = outcome["systems"] if outcome.usable else ()
        if outcome.kind == "chosen" and len(systems) == 2:
            for place, system in enumerate(systems):
                values[system].append(0.5 if outcome.said == TIE else outcome.option == place)
        elif outcome.kind == "rated" and systems:
            values[systems[0]].append(outcome.said)
    return {system: mean_of_defined(values[system]) for system in sorted(values)}


def _right(outcome: Outcome, *, ties: bool = True) -> float | None:
    return None if outcome.truth is None or (outcome.truth == TIE and not ties) else outcome.right


def _share(name: str, title: str, per_trial: Callable[[Outcome], Any], **declared: Any) -> Number:
    return Number(name, title, Mean(per_trial), **declared)


_ACCURACY = _share("accuracy", "accuracy", _right, interval=True)
_WITHOUT_TIES = _share(
    "accuracy_without_ties", "without ties", partial(_right, ties=False), interval=True
)
_CORRELATIONS = (
    Number(
        name,
        name.title(),
        Correlation(statistic, ratings),
        "correlation",
        interval=statistic is not tau_b,
    )
    for name, statistic in (("pearson", pearson), ("spearman", spearman), ("kendall", tau_b))
)
_READ = (
    _share("coverage", "coverage", lambda o: o.usable),
    _share("as_recorded", "as recorded", lambda o: o.measured.get("as_recorded"), better=None),
    _share("read_otherwise", "otherwise", lambda o: o.measured.get("other"), better=None),
    Number("judgments", "judgments", len, "count", None),
)


def _benchmark(
    kind: Literal["chosen", "rated", "text"],
    grammar: str,
    numbers: Sequence[Number],
    usual: _Asks,
    to_answer: Callable[[Any, Trial], Any] = lambda value, _: value,
    more: tuple[Breakdown, ...] = (),
    **declared: Any,
) -> Benchmark:
    """Return the declaration of recorded judgments of one kind."""
    facets = ("source", "systems", "labels", "scale")
    fields = OutcomeFields(
        kind, JudgmentRow, cluster="cluster", variant=("aspect",), criterion="aspect", facets=facets
    )
    by_source = by_field(
        "source", numbers[0], "by `source`, the part of the data that an item comes from"
    )
    return Benchmark(
        trials=Judgments,
        read=_read_by(grammar, fields, usual, to_answer),
        numbers=(*numbers, *_READ),
        headline=numbers[0].name if numbers[0].mean else None,
        breakdowns=(
            by_source._replace(shown=lambda table: len(table.labels("source")) > 1),
            Breakdown(
                "by_system",
                "share of comparisons that each system won, or its mean rating",
                _won_by_systems,
            ),
            *more,
        ),
        tasks=(),
        **declared,
    )


def _yes_or_no(value: Any, trial: Trial) -> int:
    """Return 0 for yes and 1 for no, or the index of the label that was read."""
    return ord(value) - ord("A") if trial["labels"] else 1 - int(value)


BENCHMARKS = (
    _benchmark(
        "chosen",
        "labels",
        (_ACCURACY, _WITHOUT_TIES, *TIES[2:], CONSISTENCY),
        lambda _: _asks("labels", labels="ABC", ties=True),
        place_or_tie,
        name="judgments_pair",
        stock=STOCK,
        title="Recorded verdicts",
        answers=Answers(labels="ABC", ties=True, people=People()),
        card=(READABLE, *choice_evidence(people=True)),
    ),
    _benchmark(
        "rated",
        "rating",
        (
            *_CORRELATIONS,
            Number("rating", "mean rating", Mean(lambda o: o.said), "mean", None),
            *SCALE,
        ),
        lambda trial: _asks("rating", scale=trial["scale"]),
        name="judgments_rating",
        title="Recorded ratings",
        remarks=remarks_on_ratings,
        answers=Answers(people=People()),
        card=(READABLE, *recorded_rating_evidence()),
    ),
    _benchmark(
        "chosen",
        "letter",
        (_ACCURACY, TIES[3]),
        lambda trial: _asks("letter", options=trial["options"]),
        lambda letter, _: ord(letter) - ord("A"),
        name="judgments_choice",
        title="Recorded choices",
        answers=Answers(labels="ABCDEFGH", people=People()),
        card=(READABLE, *choice_evidence()),
    ),
    _benchmark(
        "chosen",
        "yesno",
        (_ACCURACY, COMMONEST, KAPPA, *YES_OR_NO, SAME_AGAIN),
        lambda _: _asks("yesno"),
        _yes_or_no,
        name="judgments_yesno",
        title="Recorded answers, yes or no",
        answers=Answers(labels=("yes", "no"), people=People()),
        card=(READABLE, *choice_evidence(people=True, places=False, yes=True)),
        controls=(SAME,),
        more=(WHO_SAID_WHAT,),
    ),
    _benchmark(
        "chosen",
        "letter",
        (_ACCURACY, DRAWN, COMMONEST, KAPPA, SAME_AGAIN),
        lambda _: _asks("letter"),
        lambda letter, _: ord(letter) - ord("A"),
        name="judgments_category",
        title="Recorded categories",
        answers=Answers(people=People()),
        card=(READABLE, *choice_evidence(people=True, places=False)),
        controls=(SAME,),
        more=(WHO_SAID_WHAT,),
    ),
    _benchmark(
        "text",
        "ranking",
        (_share("levenshtein", "distance", distance, better="lower", interval=True),),
        lambda trial: _asks("ranking", labels="ABCDEFGH"[: trial["options"]]),
        name="judgments_ranking",
        controls=(AS_SHOWN,),
        title="Recorded rankings",
    ),
)
