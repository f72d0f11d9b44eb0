"""Select pairs of answers step by step; describe each step and how many pairs are left.

Paper: VL-RewardBench, Section 2.2. Labels are drafted by the reference or a strong judge; people
decide where they were asked; hard is a pair that small judges get wrong by the label that holds.

Judges' votes are read from logs of any task of VL-RewardBench or of `preference_custom` over these
pairs; which answer such a log calls the better one does not count.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path
from typing import Any, TypeAlias

from lmms_eval_tasks.people.events import collect
from lmms_eval_tasks.people.pairs.ratings import matrix
from lmms_eval_tasks.people.questions import READER, Answer
from lmms_eval_tasks.preference.lengths import summaries
from lmms_eval_tasks.preference.trials import Pair
from lmms_eval_tasks.preference.votes import pairs as votes_on_pairs
from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARKS, OwnTrials
from lmms_eval_tasks.vl_rewardbench.own.pairs import Candidate
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted, decimal
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.statistics.agreement import krippendorff_alpha

#: The votes on each pair by its name, of each judge by its: 0 or 1 for an answer, else for none.
Votes: TypeAlias = Mapping[str, Mapping[str, Sequence[Any]]]
REFERENCE = "the reference"
_MORE = "give answers of more models, or answers to more questions"


def read_votes(paths: Sequence[Path] | None, pairs: Sequence[Candidate]) -> Votes:
    """Return the judges' votes on the given pairs, read from logs, by judge and pair.

    Raises:
        RecordError: naming what cannot be read, or a judge of whom no vote is on these pairs.
    """
    names = {pair.name for pair in pairs}
    votes: dict[str, dict[str, list[Any]]] = {}
    for judge in read_judges(judge_runs(paths or (), BENCHMARKS)):
        cast = [vote for run in judge.runs.values() for vote in votes_on_pairs(run.table)]
        by_pair = votes[judge.name] = defaultdict(list)
        for vote in sorted(cast, key=lambda vote: (vote.repeat, vote.order)):
            if vote.item in names:
                by_pair[str(vote.item)].append(vote.option)
        if cast and not by_pair:
            file = next(iter(judge.runs.values())).file
            raise RecordError(
                f"{file}: the judge voted on none of these pairs, but on "
                f"{counted(len({vote.item for vote in cast}), 'pair')} such as {cast[0].item!r}. "
                "A pair's id has a digest of its image, question and answers: run the judge "
                "on the folder that this command makes"
            )
    return votes


def _on_pairs(answers: Iterable[Answer], pairs: Sequence[Candidate]) -> Iterator[Answer]:
    """Yield people's answers about these pairs; each chooses one of the two texts."""
    texts = {pair.name: pair.answers for pair in pairs}
    for answer in answers:
        texts_of_pair, chosen = texts.get(answer.key.item, ()), answer.options[: answer.score][-1:]
        if texts_of_pair and answer.options and set(texts_of_pair) != set(answer.options[:2]):
            raise RecordError(
                f"{answer.where}: the first two 'options' are not the answers of pair "
                f"{answer.key.item!r}, but {list(answer.options[:2])!r:.200}"
            )
        if texts_of_pair:
            text = chosen and chosen[0] in texts_of_pair
            yield replace(answer, score=texts_of_pair.index(chosen[0]) + 1) if text else answer


def majority(votes: Sequence[Any]) -> int | None:
    """Return the answer (0 or 1) with more than half of the votes; None if neither has."""
    return next((answer for answer in (0, 1) if 2 * votes.count(answer) > len(votes)), None)


