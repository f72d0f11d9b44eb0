"""The trials of best of N: compare all pairs of candidates, or only those of a knockout."""

import os
from bisect import bisect
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Literal

from lmms_eval_tasks.best_of_n.contests import comparisons, winner
from lmms_eval_tasks.best_of_n.picking import KNOCKOUT, following_round, meetings
from lmms_eval_tasks.best_of_n.questions import Question, read_questions
from lmms_eval_tasks.preference.prompts import render
from lmms_eval_tasks.preference.trials import Pair, PreferenceEntry, PreferenceTrials, in_order
from lmms_eval_tasks.preference.votes import GRAMMAR, pair_name
from pairbench_ext import replies
from pairbench_ext.core.benchmark import Exchange, Request, Rounds, TaskTrials, Trial
from pairbench_ext.core.media import ImageFiles
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError

DATA_VARIABLE = "BEST_OF_N_DATA"


@dataclass(frozen=True)
class BestOfNEntry(PreferenceEntry):
    """The settings of a task: how often, and in which orders, each pair of candidates is judged.

    Attributes:
        method: whether all pairs are asked about, or those that a knockout comes to.
    """

    method: Literal["all_pairs", "knockout"] = "all_pairs"


def trials(entry: Mapping[str, Any]) -> TaskTrials[Any]:
    """Return a task's trials: all pairs of candidates, or a knockout if the task asks for one."""
    return (KnockoutTrials if entry.get("method") == KNOCKOUT else ComparisonTrials)(entry)


def candidates_file(data: str | None) -> Path:
    """Return the file of candidates that the task's settings or `BEST_OF_N_DATA` name.

    Raises:
        SourceError: if neither says, or there is no such file.
    """
    named = data or os.environ.get(DATA_VARIABLE)
    if not named:
        raise SourceError(
            f"no file of candidates: set {DATA_VARIABLE}=FILE (or 'data' in the task's settings). "
            "Its JSON lines need id, query, image, candidates, and correct or reference"
        )
    file = Path(named).expanduser().absolute()
    if not file.is_file():
        raise SourceError(f"{DATA_VARIABLE if data is None else 'data'}={named} is not a file")
    return file


class ComparisonTrials(PreferenceTrials):
    """Trials that compare all pairs of each question's candidates.

    Candidates that are the same text are not compared: such a pair is a tie. A question whose
    candidates are all one text has no trial of its own; it comes with another one's, as `settled`.

    Raises:
        SourceError, RecordError: on first use, if the file is missing or not as described.
    """

    entry_type: ClassVar[type[Any]] = BestOfNEntry
    unit = "question"
    strata = ()
    name = "vl_rewardbench"  # by which orders are drawn, as in version 0.1

    @cached_property
    def file(self) -> Path:
        """Return the path of the file of questions and candidates."""
        return candidates_file(self.entry.data)

    @cached_property
    def questions(self) -> list[Question]:
        """Return the questions, in the order of the file."""
        return read_questions(self.file, self.left_out)

    @cached_property
    def pairs(self) -> list[tuple[int, int, int]]:
        """Return, for each comparison, the indices of the question and two candidates (i < j)."""
        pairs = [
            (number, i, j)
            for number, question in enumerate(self.questions)
            for i, j in combinations(range(len(question.candidates)), 2)
            if question.candidates[i] != question.candidates[j]
        ]
        if not pairs:
            raise RecordError(
                f"{self.file}: in every question, all candidates have the same text, so there is "
                "nothing to judge"
            )
        return pairs

    @cached_property
    def settled(self) -> dict[int, list[int]]:
        """Return the questions without comparisons, keyed by the question in whose log they are.

        Those come with the question before them in the file, the first ones with the first.
        """
        asked = sorted({number for number, _, _ in self.pairs})
        settled: dict[int, list[int]] = {number: [] for number in asked}
        for number in sorted(set(range(len(self.questions))) - set(asked)):
            settled[asked[max(0, bisect(asked, number) - 1)]].append(number)
        return settled

    @cached_property
    def items(self) -> dict[int, Pair]:
        """Return the pairs to compare; `truth` is 1 if the second candidate is better, else 0."""
        return {row: self._pair(*pair) for row, pair in enumerate(self.pairs)}

    def _pair(self, number: int, i: int, j: int) -> Pair:
        question = self.questions[number]
        return Pair(
            key=pair_name(question.name, i, j),
            query=question.query,
            responses=(question.candidates[i], question.candidates[j]),
            source="best_of_n",
            truth=int(question.worth[j] > question.worth[i]),
            images=tuple(map(str, question.images)),
        )

    def choices(self, number: int) -> dict[str, Any]:
        """Return a question's candidates as log fields, with the questions logged along with it."""
        others = [_choices(self.questions[other]) for other in self.settled[number]]
        return {**_choices(self.questions[number]), "settled": others}

    def describe_item(self, item: Pair, request: Trial) -> dict[str, Any]:  # noqa: ARG002
        """Return the logged fields of a comparison, from which it is scored later."""
        number, i, j = self.pairs[request["row"]]
        return {"pair": [i, j], **self.choices(number)}

    def show(self, item: Pair, trial: Trial) -> Request:
        """Return the request: the question's images, then the prompt with both candidates."""
        text = render(item.query, in_order(item.responses, trial["order"]))
        _, i, j = self.pairs[trial["row"]]
        asked = {"pair": [i, j], "order": trial["order"], "repeats": trial["repeats"]}
        return Request((lambda: [self._images.get(0, x) for x in item.images], text), log=asked)

    @cached_property
    def _images(self) -> ImageFiles:
        return ImageFiles(lambda _, file: Path(file), f"the images of {self.file}")

    def target(self, trial: Trial) -> str:
        """Return the position of the better candidate, "1" or "2"; "1 or 2" for equal scores."""
        first, second = (trial["worth"][candidate] for candidate in trial["pair"])
        if first == second:
            return "1 or 2"
        return str(((second > first) ^ (trial["order"] == "rev")) + 1)


