"""Read judges' replies as votes for one of two answers."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from annotated_types import Ge, Len

from lmms_eval_tasks.preference.prompts import ASKS
from pairbench_ext.core.benchmark import (
    TIE,
    Exchange,
    Outcome,
    OutcomeFields,
    OutcomeTable,
    Reader,
    Reading,
    Trial,
)
from pairbench_ext.core.outcomes import shared
from pairbench_ext.core.readers import first_reply, parse, reading_of, repeats
from pairbench_ext.core.table import once_per_table
from pairbench_ext.replies.answer_format import AnswerFormat

Tag: TypeAlias = str | tuple[str, ...] | None

GRAMMAR = "verdict"
AUTHORS = "authors"
ORDERS = ("fwd", "rev")


@dataclass(frozen=True)
class VoteRow:
    """The fields of a judgment of a pair, in logs and plain JSONL files.

    Attributes:
        item: the pair's name.
        source: the data set that the pair is from.
        order: "fwd" if response 0 was shown first, else "rev".
        truth: the better response.
        repeats: the judgments of the pair that the reply stands for; or `repeat`, one of them.
        longer: the response with more words; None if both have as many, or nobody counted.
        tag: the type of error in the worse response, or its types, where the data name them.
        variant: of the prompt, where it asks for another form of answer than the others do.
    """

    item: int | str
    source: str
    order: Literal["fwd", "rev"]
    truth: Literal[0, 1]
    repeats: Annotated[tuple[Annotated[int, Ge(0)], ...], Len(1)] | None = None
    repeat: Annotated[int, Ge(0)] = 0
    longer: Literal[0, 1] | None = None
    tag: str | tuple[str, ...] | None = None
    variant: str = ""


#: What the prompts ask for, all or each.
Asks: TypeAlias = AnswerFormat | Callable[[Trial], AnswerFormat]
VOTE = OutcomeFields("chosen", VoteRow, facets=("source", "tag"), options=2)


def votes_by(grammar: str = GRAMMAR, fields: OutcomeFields = VOTE, asks: Asks = ASKS) -> Reader:
    """Return a reader that turns a verdict of 1 or 2 into a vote for each repeat of a trial."""
    return Reader(fields, partial(_read, grammar=grammar, asks=asks), grammar, asks=asks)


def _read(
    trial: Trial, exchanges: Sequence[Exchange], rule: str, grammar: str, asks: Asks
) -> Reading:
    reply = first_reply(exchanges)
    verdict, why = parse(grammar, reply, rule, asks(trial) if callable(asks) else asks)
    by_authors = _as_authors_count(trial, parse(grammar, reply, AUTHORS).value)
    place = by_authors if rule == AUTHORS else place_of(verdict)
    measured = shared({AUTHORS: by_authors})
    votes = [VOTE.outcome(trial, place, repeat=n, measured=measured) for n in repeats(trial)]
    return reading_of(votes, verdict, why or "an answer that was not shown", reply)


def place_of(verdict: Any) -> int | None:
    """Return the position, from 0, that a verdict of 1 or 2 names; None for other verdicts."""
    return int(verdict) - 1 if verdict in (1, 2) else None


def _as_authors_count(trial: Trial, verdict: Any) -> int | None:
    """Return the index of the answer that a verdict prefers, as VL-RewardBench's authors count it.

    A verdict for an answer that was not shown ("Answer 3 is better") is not for the worse answer,
    so it counts as right.
    """
    if verdict is None or verdict in (1, 2):
        return place_of(verdict)
    return int(trial["truth"] ^ (trial["order"] == "rev"))


class Grouping(NamedTuple):
    """The groups into which a benchmark sorts its items, to report accuracy for each."""

    names: tuple[str, ...]
    of: Callable[[str], str]

    def place(self, source: str) -> int:
        """Return the index of the group to which items of a source belong.

        Raises:
            ValueError: naming the source, if it is of no group.
        """
        group = self.of(source)
        if group not in self.names:
            raise ValueError(f"'source' must be one of {', '.join(self.names)}, not {source!r}")
        return self.names.index(group)


@once_per_table
def votes(table: OutcomeTable) -> OutcomeTable:
    """Return the votes that count: those of the first `k` repeats of each item.

    Raises:
        ValueError: if no item has as many repeats as `k`.
    """
    k, most = table.options.get("k"), most_repeats(table)
    if k is None:
        return pairs(table)
    if k > most:
        raise ValueError(f"no item was judged {k} times; the most judgments of an item are {most}")
    return pairs(table).first_repeats(k)


def most_repeats(table: OutcomeTable) -> int:
    """Return the largest number of times that any item was judged."""
    return max(map(len, pairs(table).repeats.values()), default=0)


@once_per_table
def votes_by_authors(table: OutcomeTable) -> OutcomeTable:
    """Return the votes of a table, read and counted by the rule of the benchmark's authors."""
    return votes(table).saying(lambda vote: vote.measured.get(AUTHORS, vote.said))


def pair_name(question: str, i: int, j: int) -> str:
    """Return the name of the pair that candidates `i` and `j` of a question form.

    >>> pair_name("mmmu_12", 0, 3)
    'mmmu_12#0-3'
    """
    return f"{question}#{i}-{j}"


@once_per_table
def pairs(table: OutcomeTable) -> OutcomeTable:
    """Return a table's judgments of pairs; two scores of a pair's answers become one judgment.

    Two scores, of a pair's answers, are a judgment: for the higher one, a tie if they are equal,
    unusable if one of them cannot be read.
    """
    by_pair: dict[tuple[Any, int], list[Outcome]] = defaultdict(list)
    for score in table.of_kind("rated"):
        by_pair[score.item, score.repeat].append(score)
    scored = [scores for scores in by_pair.values() if len(scores) == 2]  # --limit may cut a pair
    if scored:
        return OutcomeTable((_as_vote(*scores) for scores in scored), table.options)
    chosen = table.of_kind("chosen")
    if not any(vote.variant for vote in chosen):
        return chosen
    return OutcomeTable(map(_as_pair, chosen), table.options)


def _as_vote(first: Outcome, second: Outcome) -> Outcome:
    place: int | None = None
    if first.usable and second.usable:
        place = TIE if first.said == second.said else int(second.said > first.said)
    return replace(first, kind="chosen", said=place, truth=first["truth"], variant={}, options=2)


def _as_pair(vote: Outcome) -> Outcome:
    facets = {"question": vote.item, "pair": vote["pair"]}
    return replace(vote, item=pair_name(str(vote.item), *vote["pair"]), variant={}, facets=facets)


def word_count(text: str) -> int:
    """Return the number of words in a text."""
    return len(text.split())


def longer_of(first: str, second: str) -> int | None:
    """Return which of two responses has more words, 0 or 1; None if both have as many."""
    words = word_count(first), word_count(second)
    return None if words[0] == words[1] else int(words[1] > words[0])
