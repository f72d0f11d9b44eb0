"""From pairs of answers to those that are kept, step by step, and what the card says of it.

Paper: VL-RewardBench, Section 2.2. Labels are drafted by the reference or a strong judge; people
decide where they were asked; hard is a pair that small judges get wrong by the label that holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lmms_eval_tasks.preference.lengths import summaries
from lmms_eval_tasks.preference.trials import Pair
from lmms_eval_tasks.vl_rewardbench.benchmark import OwnTrials
from lmms_eval_tasks.vl_rewardbench.own.judged import Checked, Votes, majority
from lmms_eval_tasks.vl_rewardbench.own.pairs import Candidate, alike_in_length, both_wrong
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.show.cli.console import cell, interval

REFERENCE = "the reference"


@dataclass
class Funnel:
    """The pairs that are left.

    Attributes:
        pairs: these.
        lines: of the card: how many were left after each step, who judged.
        labels: the better answer, by pair, and who says so.
    """

    pairs: list[Candidate]
    lines: list[str]
    labels: dict[str, tuple[int, str]] = field(default_factory=dict)

    def keep(self, step: str, kept: Callable[[Candidate], bool], mend: str) -> None:
        """Leave the pairs that a step keeps.

        Raises:
            RecordError: if there is none; `mend` says what to do.
        """
        before, self.pairs = len(self.pairs), [pair for pair in self.pairs if kept(pair)]
        if not self.pairs:
            raise RecordError(f"{step}: 0 of {counted(before, 'pair')}; {mend}")
        self.lines.append(f"{counted(len(self.pairs), 'pair')} {step}")

    def pair(self, length: float) -> None:
        """Leave pairs of like length of which one answer may be right; label by the reference."""
        more = "give answers of more models, or more questions"
        self.keep("of different answers to a question", lambda _: True, more)
        self.keep(
            f"of like length: they differ by less than {length:g} of the shorter one",
            lambda pair: alike_in_length(pair, length),
            f"{more}, or a higher --length",
        )
        self.keep("not both wrong by the reference", lambda pair: not both_wrong(pair), more)
        for pair in self.pairs:
            if pair.truth is not None:
                self.labels[pair.name] = pair.truth, REFERENCE

    def draft(self, strong: Votes) -> None:
        """Label the pairs that the reference does not decide by the judges' majority."""
        before = len(self.labels)
        for pair in self.pairs:
            every = [vote for votes in strong.values() for vote in votes.get(pair.name, ())]
            said = majority(every)
            if said is not None and pair.name not in self.labels:
                self.labels[pair.name] = said, ", ".join(strong)
        by_judge = f"{len(self.labels) - before} by {', '.join(strong) or 'no judge'}"
        self.lines.append(f"draft labels: {before} by {REFERENCE}, {by_judge}")

    def labelled(self) -> None:
        """Leave pairs with a label."""
        mend = "give logs of a strong judge of these pairs (--strong), or references"
        self.keep("with a label", lambda pair: pair.name in self.labels, mend)

    def check(self, said: Checked) -> None:
        """Leave pairs of which people chose an answer: their choice is the label."""
        names = "give answers about these pairs (pairbench rate questions)"
        self.keep("that people looked at", lambda pair: pair.name in said.answers, names)
        held = inverted = 0
        for pair in self.pairs:
            chosen, draft = said.label(pair.name), self.labels.get(pair.name)
            held += draft is not None and chosen == draft[0]
            inverted += draft is not None and chosen == 1 - draft[0]
            if chosen is not None:
                self.labels[pair.name] = chosen, "people"
        by = ", ".join(f"{rater} ({count})" for rater, count in said.raters.items())
        alpha = cell(said.alpha.value) if said.shared else "undefined"
        self.lines += [
            f"people: {by}; all say the same of {said.agreed} of {counted(said.shared, 'pair')} "
            f"that two or more looked at, Krippendorff's alpha {alpha}",
            f"people confirm {counted(held, 'draft label')} and invert {inverted}",
        ]
        chosen = [said.label(pair.name) is not None for pair in self.pairs]
        kept = dict(zip((pair.name for pair in self.pairs), chosen, strict=True))
        self.keep("of which most people choose an answer", lambda pair: kept[pair.name], names)

    def harden(self, small: Votes, ensemble: int, first: int, least: int | None) -> None:
        """Leave pairs that small judges get wrong, by the majority of their first votes.

        Args:
            small: their votes.
            ensemble: how many judges are needed.
            first: how many votes of each count.
            least: how many judges must be wrong; None for all.

        Raises:
            RecordError: if there are too few judges, or no pair is hard.
        """
        if len(small) < ensemble:
            raise RecordError(
                f"--small has logs of {counted(len(small), 'judge')} ({', '.join(small)}), and "
                f"{ensemble} are needed; give more, or a lower --ensemble"
            )
        self.keep(
            f"judged {first} times by each of {', '.join(small)}",
            lambda pair: all(len(of.get(pair.name, ())) >= first for of in small.values()),
            "give logs of these very pairs, or fewer --votes",
        )
        needed = len(small) if least is None else least

        def wrong(pair: Candidate) -> int:
            other = 1 - self.labels[pair.name][0]
            return sum(majority(votes[pair.name][:first]) == other for votes in small.values())

        self.keep(
            f"that {needed} or more of these {len(small)} judges get wrong",
            lambda pair: wrong(pair) >= needed,
            "the judges are right: give a lower --wrong, or harder questions",
        )

    def blind(self, logs: Votes) -> None:
        """Say what judges get who see no image: the one who takes the longer answer, and `logs`."""
        pairs = [
            Pair(
                key=pair.name,
                query=pair.asked.row.question,
                responses=tuple(answer.text for answer in pair.answers),
                source=pair.asked.row.source,
                truth=self.labels[pair.name][0],
                images=(),
            )
            for pair in self.pairs
        ]
        words = summaries(pairs, OwnTrials.grouping)["all"]
        share, ends, count = words.longer_better
        self.lines += [
            f"quartiles of words: {_quartiles(words.better)} of the better answers, "
            f"{_quartiles(words.worse)} of the worse ones",
            f"blind, taking the longer answer: right about {cell(share)} ({interval(*ends)}) of "
            f"{counted(count, 'pair')} of unequal length",
        ]
        for judge, votes in logs.items():
            said = [(majority(votes.get(pair.key, ())), pair.truth) for pair in pairs]
            right = [won == truth for won, truth in said if won is not None]
            share = sum(right) / len(right) if right else float("nan")
            decided = f"{counted(len(right), 'pair')} that it decides"
            self.lines.append(f"blind, {judge}: right about {cell(share)} of {decided}")


def _quartiles(counts: tuple[float, float, float]) -> str:
    return ", ".join(f"{count:g}" for count in counts)
