"""`pairbench build preference`: from questions and models' answers to a preference benchmark.

No model is asked here. The command is given again after each step, with what the step brought:
the answers; then what judges say of the pairs, who run `preference_custom` on them; then what
people say of those that are left.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

import typer

from lmms_eval_tasks.build.layout import Row, write_split
from lmms_eval_tasks.build.pictures import Source, UnusableError, encode, load_picture
from lmms_eval_tasks.build.repository import card, new_repository, split_file
from lmms_eval_tasks.vl_rewardbench.own.funnel import Funnel
from lmms_eval_tasks.vl_rewardbench.own.judged import Votes, read_people, read_votes
from lmms_eval_tasks.vl_rewardbench.own.pairs import (
    different_answers,
    read_answers,
    read_questions,
)
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.show.cli.console import console, fail_on

Logs: TypeAlias = list[Path] | None
FILE = split_file("data", "test")
_DATA = "VL_REWARDBENCH_DATA={}"
_RUN = f"{_DATA} lmms-eval --model ... --tasks preference_custom"
_NOBODY = "nobody yet"


class _Stage(NamedTuple):
    """What the pairs are, and what is done with them next."""

    about: str
    following: str


_CANDIDATES = _Stage(
    "Pairs for judges to look at. A coin's toss stands for the label where no reference tells: "
    "accuracies on these pairs mean nothing.",
    f"{_RUN} --log_samples --output_path small/NAME",
)
_DRAFTS = _Stage(
    "Pairs whose labels are drafts: no person has looked at them.",
    f"{_DATA} pairbench rate questions --task preference_custom --raters NAMES",
)
_CHECKED = _Stage("Pairs of answers to questions about images, with labels from people.", _RUN)


def build_preference(
    questions: Annotated[
        Path,
        typer.Argument(
            help="JSON lines {question, image}, optionally with id, reference (the right answer) "
            "and source; or a folder with questions.jsonl."
        ),
    ],
    answers: Annotated[
        list[Path],
        typer.Option(
            help="Answers of models, repeatable: samples that the harness logged of a task over "
            "these questions, folders of them, or JSON lines {id, model, answer}."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder to make.")],
    small: Annotated[
        Logs, typer.Option(help="Logs of small judges of the pairs: hard ones are kept.")
    ] = None,
    strong: Annotated[
        Logs, typer.Option(help="Logs of a strong judge, whose majority is the draft label.")
    ] = None,
    people: Annotated[
        Logs, typer.Option(help="People's answers (pairbench rate questions), which decide.")
    ] = None,
    blind: Annotated[
        Logs, typer.Option(help="Logs of judges who saw no image, for the card.")
    ] = None,
    length: Annotated[
        float, typer.Option(help="Lengths differ by less than this share of the shorter answer.")
    ] = 0.1,
    ensemble: Annotated[int, typer.Option(help="Small judges that are needed.", min=1)] = 4,
    votes: Annotated[int, typer.Option(help="First votes of a small judge that count.", min=1)] = 3,
    wrong: Annotated[
        int | None,
        typer.Option(help="Small judges that must get a pair wrong. Default: all.", min=1),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the order of answers.")] = 0,
    licence: Annotated[str | None, typer.Option(help="Licence of the data, for the card.")] = None,
) -> None:
    """Build a preference benchmark from your own questions and models' answers to them.

    As VL-RewardBench was made: pairs of answers of like length, of which small judges get the
    better one wrong; labels by a reference or a strong judge, checked by people. No model is asked.

    pairbench build preference questions.jsonl --answers runs --out candidates
    """
    logs = [*answers, *(small or ()), *(strong or ()), *(people or ()), *(blind or ())]
    with fail_on(ValueError), new_repository(out, [questions, *logs]) as folder:
        asked = read_questions(questions)
        given, failed = read_answers(answers, asked)
        sums = (counted(len(asked), "question"), counted(sum(map(len, given.values())), "answer"))
        funnel = Funnel(
            list(different_answers(asked.values(), given, seed)),
            [f"{sums[0]}, {sums[1]}, {counted(failed, 'request')} failed"],
        )
        funnel.pair(length)
        stage = _CANDIDATES
        if small or strong or people:
            stage = _CHECKED if people else _DRAFTS
            funnel.draft(_votes(strong))
            if people:
                funnel.check(read_people(people, [pair.name for pair in funnel.pairs]))
            else:
                funnel.labelled()
            if small:
                funnel.harden(_votes(small), ensemble, votes, wrong)
            funnel.blind(_votes(blind))
        write_split(folder / FILE, _rows(funnel))
        lines = "\n".join(f"- {line}" for line in funnel.lines)
        command = stage.following.format("/path/to/this/folder")
        text = f"{stage.about}\n\n    {command}\n\n{lines}"
        readme = card("Preferences", text, {"default": {"test": FILE}}, licence=licence)
        (folder / "README.md").write_text(readme, encoding="utf-8")
    console.print(f"{stage.about}\n{lines}\nNext: {stage.following.format(out)}")


def _votes(logs: Logs) -> Votes:
    return read_votes(logs) if logs else {}


def _rows(funnel: Funnel) -> Iterator[Row]:
    """The rows, in VL-RewardBench's columns."""
    for pair in funnel.pairs:
        better, judge = funnel.labels.get(pair.name, (0, _NOBODY))
        row = pair.asked.row
        yield {
            "id": pair.name,
            "query": row.question,
            "response": [answer.text for answer in pair.answers],
            "image": _image(pair.asked.image),
            "human_ranking": [int(better == 1), int(better == 0)],
            "models": [answer.model for answer in pair.answers],
            "judge": judge,
            "query_source": row.source,
            "ground_truth": row.reference or "",
        }


@lru_cache(maxsize=4)
def _image(file: Path) -> bytes:
    """An upright RGB image, without what a file's header says besides.

    Raises:
        RecordError: naming the file, if it is none.
    """
    try:
        picture = load_picture(Source(file.name, file))
    except UnusableError as error:
        raise RecordError(f"{file}: {error}") from error
    return encode(picture.image, lossy=picture.lossy)
