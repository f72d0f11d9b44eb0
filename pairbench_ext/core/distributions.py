"""Find how probable each possible answer to a question was, and log these probabilities.

What is logged are the forms in which the reply might have written its answer, each with its
probability, and where they stand. What each form says is read as the reply itself is, by any rule:
so a logged distribution is scored again without a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any

from annotated_types import Interval

from pairbench_ext.core.benchmark import Benchmark, span_in
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.probabilities import Path, probabilities
from pairbench_ext.core.readers import Reader, Reading
from pairbench_ext.core.records import Record, RecordError, from_record
from pairbench_ext.core.requests import Exchange, Trial

DISTRIBUTION = "distribution"  # the field of a logged trial or a plain row

# Forms of answers other than numbers, which are of one kind if they stand in the same place.
_FORMS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"A=B=Good|A=B=Bad|[AB]>[AB]|A=B"), ("A>B", "B>A", "A=B", "A=B=Good", "A=B=Bad")),
    (re.compile(r"\b[A-J]\b"), tuple("ABCDEFGHIJ")),
    (re.compile(r"\b(?:yes|no)\b", re.IGNORECASE), ("Yes", "No")),
    (re.compile(r"\b(?:first|second)\b", re.IGNORECASE), ("first", "second")),
)
_NUMBER = re.compile(r"(?<![\d.])\d{1,3}(?!\d|\.\d)", re.ASCII)
_MOST_PLACES = 12  # that are looked at, the last ones
_LEAST = 1e-7  # probabilities below are not logged
_MOST = 1.001  # that probabilities add up to

_Share = Annotated[float, Interval(ge=0, le=1)]


@dataclass(frozen=True)
class Distribution:
    """The probability of each possible answer to a question, as logs and plain rows store it.

    Attributes:
        answers: the probability of each form of an answer; what is missing from 1 is on none.
        at: the character of the reply at which the answer begins; None where each form is a reply
            by itself, as in plain rows.
        written: the answer, as the reply has it there.
        source: who gave the probabilities.
        none: why there is no distribution; empty where there is one.
    """

    answers: Mapping[str, _Share] = field(default_factory=dict)
    at: int | None = None
    written: str = ""
    source: str = ""
    none: str = ""

    @classmethod
    def logged(cls, record: Record) -> Distribution | None:
        """Return the answer probabilities of a logged trial or plain row; None if it has none.

        Raises:
            RecordError: naming the field that is wrong, or if probabilities add up to more than 1.
        """
        if record.fields.get(DISTRIBUTION) is None:
            return None
        where = f"{record.where}, {DISTRIBUTION}"
        distribution: Distribution = from_record(cls, Record(where, record.get(DISTRIBUTION, dict)))
        if (total := sum(distribution.answers.values())) > _MOST:
            raise RecordError(
                f"{where}: probabilities add up to {total:.3f}, more than 1 "
                "(give probabilities, not their logarithms)"
            )
        return distribution

    def to_dict(self) -> dict[str, Any]:
        """Return the fields to log: those that differ from their defaults."""
        return {k: v for k, v in asdict(self).items() if v not in (None, "", {})}

    def said(
        self, read: Reader, trial: Trial, exchange: Exchange, rule: str, form: str, written: Any
    ) -> Any:
        """Return what would be read from a reply if its answer were replaced by another answer.

        What follows the answer may speak of the one that is written: then it is left out.
        `written` is what the reply says.
        """

        def saying(reply: str) -> Any:
            outcome = _answered(read(trial, [exchange._replace(reply=reply)], rule))
            return None if outcome is None else outcome.said

        if self.at is None:
            return saying(form)
        before, after = exchange.reply[: self.at], exchange.reply[self.at + len(self.written) :]
        whole = saying(before + form + after)
        if form == self.written or whole not in (None, written):
            return whole
        alone = saying(before + form)
        return whole if alone is None else alone


def _answered(reading: Reading) -> Outcome | None:
    return next((outcome for outcome in reading.outcomes if outcome.kind != "text"), None)


def with_distribution(
    read: Reader, trial: Trial, exchanges: Sequence[Exchange], rule: str, found: Distribution | None
) -> Reading:
    """Return what was read from a trial's replies, with the probability of each possible answer."""
    reading = read(trial, exchanges, rule)
    if found is None:
        return reading
    if found.none or len(exchanges) != 1:
        return replace(reading, no_distribution=found.none or "several replies")
    shares: dict[Any, float] = {}
    outcome = _answered(reading)
    written = None if outcome is None else outcome.said
    for form, share in found.answers.items():
        answer = found.said(read, trial, exchanges[0], rule, form, written)
        if answer is not None:
            shares[answer] = shares.get(answer, 0.0) + share
    if len(shares) < 2:
        return replace(
            reading, no_distribution="no probabilities were recorded for the tokens of the answer"
        )
    outcomes = (
        outcome if outcome.kind == "text" else replace(outcome, distribution=shares)
        for outcome in reading.outcomes
    )
    return replace(reading, outcomes=tuple(outcomes), source=found.source or "recorded")


