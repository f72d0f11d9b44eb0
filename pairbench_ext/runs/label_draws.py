"""Draw questions at random for people to label; a file beside the label sheet stores the draw.

A draw is a function of the list, a seed and a number, so that anybody can draw again and see that
the labelled questions are those that were drawn. The list is known by its digest.
"""

import json
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pairbench_ext.core.contents import digest
from pairbench_ext.core.foreign import json_in
from pairbench_ext.core.records import RecordError, from_mapping, reason_of
from pairbench_ext.core.texts import counted, listed
from pairbench_ext.runs.label_checks import Question, questions_of
from pairbench_ext.runs.label_rows import draw_file
from pairbench_ext.runs.people_labels import ItemLabels, LabelsOf, field_of
from pairbench_ext.runs.side_by_side import SideBySide
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.seeds import stable_hash


@dataclass(frozen=True)
class Draw:
    """A random draw of questions for people to label.

    Attributes:
        seed: the seed of the draw.
        number: how many questions were drawn.
        strata: the field within whose values questions were drawn; empty for none.
        questions: how many questions each task has, keyed by task.
        digests: a hash of the list of questions, keyed by task.
        drawn: how many questions were drawn, keyed by task and stratum ("" without strata).
    """

    seed: int
    number: int
    strata: str
    questions: Mapping[str, int]
    digests: Mapping[str, str]
    drawn: Mapping[str, Mapping[str, int]]

    def of(self, task: str, judge: TaskOutcomes, labels_of: LabelsOf) -> set[str]:
        """Return the names of the questions that were drawn from a task; empty if none was.

        Raises:
            RecordError: if the judge was asked other questions than those drawn from, or a label is
                of a question that was not drawn.
        """
        if task not in self.digests:
            return set()
        questions = _questions(judge, labels_of)
        if _digest(questions) != self.digests[task]:
            raise RecordError(
                f"{task}: the questions to label were drawn from another list "
                f"({self.questions[task]:,} questions) than {judge.judge} was asked "
                f"({len(questions):,} questions). Give the run that `pairbench trust --draw` was "
                "given. Or delete the .draw.json file beside the sheet; then nothing proves that "
                "labels were drawn at random"
            )
        names = {
            question.name
            for stratum, number in self.drawn[task].items()
            for question in _first(questions, task, self.seed, self.strata, stratum, number)
        }
        others = [q.name for q in questions if q.is_labelled and q.name not in names]
        if others:
            raise RecordError(
                f"{task}: {counted(len(others), 'label')} of questions that were not drawn "
                f"({listed(others, 3)}). Remove these labels, or draw more questions with "
                "`pairbench trust --draw`"
            )
        return names


def draw(
    sides: Sequence[SideBySide], number: int, *, strata: str | None = None, seed: int = 0
) -> tuple[Draw, list[tuple[str, Question]]]:
    """Draw questions at random from those that the first judge was asked.

    Args:
        sides: the judge's tasks.
        number: how many questions to draw.
        strata: a field: each of its parts gets as many as its share of the questions, rounded.
        seed: of the draw.

    Returns:
        The draw, and the questions with their tasks.

    Raises:
        RecordError: if there are fewer questions, or they have no such field.
    """
    lists = {
        side.name: _questions(next(iter(side.judges.values())), lambda _: ItemLabels({}))
        for side in sides
        if side.judges
    }
    total = sum(map(len, lists.values()))
    if number > total:
        raise RecordError(f"--draw {number}: there are {counted(total, 'question')} only")
    taken = _taken(lists, number, strata, seed)
    drawn: dict[str, dict[str, int]] = {task: {} for task in lists}
    for (task, stratum), count in sorted(Counter((t, s) for t, _, s in taken).items()):
        drawn[task][stratum] = count
    drawn_sample = Draw(
        seed,
        number,
        strata or "",
        {task: len(questions) for task, questions in lists.items()},
        {task: _digest(questions) for task, questions in lists.items()},
        drawn,
    )
    return drawn_sample, [(task, question) for task, question, _ in taken]


def _taken(
    lists: Mapping[str, Sequence[Question]], number: int, strata: str | None, seed: int
) -> list[tuple[str, Question, str]]:
    """Draw tasks, questions and strata."""
    pool = [(task, q, _stratum(q, strata)) for task, questions in lists.items() for q in questions]
    pool.sort(key=lambda entry: _rank(seed, entry[0], entry[1]))
    left = _shares(Counter(stratum for *_, stratum in pool), number)
    taken = []
    for entry in pool:
        if left[entry[2]]:
            left[entry[2]] -= 1
            taken.append(entry)
    return taken


def draws_of(files: Sequence[Path]) -> list[Draw]:
    """Return the random draws of questions that are stored beside files of labels.

    Raises:
        RecordError: if such a file does not describe a draw.
    """
    draws = []
    for file in map(draw_file, files):
        if file.exists():
            try:
                draws.append(from_mapping(Draw, json_in(file), str(file)))
            except (OSError, ValueError) as error:
                raise RecordError(
                    f"{file}: the file was not made by `pairbench trust --draw` "
                    f"({reason_of(error)})"
                ) from error
    return draws


def text_of(drawn: Draw) -> str:
    """Return a draw as text for the file that stores it."""
    return json.dumps(asdict(drawn), indent=1, ensure_ascii=False) + "\n"


def _questions(judge: TaskOutcomes, labels_of: LabelsOf) -> list[Question]:
    return [q for questions in questions_of(judge, labels_of).values() for q in questions]


def _first(
    questions: Sequence[Question], task: str, seed: int, strata: str, stratum: str, number: int
) -> list[Question]:
    members = [q for q in questions if _stratum(q, strata or None) == stratum]
    return sorted(members, key=lambda question: _rank(seed, task, question))[:number]


def _rank(seed: int, task: str, question: Question) -> tuple[int, str, str]:
    key = question.item, question.criterion
    return stable_hash(seed, "labels", task, *key), *key


def _stratum(question: Question, strata: str | None) -> str:
    value: Hashable = field_of(question.outcomes[0], strata)
    return "" if strata is None else str(value)


def _shares(sizes: Mapping[str, int], number: int) -> dict[str, int]:
    """Return how many of a number each part gets: its share, by largest remainders."""
    total = sum(sizes.values())
    exact = {name: number * size / total for name, size in sizes.items()}
    shares = {name: int(value) for name, value in exact.items()}
    by_rest = sorted(sizes, key=lambda name: (shares[name] - exact[name], name))
    for name in by_rest[: number - sum(shares.values())]:
        shares[name] += 1
    return shares


def _digest(questions: Sequence[Question]) -> str:
    names = sorted(f"{question.item}\n{question.criterion}" for question in questions)
    return digest(["\n\n".join(names).encode()]).hex()
