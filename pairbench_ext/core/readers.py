"""How a benchmark reads replies: from those of a trial to outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pairbench_ext import replies
from pairbench_ext.core.outcomes import Outcome, OutcomeFields
from pairbench_ext.core.readings import Read, Reading
from pairbench_ext.core.requests import Exchange, Trial
from pairbench_ext.core.rewards import by_rewards, rewards_of
from pairbench_ext.replies.failures import says_nothing
from pairbench_ext.replies.thoughts import strip_thinking

FAILED = "the request failed"
SILENT = "the reply says nothing"


def parse(
    grammar: str, exchange: Exchange, rule: str, options: Mapping[str, Any] | None = None
) -> replies.Parsed:
    """What a reply says; a failed request has none."""
    if exchange.failed:
        return replies.Parsed(None, FAILED)
    parsed = replies.parse(grammar, exchange.reply, rule, options or {})
    if parsed.value is None and says_nothing(strip_thinking(exchange.reply)):
        return replies.Parsed(None, SILENT)
    return parsed


def first_reply(exchanges: Sequence[Exchange]) -> Exchange:
    """The reply to a trial's only request; an empty one if it is missing."""
    return exchanges[0] if exchanges else Exchange({}, "")


def repeats(trial: Trial) -> Sequence[int]:
    """The numbers of the answers that one reply stands for; under greedy decoding often several."""
    return trial.get("repeats") or (trial.get("repeat") or 0,)


@dataclass(frozen=True)
class Reader:
    """How a benchmark reads replies.

    Attributes:
        fields: of its outcomes: of its logged trials and plain rows.
        read: from a trial's replies to outcomes.
        grammar: of `replies`; its rules are what `--rule` takes. None where replies are free text.
        settled: changes outcomes that must be seen together before they are tabulated.
    """

    fields: OutcomeFields
    read: Read
    grammar: str | None = None
    settled: Callable[[Sequence[Outcome]], Sequence[Outcome]] = lambda outcomes: outcomes

    def __call__(self, trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
        """What the replies of a trial say, by a rule of the grammar; or rewards in their place."""
        rewards = rewards_of(exchanges)
        if rewards is None:
            return self.read(trial, exchanges, rule)
        [exchange] = exchanges
        unread = self.read(trial, [exchange._replace(reply="")], rule)
        return by_rewards(unread, rewards, str(trial.get("labels") or ""))

    @property
    def rules(self) -> list[str]:
        """The names of the rules of the grammar."""
        return sorted(replies.grammars().get(self.grammar or "", ()))

    def rule_name(self, rule: str | None = None) -> str:
        """The name of a rule of the grammar; the default one for None; empty without a grammar.

        Raises:
            ValueError: if the grammar has no such rule, naming those that it has.
        """
        return "" if self.grammar is None else replies.rule_name(self.grammar, rule)


def one_reply(
    fields: OutcomeFields,
    grammar: str,
    *,
    options: Callable[[Trial], Mapping[str, Any]] = lambda _: {},
    said: Callable[[Any, Trial], Any] = lambda value, _: value,
) -> Reader:
    """Reads one reply per trial by one grammar.

    Args:
        fields: of the outcomes.
        grammar: of `replies`.
        options: what the grammar needs to know of the trial.
        said: from the grammar's value and the trial to what an outcome says; None if unusable.
    """

    def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
        reply = first_reply(exchanges)
        value, why = parse(grammar, reply, rule, options(trial))
        place = None if value is None else said(value, trial)
        outcomes = tuple(fields.outcome(trial, place, repeat=repeat) for repeat in repeats(trial))
        usable = all(outcome.usable for outcome in outcomes)
        unusable = () if usable else (why or "none of the options",)
        log = {"said": value, "unusable": unusable[0] if unusable else None}
        return Reading(outcomes, log, unusable=unusable, failed=int(reply.failed))

    return Reader(fields, read, grammar)