def find(
    benchmark: Benchmark, trial: Trial, exchange: Exchange, rule: str, path: Path | str
) -> Distribution:
    """Return the probability of each possible answer, or the reason why it is unknown.

    It is that of the token at which the grammar finds the answer: of all numbers, letters and
    labels at the place where the reply was read, the one whose change changes the answer most.

    Args:
        benchmark: whose trial it is.
        trial: that was asked.
        exchange: with the reply.
        rule: of the grammar.
        path: the tokens of all that was generated; or why there are none.
    """
    if isinstance(path, str):
        return Distribution(none=path)
    read = benchmark.read
    reading = read(trial, [exchange], rule)
    outcome = _answered(reading)
    if outcome is None or outcome.said is None:
        return Distribution(none="no answer in the reply")
    if any(isinstance(value, list | tuple) for value in reading.log.values()):
        return Distribution(none="the answer has several numbers")
    written = outcome.said

    def said(place: Distribution, form: str) -> Any:
        return place.said(read, trial, exchange, rule, form, written)

    best = _most_telling(_places(benchmark, trial, exchange, rule, outcome), said)
    if best.at is None:
        return Distribution(none="the answer is not a number, a letter or a label")
    start = path.place_of(exchange.reply, best.at)
    if start is None:
        return Distribution(none="the recorded tokens do not add up to the text of the reply")
    shares = probabilities(path, start, best.answers)
    if not sum(shares.values()) <= _MOST:  # NaN, too
        return Distribution(
            none=f"some log probabilities are not valid, such as that of {best.written}"
        )
    kept = {form: round(min(p, 1.0), 9) for form, p in shares.items() if p >= _LEAST}
    return replace(best, answers=kept, source=path.source)


def _most_telling(
    places: Iterator[Distribution], say: Callable[[Distribution, str], Any]
) -> Distribution:
    """The place whose change changes the answer most, with the forms that say one."""
    best, most = Distribution(), 1
    for place in places:
        answers = {form: say(place, form) for form in place.answers}
        forms = [form for form, answer in answers.items() if answer is not None]
        if len({answers[form] for form in forms}) > most:
            best, most = replace(place, answers=dict.fromkeys(forms, 0.0)), len(forms)
    return best


def _places(
    benchmark: Benchmark, trial: Trial, exchange: Exchange, rule: str, outcome: Outcome
) -> Iterator[Distribution]:
    """Numbers, letters and labels where the answer was read, each with what might stand there."""
    view, grammar = benchmark.view, benchmark.read.grammar
    span = view.span(trial, exchange, rule) if view.span else span_in(grammar, exchange, rule)
    low, high = benchmark.outcome.scale or (1, max(2, outcome.options))
    numbers = tuple(str(number) for number in range(int(low), int(high) + 1))
    for pattern, forms in ((_NUMBER, numbers), *_FORMS):
        for match in [*pattern.finditer(exchange.reply, *(span or ()))][-_MOST_PLACES:]:
            yield Distribution(dict.fromkeys((match[0], *forms), 0.0), match.start(), match[0])
