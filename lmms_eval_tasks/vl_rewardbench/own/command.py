"""`pairbench build preference`: turn questions and answers into a preference benchmark.

No model is asked here. Run the command again after each step, with the files of that step: first
the answers; then the logs of judges, which ran `preference_custom` on the pairs; then people's
answers about the pairs that are left.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, TypeAlias

from lmms_eval_tasks.build.layout import Row, write_split
from lmms_eval_tasks.build.pictures import stored
from lmms_eval_tasks.build.repository import new_repository, split_file, write_card
from lmms_eval_tasks.vl_rewardbench.own.funnel import Funnel, read_votes
from lmms_eval_tasks.vl_rewardbench.own.pairs import pairs_of, read_answers, read_questions
from pairbench_ext.core.texts import counted
from pairbench_ext.show.cli.console import console, fail_on
from pairbench_ext.show.cli.options import argument, option

Logs: TypeAlias = list[Path] | None
FILE = split_file("data", "test")
_RUN = "VL_REWARDBENCH_DATA={} lmms-eval --model ... --tasks preference_custom"
_CANDIDATES = (
    "Pairs for judges to compare. A pair without a reference has a random label, so accuracies "
    "on these pairs mean nothing."
)
_DRAFTS = "Pairs whose labels are drafts: no person has confirmed them (pairbench rate questions)."
_CHECKED = "Pairs of answers to questions about images, with labels from people."


def build_preference(
    questions: Annotated[
        Path,
        argument("JSON lines with question and image, and optionally id, reference and source."),
    ],
    answers: Annotated[
        list[Path],
        option("Logged samples of the answering models, or JSON lines with id, model and answer."),
    ],
    out: Annotated[Path, option("New folder into which the benchmark's data are written.")],
    small: Annotated[
        Logs,
        option("Logs of small judges. Only pairs that these judges get wrong are kept (--wrong)."),
    ] = None,
    strong: Annotated[
        Logs, option("Logs of a strong judge; its verdicts become draft labels.")
    ] = None,
    people: Annotated[
        Logs, option("Files of people's answers about the pairs; these answers decide the labels.")
    ] = None,
    length: Annotated[
        float,
        option(
            "Largest difference between the lengths of two answers, as a share of the shorter one."
        ),
    ] = 0.1,
    ensemble: Annotated[
        int, option("Least number of small judges: give logs of this many or more.", min=1)
    ] = 4,
    votes: Annotated[
        int,
        option(
            "Use the first N votes of each small judge on a pair. Pairs with fewer votes "
            "are left out.",
            min=1,
        ),
    ] = 3,
    wrong: Annotated[
        int | None,
        option(
            "Keep pairs that this many small judges or more get wrong. Default: all judges.", min=1
        ),
    ] = None,
    seed: Annotated[
        int, option("Random seed for the labels of pairs that nobody has labelled yet.")
    ] = 0,
    licence: Annotated[str | None, option("Licence of the data.")] = None,
) -> None:
    """Build a preference benchmark from your own questions and models' answers to them.

    The steps are those of VL-RewardBench: pairs of answers of similar length that small judges get
    wrong, with labels from a reference or a strong judge, checked by people. No model is asked.
    Options that name logs can be given several times.

    pairbench build preference questions.jsonl --answers runs --out candidates
    """
    logs = [path for given in (answers, small, strong, people) for path in given or ()]
    with fail_on(ValueError), new_repository(out, [questions, *logs]) as folder:
        asked = read_questions(questions)
        given = read_answers(answers, asked)
        texts = [text for answers_to in given.values() for _, text in answers_to]
        sums = counted(len(asked), "question"), counted(len(texts), "answer"), texts.count("")
        candidates = list(pairs_of(asked, given, seed))
        funnel = Funnel(candidates, ["{}, {}, {} of them failed".format(*sums)])
        funnel.pair(length)
        about = _CANDIDATES
        if small or strong or people:
            about = _CHECKED if people else _DRAFTS
            funnel.draft(read_votes(strong, candidates))
            if people:
                funnel.check(people)
            mend = (
                "labels are missing: give logs of a strong judge (--strong), references or "
                "people's answers"
            )
            funnel.keep("with a label", lambda pair: pair.name in funnel.labels, mend)
            if small:
                funnel.harden(read_votes(small, candidates), ensemble, votes, wrong)
            funnel.blind()
        write_split(folder / FILE, _rows(funnel))
        lines = "\n".join(f"- {line}" for line in funnel.lines)
        text = f"{about}\n\n    {_RUN.format('/path/to/this/folder')}\n\n{lines}"
        write_card(folder, "Preferences", text, {"default": {"test": FILE}}, licence=licence)
    console.print(f"{about}\n{lines}\nNext: {_RUN.format(out)}")


def _rows(funnel: Funnel) -> Iterator[Row]:
    """Yield the rows, in VL-RewardBench's columns."""
    for pair in funnel.pairs:
        better, judge = funnel.labels.get(pair.name, (pair.drawn, "nobody yet"))
        row = pair.asked
        yield {
            "id": pair.name,
            "query": row.question,
            "response": list(pair.answers),
            "image": stored(Path(row.image)),
            "human_ranking": [better, 1 - better],
            "models": list(pair.models),
            "judge": judge,
            "query_source": row.source,
            "ground_truth": row.reference or "",
        }