@dataclass
class Funnel:
    """The pairs of answers that are still selected, and a description of the steps so far."""

    pairs: list[Candidate]
    lines: list[str]
    labels: dict[str, tuple[int, str]] = field(default_factory=dict)

    def keep(self, step: str, kept: Callable[[Candidate], bool], mend: str) -> None:
        """Keep only the pairs for which `kept` is true, and note how many pairs are left.

        Raises:
            RecordError: if there is none; `mend` says what to do.
        """
        before, self.pairs = len(self.pairs), [pair for pair in self.pairs if kept(pair)]
        if not self.pairs:
            raise RecordError(f"{step}: 0 of {counted(before, 'pair')}; {mend}")
        self.lines.append(f"{counted(len(self.pairs), 'pair')} {step}")

    def pair(self, length: float) -> None:
        """Keep only pairs of different answers of similar length that are not both wrong."""
        like = f"with answers of similar length (difference below {length:g} of the shorter answer)"
        self.keep("of different answers to the same question", lambda _: True, _MORE)
        self.keep(like, lambda pair: pair.alike_in_length(length), f"{_MORE}, or another --length")
        not_both = "whose answers are not both wrong by the reference"
        self.keep(not_both, lambda pair: pair.right != [False] * 2, _MORE)
        for pair in self.pairs:
            if set(pair.right) == {True, False}:
                self.labels[pair.name] = pair.right.index(True), REFERENCE

    def draft(self, strong: Votes) -> None:
        """Label the pairs that have no label yet by the majority vote of the strong judges."""
        judges, before = ", ".join(strong) or "no judge", len(self.labels)
        for pair in self.pairs:
            better = majority([vote for of in strong.values() for vote in of.get(pair.name, ())])
            if better is not None:
                self.labels.setdefault(pair.name, (better, judges))
        by_judge = f"{len(self.labels) - before} by {judges}"
        self.lines.append(f"draft labels: {before} by {REFERENCE}, {by_judge}")

    def check(self, files: Sequence[Path]) -> None:
        """Keep only pairs that people judged; label each with the answer that the majority prefers.

        Raises:
            RecordError: if a line's options are not the answers of its pair, or no pair is left.
        """
        answers = list(_on_pairs(collect(files, READER).ratings, self.pairs))
        raters, keys, options = matrix(answers)
        columns = zip(keys, options.T, strict=True)
        chosen_of = {key.item: (column[column > 0] - 1).tolist() for key, column in columns}
        shared = [choices for choices in chosen_of.values() if len(choices) > 1]
        same = sum(len(set(choices)) == 1 for choices in shared)
        alpha = decimal(krippendorff_alpha(options, "nominal").value, 3) if shared else "undefined"
        given = Counter(rating.rater for rating in answers)
        mend = "give answers about these pairs (pairbench rate questions)"
        self.keep("that people looked at", lambda pair: pair.name in chosen_of, mend)
        drafts, self.labels = self.labels, {}
        for name, choices in chosen_of.items():
            if (chosen := majority(choices)) is not None:
                self.labels[name] = chosen, "people"
        both = self.labels.keys() & drafts.keys()
        held = sum(self.labels[name][0] == drafts[name][0] for name in both)
        self.lines += [
            f"people: {', '.join(f'{rater} ({given[rater]})' for rater in raters)}; all "
            f"agree on {same} of {counted(len(shared), 'pair')} that two or more judged, "
            f"Krippendorff's alpha {alpha}",
            f"people confirm {counted(held, 'draft label')} and invert {len(both) - held}",
        ]

    def harden(self, small: Votes, ensemble: int, first: int, least: int | None) -> None:
        """Keep only pairs that enough of the small judges get wrong; `least` says how many.

        Args:
            small: their votes.
            ensemble: how many judges are needed.
            first: how many votes of each count.
            least: how many judges must be wrong; None for all.

        Raises:
            RecordError: if there are too few judges, or no pair is hard.
        """
        judges, needed = ", ".join(small), len(small) if least is None else least
        if len(small) < ensemble:
            raise RecordError(f"--small has logs of {judges}, but --ensemble asks for {ensemble}")
        step = f"judged {first} times by each of {judges}"
        mend = "give logs that hold exactly these pairs, or a lower --votes"
        often = [{name for name in votes if len(votes[name]) >= first} for votes in small.values()]
        self.keep(step, lambda pair: all(pair.name in names for names in often), mend)

        def wrong(pair: Candidate) -> int:
            won = [majority(votes[pair.name][:first]) for votes in small.values()]
            return won.count(1 - self.labels[pair.name][0])

        mend = "the judges are right: give a lower --wrong, or harder questions"
        hard = f"that {needed} or more of these {len(small)} judges get wrong"
        self.keep(hard, lambda pair: wrong(pair) >= needed, mend)

    def blind(self) -> None:
        """Describe the answers' lengths, and how often the longer answer is the better one."""
        truth = [(pair.answers, self.labels[pair.name][0]) for pair in self.pairs]
        pairs = [Pair("", "", answers, "own", better, ()) for answers, better in truth]
        words = summaries(pairs, OwnTrials.grouping)["all"]
        share, ends, count = words.longer_better
        between = "" if isnan(ends[0]) else f" ({decimal(ends[0], 3)}-{decimal(ends[1], 3)})"
        better, worse = (", ".join(f"{n:g}" for n in part) for part in (words.better, words.worse))
        self.lines += [
            f"number of words (quartiles): {better} in the better answers; "
            f"{worse} in the worse ones",
            f"share of pairs in which the longer answer is better: {decimal(share, 3)}{between}, "
            f"of {counted(count, 'pair')} of unequal length",
        ]
