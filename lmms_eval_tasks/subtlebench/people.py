"""Let people answer VLM-SubtleBench's questions on a page (Appendix B.4) and log their answers.

The paper asks 100 questions of each type of difference, drawn from the type's sources in proportion
to their sizes. Here a round has `n` questions of each type, which are drawn at random within a
source; sources get their places by Sainte-Lague's method, so that several rounds together are in
proportion, too. All people are asked the same questions, each in an order of their own, with the
options in the order that models are shown.

An answer becomes the reply to the trial that asks a model the same, so a person's log has the rows
of a run over the questions that the person answered.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from PIL.Image import Image

from lmms_eval_tasks.people import questions
from lmms_eval_tasks.people.command import Port, Raters, names, serve
from lmms_eval_tasks.people.events import collect
from lmms_eval_tasks.people.questions import LETTERS, READER, Answer, Key
from lmms_eval_tasks.people.study import Datum, Question, Study
from lmms_eval_tasks.preference.trials import PairItems
from lmms_eval_tasks.subtlebench.choices import STANDARD, ChoiceTrials
from lmms_eval_tasks.subtlebench.tasks import CHOICE_TASKS, NAME
from lmms_eval_tasks.vl_rewardbench.own import study as preferences
from pairbench_ext.core.benchmark import Task
from pairbench_ext.core.files import check_file, check_folder, write_atomically
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError, without_noise
from pairbench_ext.core.texts import counted
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.show.cli.options import Overwrite, argument, option
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.stacks.plain.tasks import as_line, trials_of
from pairbench_ext.statistics import seeds

_NOTE = (
    "Unless the options say otherwise, the difference is described in terms of the second image "
    "relative to the first."
)


class DifferenceStudy(questions.QuestionStudy):
    """A random draw of a task's questions, for people to answer.

    Args:
        task: its name, such as "subtlebench" or "subtlebench_demo".
        n: questions of each type in a round; fewer where a type has no more.
        seed: of the draw and of people's orders.
        only: names of the items that are asked about; all by default.

    Attributes:
        trials: all questions, in the order of the task, as a model's log describes them.

    Raises:
        SourceError: if there is no such task, it does not ask the plain question about both images,
            or its data are missing.
        ValueError: if n is below 1.
    """

    title = "SubtleBench: what differs?"
    thing = "question"

    def __init__(
        self, task: str, n: int = 1, seed: int = 0, only: frozenset[str] | None = None
    ) -> None:
        if n < 1:
            raise ValueError(f"a round needs at least 1 question of each type, not {n}")
        self._asked = ChoiceTrials(_entry(task))
        described = map(self._asked.describe, self._asked.requests)
        self.trials = {Key(task, trial["item"], trial["order"]): trial for trial in described}
        cells: dict[tuple[str, str], list[Key]] = {}
        for key, trial in questions.asked_about(self.trials, only).items():
            cells.setdefault((trial["category"], trial["source"]), []).append(key)
        names = sorted(
            "\0".join((*cell, *astuple(key))) for cell, keys in cells.items() for key in keys
        )
        super().__init__(drawn_order(cells, seed).values(), n, seed, ("questions", n, *names))

    def question(self, key: Key) -> Question:
        """Return the question and its options, without right answer or type of difference."""
        trial = self.trials[key]
        shown = {
            "question": self._asked.pairs.items[trial["row"]].question,
            "options": trial["options"],
            "note": _NOTE,
        }
        return Question((Datum("First image"), Datum("Second image")), shown, len(trial["options"]))

    def picture(self, key: Key, side: int) -> Image:
        """Return one of the two images: the first for side 0, the second for side 1."""
        return self._asked.images(self.trials[key]["row"])[side]


def drawn_order(cells: Mapping[tuple[str, str], Sequence[Key]], seed: int) -> dict[str, list[Key]]:
    """Return, for each type of difference, its questions in the order in which they are drawn."""
    places: dict[str, list[tuple[float, int, Key]]] = {}
    for (category, source), keys in sorted(cells.items()):
        order = seeds.generator(seed, "questions", category, source).permutation(len(keys))
        tie = seeds.stable_hash(seed, "source", category, source)
        in_order = sorted(keys)
        places.setdefault(category, []).extend(
            ((rank + 0.5) / len(keys), tie, in_order[place]) for rank, place in enumerate(order)
        )
    return {category: [key for *_, key in sorted(drawn)] for category, drawn in places.items()}


def _entry(name: str) -> Mapping[str, Any]:
    entries = {
        task.name: task.entry
        for task in CHOICE_TASKS
        if isinstance(task, Task)
        and task.entry.get("strategy", STANDARD) == STANDARD
        and task.entry.get("shows", "both") == "both"
    }
    if name not in entries:
        raise SourceError(
            f"{name!r} cannot be answered by people. They can answer tasks with the standard "
            f"prompt and both images: {', '.join(entries)}"
        )
    return entries[name]


#: The rows that the harness would log, by rater and task.
Logs: TypeAlias = dict[tuple[str, str], list[dict[str, Any]]]


def logs_of(answers: Iterable[Answer]) -> Logs:
    """Return sample logs of people's answers, keyed by person and task.

    Raises:
        RecordError: if a question was answered on other data than the task's.
        SourceError: if there is no such task, or its data are missing.
    """
    by_task: dict[str, list[Answer]] = {}
    for answer in answers:
        by_task.setdefault(answer.key.task, []).append(answer)
    logs: Logs = {}
    for task, given in sorted(by_task.items()):
        replies = _replies(task, given)
        for trial in open_task(task):
            key = Key(task, trial.scalars["item"], trial.scalars["order"])
            for rater, letter in sorted(replies.get(key, {}).items()):
                logs.setdefault((rater, task), []).append(trial.row(f"### Answer\n{letter}"))
    return logs


def _replies(task: str, answers: Sequence[Answer]) -> dict[Key, dict[str, str]]:
    """Return the letters that people chose, by question and rater."""
    try:
        study = DifferenceStudy(task)
    except SourceError as error:
        raise SourceError(f"{answers[0].where}: field 'task': {error}") from error
    replies: dict[Key, dict[str, str]] = {}
    for answer in answers:
        _check(answer, study)
        replies.setdefault(answer.key, {})[answer.rater] = LETTERS[answer.score - 1]
    return replies


def _check(answer: Answer, study: DifferenceStudy) -> None:
    key = answer.key
    if (
        key not in study.trials
        or answer.score > study.question(key).highest
        or (answer.content and answer.content != study.content(key))
    ):
        raise RecordError(
            f"{answer.where}: {answer.rater!r} answered question {key.item!r} ({key.order}) on "
            f"other data than those of {key.task}; give the data on which it was answered"
        )


def rate_questions(
    raters: Raters,
    task: Annotated[
        str,
        option(
            "Task whose questions people answer. It must use the standard prompt, or ask "
            "which of two answers is better."
        ),
    ] = NAME,
    per_type: Annotated[
        int,
        option(
            "Number of questions per person and round. If a task has types of difference, "
            "it is the number for each type.",
            min=1,
        ),
    ] = 100,
    seed: Annotated[int, option("Random seed for drawing questions and their orders.")] = 0,
    port: Port = 0,
    sheet: Annotated[
        Path | None,
        option("Ask only the questions on this sheet, made by `pairbench trust --draw`."),
    ] = None,
    out: Annotated[
        Path | None,
        option(
            "File to which answers are added (JSON lines). Default: answers.jsonl, or the "
            "sheet's name with .jsonl."
        ),
    ] = None,
) -> None:
    """Serve a page on which people answer VLM-SubtleBench's questions.

    For a task with pairs of answers, such as preference_custom, people say which answer is better.

    All people answer the same questions, each in an order of their own, stratified by source within
    each type of difference. An answer is on disk as soon as it is given; the same command continues
    where it stopped. Ctrl-C ends it. `pairbench papers answers` converts answers into sample
    logs.

    pairbench rate questions --task subtlebench_demo --raters anna,ben --per-type 20
    """
    people = names(raters)
    with fail_on(ValueError), without_noise():
        only = None
        if sheet is not None:
            task, only = questions.of_sheet(sheet)
            per_type = len(only)
        trials = trials_of(task)
        asked: Study[Key] = (
            preferences.PreferenceStudy(task, trials, per_type, seed, only)
            if isinstance(trials, PairItems)
            else DifferenceStudy(task, per_type, seed, only)
        )
        to = out or (Path("answers.jsonl") if sheet is None else sheet.with_suffix(".jsonl"))
        serve(asked, people, to, READER, port)


def answers(
    files: Annotated[list[Path], argument("Files of answers, made by `pairbench rate questions`.")],
    out: Annotated[
        Path, option("Output folder; it gets a folder with a sample log for each person.")
    ] = Path("humans"),
    overwrite: Overwrite = False,
) -> None:
    """Write people's answers as sample logs, with one folder for each person.

    `pairbench score subtlebench`, `compare` and `panel` read them beside those of models.

    pairbench papers answers answers.jsonl --out humans
    """
    with fail_on(ValueError), without_noise():
        collected = collect(files, READER)
        logs = logs_of(collected.ratings)
        _write(logs, out, files, overwrite)
    for line in collected.skipped:
        errors.print(f"left out: {line}")
    console.print(f"{counted(len(logs), 'log')} in {out}; next: pairbench score {NAME} {out}")


def _write(logs: Logs, out: Path, inputs: list[Path], overwrite: bool) -> None:
    """Write every person's logs into a folder of the person's name."""
    check_folder(out, inputs)
    for (rater, task), rows in logs.items():
        if not re.fullmatch(r"\w[\w .-]*", rater):
            raise ValueError(
                f"the rater's name {rater!r} cannot be the name of a folder; rename the rater in "
                "the file"
            )
        path = out / rater / f"samples_{task}.jsonl"
        check_file(path, inputs, overwrite=overwrite)
        write_atomically(path, map(as_line, rows))