class KnockoutTrials(TaskTrials[BestOfNEntry]):
    """One knockout per question; earlier replies decide which candidates are compared next.

    A comparison is asked exactly as `ComparisonTrials` asks it: in the same orders, as often. Of
    candidates that are the same text, the lower number advances unasked.

    Raises:
        SourceError, RecordError: on first use, if the file is missing or not as described.
    """

    entry_type: ClassVar[type[Any]] = BestOfNEntry
    unit = "question"

    @cached_property
    def all_pairs(self) -> ComparisonTrials:
        """Return the trials that compare all pairs; a knockout needs only some of them."""
        pairs = ComparisonTrials(self._entry)
        pairs.left_out = self.left_out
        return pairs

    @cached_property
    def _of_pair(self) -> dict[tuple[int, int, int], list[Trial]]:
        """Return the comparisons of each pair of candidates."""
        requests = defaultdict(list)
        for request in self.all_pairs.requests:
            requests[self.all_pairs.pairs[request["row"]]].append(request)
        return dict(requests)

    @cached_property
    def requests(self) -> Sequence[Mapping[str, Any]]:
        """Return one request for each question that has candidates to compare."""
        return [{"row": row} for row in self.all_pairs.settled]

    def describe(self, request: Trial) -> dict[str, Any]:
        """Return a question's logged fields: its candidates, and the rule that reads replies."""
        return {**request, **self.all_pairs.choices(request["row"]), "rule": self.entry.rule}

    def ask(self, trial: Trial) -> Rounds:
        """Yield a knockout's comparisons, round by round; adjacent candidates are compared."""
        left: Sequence[int] = range(len(trial["worth"]))
        while len(left) > 1:
            winners = []
            for i, j in meetings(left):
                winners.append((yield from self._meeting(trial, i, j)))
            left = following_round(left, winners)

    def _meeting(self, trial: Trial, i: int, j: int) -> Generator[Request, str, int | None]:
        """Ask which of two candidates is better; return the winner, or None for a tie."""
        if trial["alike"][i] == trial["alike"][j]:
            return None
        rule = replies.rule_name(GRAMMAR, trial["rule"])
        compared = []
        for comparison in self._of_pair[trial["row"], i, j]:
            request = self.all_pairs.ask(comparison)
            assert isinstance(request, Request)
            reply = yield request
            compared += comparisons(trial, Exchange(request.log, reply), rule)
        return winner(compared)

    def target(self, trial: Trial) -> str:
        """Return the indices of the candidates with the highest score, joined by commas."""
        worth = trial["worth"]
        return ", ".join(str(n) for n, value in enumerate(worth) if value == max(worth))


def _choices(question: Question) -> dict[str, Any]:
    return {
        "question": question.name,
        "worth": list(question.worth),
        "alike": list(question.alike),
        "unread": question.unread,
    }
