"""Read the replies of a trial: turn them into outcomes.

A reward model, a judge that gives a number for one answer at a time, writes no reply: of two, the
higher number wins.
"""

import json
import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, TypeAlias

from PIL.Image import Image

from pairbench_ext import replies
from pairbench_ext.core.limit_items import Sampled
from pairbench_ext.core.outcomes import TIE, Outcome, OutcomeFields
from pairbench_ext.core.records import Record
from pairbench_ext.core.requests import Exchange, Trial
from pairbench_ext.core.texts import counted
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.failures import says_nothing
from pairbench_ext.replies.thoughts import strip_thinking


class ReadReply(NamedTuple):
    """The value that was read from one reply, its position, and the reading step that found it.

    Attributes:
        step: "asked" where the declared answer stood as asked, "prose", or "unreadable".
        value: what was read.
        checksum: of the reply.
        span: where the value stands in it; None where the rule does not say.
    """

    step: str
    value: Any
    checksum: int
    span: tuple[int, int] | None = None


#: The replies of the trial that is being read, in this thread.
_READ: ContextVar[list[ReadReply] | None] = ContextVar("read", default=None)


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a trial's replies.

    Attributes:
        outcomes: what they say; None, not NaN, for what is undefined.
        log: added to the logged trial: the verdict, and why there is none.
        rows: added to the log of each exchange, in tasks that ask in rounds.
        unusable: why replies could not be used, one text for each such reply.
        failed: how many requests failed.
        left_out: what could not be asked about, and why. Such a trial has no outcomes; the first
            one of a task says what else of the task's data is left out.
        built: False where the whole task could not be asked: all its numbers are then undefined.
        sampled: what the trial's item was drawn from; None where all items are asked about.
        no_distribution: why there is none over the answers; empty where there is one, and where
            nobody asked for it.
        source: who gave the probabilities, where there are any.
        replies: how each reply was read, by a rule that says it.
        declared: whether the trial itself says what was asked for.
    """

    outcomes: tuple[Outcome, ...]
    log: Mapping[str, Any] = field(default_factory=dict)
    rows: tuple[Mapping[str, Any], ...] = ()
    unusable: tuple[str, ...] = ()
    failed: int = 0
    left_out: tuple[str, ...] = ()
    built: bool = True
    sampled: Sampled | None = None
    no_distribution: str = ""
    source: str = ""
    replies: tuple[ReadReply, ...] = ()
    declared: bool = False


class Option(NamedTuple):
    """An option of `pairbench score`, passed to `Benchmark.table` by its name.

    Attributes:
        name: with underscores.
        type: of its value, as typer takes it.
        default: None where it is not given.
        help: one line.
        least: the smallest number that it may be.
        numbers: that it changes: a run is placed only in tables that count them alike.
    """

    name: str
    type: Any
    default: Any
    help: str
    least: float | None = None
    numbers: tuple[str, ...] = ()


class Pool(NamedTuple):
    """A way to compute metrics (`--pool`): it says what an unreadable reply counts as.

    Attributes:
        name: `paper`, `authors`, `readable` (usable replies alone), or another; numbers find it in
            `OutcomeTable.options`.
        about: one line: what an unusable reply counts as.
        change: returns the outcome that counts in place of one.
        keep: whether an outcome counts.
    """

    name: str
    about: str
    change: Callable[[Outcome], Outcome] = lambda outcome: outcome
    keep: Callable[[Outcome], bool] = lambda _: True


class PlainRows(NamedTuple):
    """The declaration of plain rows, which users can give in place of logged samples.

    Attributes:
        about: their fields, for help texts; empty where there are no plain rows.
        convert: makes plain rows of a file's records, for logs in a format of the authors' own.
    """

    about: str = ""
    convert: Callable[[Sequence[Record]], Sequence[Record]] = lambda records: records


class Read(Protocol):
    """A function that reads the replies of a trial by a rule. It never raises."""

    def __call__(  # noqa: D102
        self, trial: Trial, exchanges: Sequence[Exchange], rule: str
    ) -> Reading: ...


Reward: TypeAlias = Callable[[Sequence[Image], str, str], float]
#: Of the images shown with an answer, the prompt and the answer (empty for an image by itself).

#: Numbers of reading, position and the scale that the instructions ask for: undefined of rewards.
NOT_OF_REWARDS = frozenset(
    {
        *("coverage", "refusals", "first_position_rate", "position_consistency"),
        *("relaxsym", "relaxsym0", "closeness", "smoothness"),
    }
)
_REWARDS = "pairbench_rewards"


class Candidate(NamedTuple):
    """An answer that a reward model scores, with its prompt and images."""

    images: Callable[[], Sequence[Image]]
    prompt: str
    answer: str = ""


def reward_reply(rewards: Sequence[Any], source: str = "the reward model") -> str:
    """Return a reward model's reply: one score for each answer, in the order shown.

    Raises:
        ValueError: naming what gave them, if one is no finite number.
    """
    try:
        numbers = [float(reward) for reward in rewards]
    except (TypeError, ValueError):
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        raise ValueError(f"{source} must give finite numbers, not {rewards!r:.60}")
    return json.dumps({_REWARDS: numbers})


def rewards_of(exchanges: Sequence[Exchange]) -> list[float] | None:
    """Return the scores that a reward model replied with; None for any other reply."""
    if len(exchanges) != 1 or not exchanges[0].reply.startswith(f'{{"{_REWARDS}"'):
        return None
    try:
        return [float(reward) for reward in json.loads(exchanges[0].reply)[_REWARDS]]
    except (KeyError, TypeError, ValueError):
        return None


def rewarded(outcomes: Iterable[Outcome]) -> bool:
    """Return whether these outcomes come from a reward model, whose replies are only scores."""
    return any("rewards" in outcome.measured for outcome in outcomes)


def by_rewards(unread: Reading, rewards: Sequence[float], labels: str) -> Reading:
    """Turn rewards into an answer: the highest-scored option is chosen; one reward is a rating.

    Args:
        unread: what the benchmark makes of an empty reply.
        rewards: in the order shown.
        labels: of answers that are to be ranked, in the order shown.
    """
    judged = {outcome.kind for outcome in unread.outcomes} - ({"text"} if not labels else set())
    wanted = {"chosen": 2, "rated": 1, "text": len(labels)}
    answers: dict[str, Any] = {}
    if judged and all(wanted[kind] == len(rewards) for kind in judged):
        ranked = sorted(range(len(rewards)), key=lambda place: -rewards[place])
        answers["chosen"] = TIE if len({*rewards}) == 1 else ranked[0]
        answers["rated"] = rewards[0]
        answers["text"] = "".join(labels[place : place + 1] for place in ranked)

    def of(outcome: Outcome) -> Outcome:
        answer = answers.get(outcome.kind)
        return replace(outcome, said=answer, measured={"answer": answer, "rewards": (*rewards,)})

    outcomes = tuple(of(each) if each.kind in judged else each for each in unread.outcomes)
    needed = " or ".join(map(str, sorted({wanted[kind] for kind in judged}))) or "a text"
    why = f"{counted(len(rewards), 'reward')} in the reply, but this question needs {needed}"
    log = {"said": list(rewards), "unusable": None if answers else why}
    return replace(unread, outcomes=outcomes, log=log, unusable=() if answers else (why,))


FAILED = "the request failed"
SILENT = "an empty reply"


def parse(
    grammar: str, exchange: Exchange, rule: str, asked: AnswerFormat | None = None
) -> replies.Parsed:
    """Read one reply by a rule of the grammar; a failed request gives a result without a value."""
    if exchange.failed:
        return replies.Parsed(None, FAILED)
    parsed = replies.parse(grammar, exchange.reply, rule, asked)
    read = _READ.get()
    if parsed.step and read is not None:
        step = parsed.step if parsed.value is not None else "unreadable"
        read.append(ReadReply(step, parsed.value, checksum_of(exchange.reply), parsed.span))
    if parsed.value is None and says_nothing(strip_thinking(exchange.reply)):
        return replies.Parsed(None, SILENT)
    return parsed


def checksum_of(reply: str) -> int:
    """Return a reply's checksum, by which the same reply can be recognised later."""
    return zlib.crc32(reply.encode("utf-8", "surrogatepass"))


