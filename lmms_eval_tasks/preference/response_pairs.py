"""`pairbench build response-pairs`: pairs of candidate answers of similar length.

Paper: VL-RewardBench, Section 2.2.2.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer

from lmms_eval_tasks.preference.candidates import (
    Candidates,
    are_logged,
    query_field,
    read_candidates,
    read_logged,
)
from lmms_eval_tasks.preference.votes import pair_name, word_count
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outputs import check_file
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.show.cli.console import errors, fail_on
from pairbench_ext.show.cli.options import Overwrite


def pair_by_length(candidates: Sequence[str], tau: float = 0.1) -> list[tuple[int, int]]:
    """The pairs of candidate answers of similar length: |l1 - l2| / min(l1, l2) < tau.

    Paper: Section 2.2.2, with l the number of words. An answer without words is in no pair.

    Returns:
        Pairs (i, j) of positions, i < j, in lexicographic order.

    Raises:
        ValueError: if tau is not positive, which would leave no pair.

    >>> pair_by_length(["one two three", "four five six", "seven"])
    [(0, 1)]
    """
    if not tau > 0:
        raise ValueError(f"tau must be positive, got {tau}")
    lengths = [word_count(candidate) for candidate in candidates]
    return [
        (i, j)
        for i, j in combinations(range(len(lengths)), 2)
        if min(lengths[i], lengths[j]) > 0
        and abs(lengths[i] - lengths[j]) / min(lengths[i], lengths[j]) < tau
    ]


def pair_responses(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="JSON lines, a question and its candidates each; or samples logged by the "
            "harness, one or more files of one task."
        ),
    ],
    tau: Annotated[float, typer.Option(help="Largest relative difference in word counts.")] = 0.1,
    out: Annotated[Path | None, typer.Option(help="Write JSON lines to this file.")] = None,
    overwrite: Overwrite = False,
) -> None:
    """Pair candidate answers of similar length (VL-RewardBench, Section 2.2.2).

    Reads JSON lines {id, query (or question), image, candidates}, with candidates a list of texts;
    or samples of any one task, logged with --log_samples by several models, or by one that was
    asked several times: the candidates are the replies to one document. Images are not logged.

    For each pair with |words1 - words2| / min(words1, words2) < tau it writes a line {id, query,
    response, image, candidate_indices}; which response is better is left to be said. All other
    fields are kept. Counts go to standard error.
    """
    with fail_on(ValueError):
        if out is not None:
            check_file(out, files, overwrite=overwrite)
        questions, notes = _read_questions(files)
        pairs = [pair_by_length(question.texts, tau) for question in questions]
        rows = [
            _pair_row(question, i, j)
            for question, of_question in zip(questions, pairs, strict=True)
            for i, j in of_question
        ]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        if out is None:
            sys.stdout.write(lines)
        else:
            write_atomically(out, lines)
    texts = [text for question in questions for text in question.texts]
    identical = sum(row["response"][0] == row["response"][1] for row in rows)
    wordless = sum(word_count(text) == 0 for text in texts)
    errors.print(
        f"{counted(len(questions), 'question')} with {counted(len(texts), 'candidate')}: "
        f"{counted(len(rows), 'pair')}, {identical} of them of identical texts; "
        f"{counted(sum(not of_question for of_question in pairs), 'question')} without a pair, "
        f"{counted(wordless, 'candidate')} without words{notes}"
    )


def _pair_row(question: Candidates, i: int, j: int) -> dict[str, Any]:
    pair = {
        "id": pair_name(question.id, i, j),
        "query": question.query,
        "response": [question.texts[i], question.texts[j]],
        "candidate_indices": [i, j],
    }
    left = {*pair, query_field(question.record), "candidates"}
    others = {key: value for key, value in question.record.fields.items() if key not in left}
    return {**pair, **others}


def _read_questions(files: Sequence[Path]) -> tuple[list[Candidates], str]:
    """The questions of a file of candidates or of logged samples, and a note on them.

    Raises:
        RecordError: as their readers; or naming the file, if it does not go with the others.
    """
    if len(files) == 1 and not are_logged(files[0]):
        questions, notes = read_candidates(files[0]), ""
    else:
        other = next((file for file in files if not are_logged(file)), None)
        if other is not None:
            raise RecordError(
                f"{other}: no samples logged by the harness; give one file of candidates, or "
                "logged samples only"
            )
        logged = read_logged(files)
        questions, notes = logged.questions, f"; {counted(logged.failed, 'request')} failed"
        if logged.reworded:
            reworded = counted(logged.reworded, "question", "was")
            notes += f"; {reworded} put in several ways, the first one is written"
    if not questions:
        raise RecordError(f"{', '.join(map(str, files))}: no questions in it")
    return questions, notes