def first_reply(exchanges: Sequence[Exchange]) -> Exchange:
    """Return the reply to a trial's only request; empty if it is missing."""
    return exchanges[0] if exchanges else Exchange({}, "")


def repeats(trial: Trial) -> Sequence[int]:
    """Return which repeats of a question a reply answers; several if they share one reply."""
    return trial.get("repeats") or (trial.get("repeat") or 0,)


@dataclass(frozen=True)
class Reader:
    """The function, the grammar and the fields with which a benchmark reads replies.

    Attributes:
        fields: of its outcomes: of its logged trials and plain rows.
        read: from a trial's replies to outcomes.
        grammar: of `replies`; its rules are what `--rule` takes. None where replies are free text.
        settled: changes outcomes that must be seen together before they are tabulated.
        asks: what the prompt asks for, of all trials or of each; None where nobody declared it.
    """

    fields: OutcomeFields
    read: Read
    grammar: str | None = None
    settled: Callable[[Sequence[Outcome]], Sequence[Outcome]] = lambda outcomes: outcomes
    asks: AnswerFormat | Callable[[Any], AnswerFormat] | None = None

    def __call__(self, trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
        """Return the result of reading a trial's replies by a rule of the grammar."""
        rewards = rewards_of(exchanges)
        if rewards is None:
            return self._with_steps(trial, exchanges, rule)
        [exchange] = exchanges
        unread = self.read(trial, [exchange._replace(reply="")], rule)
        return by_rewards(unread, rewards, str(trial.get("labels") or ""))

    def _with_steps(self, trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
        """Return what replies say, and in which step each was read, also for the log."""
        kept = _READ.set([])
        try:
            reading = self.read(trial, exchanges, rule)
            read = tuple(_READ.get() or ())
        finally:
            _READ.reset(kept)
        log = {**reading.log, "read_step": read[0].step} if len(read) == 1 else reading.log
        declared = bool(trial.get("answer"))
        return replace(reading, log=log, replies=read, declared=declared) if read else reading

    @property
    def rules(self) -> list[str]:
        """Return the names of the grammar's rules for reading replies (`--rule`)."""
        return sorted(replies.rules_of(self.grammar or ""))

    def rule_name(self, rule: str | None = None) -> str:
        """Return the name of the rule for reading replies (`--rule`); by default, the first rule's.

        Raises:
            ValueError: if the grammar has no such rule, naming those that it has.
        """
        return "" if self.grammar is None else replies.rule_name(self.grammar, rule)


def reading_of(
    outcomes: Iterable[Outcome], value: Any, why: str | None, reply: Exchange
) -> Reading:
    """Return the result of reading a trial's only reply.

    Args:
        outcomes: of it.
        value: what the grammar read in it, for the log.
        why: it says nothing usable; None where it names none of the options.
        reply: with its request.
    """
    read = tuple(outcomes)
    usable = all(outcome.usable for outcome in read)
    reason = None if usable else why or "an answer that is none of the options"
    log = {"said": value, "unusable": reason}
    return Reading(read, log, unusable=(reason,) if reason else (), failed=int(reply.failed))


def one_reply(
    fields: OutcomeFields,
    grammar: str,
    *,
    asks: AnswerFormat | Callable[[Trial], AnswerFormat] | None = None,
    to_answer: Callable[[Any, Trial], Any] = lambda value, _: value,
) -> Reader:
    """Return a reader for trials with one reply each. It uses the named grammar.

    Args:
        fields: of the outcomes.
        grammar: of `replies`.
        asks: what the prompt asks for, of all trials or of each.
        to_answer: from the grammar's value and the trial to what an outcome says; None if unusable.
    """

    def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
        reply = first_reply(exchanges)
        value, why = parse(grammar, reply, rule, asks(trial) if callable(asks) else asks)
        place = None if value is None else to_answer(value, trial)
        outcomes = (fields.outcome(trial, place, repeat=repeat) for repeat in repeats(trial))
        return reading_of(outcomes, value, why, reply)

    return Reader(fields, read, grammar, asks=asks)
