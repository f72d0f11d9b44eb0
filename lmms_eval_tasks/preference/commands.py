"""`pairbench build hard-items` and `build response-pairs`: how VL-RewardBench was made."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from lmms_eval_tasks.preference.candidates import (
    Candidates,
    are_logged,
    check_once,
    read_candidates,
    read_logged,
)
from lmms_eval_tasks.preference.judges import (
    JudgeSummary,
    hard_rows,
    read_judges,
    shared_items,
    summary_of,
)
from lmms_eval_tasks.preference.pairing import pair_candidates
from lmms_eval_tasks.preference.votes import GRAMMAR
from pairbench_ext import replies
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outputs import check_file
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.show.cli.options import Overwrite

_Out = Annotated[Path | None, typer.Option(help="Write JSON lines to this file.")]


def filter_hard(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="One file per judge: logged samples or plain rows of a preference or best-of-N "
            "task, the authors' logs."
        ),
    ],
    votes: Annotated[
        int, typer.Option(help="How many of an item's votes decide, the first ones.", min=1)
    ] = 3,
    rule: Annotated[
        str, typer.Option(help="Rule that reads verdicts: careful, strict or authors.")
    ] = "careful",
    out: _Out = None,
    overwrite: Overwrite = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """The items that every judge misjudges (VL-RewardBench, Section 2.2.1).

    A judge misjudges an item if more than half of its first votes are for the worse response. The
    items go to standard output, or to --out as JSON lines {"item", "id", "source"}; the counts, per
    judge, go to standard error.

    An item goes by its id in the data. Where an id occurs again, the later items have #2, #3, ...
    added; id is then what an authors' log has, and the item's name in other files. The items of
    best of N are the pairs of candidates of unequal worth, called question#i-j.
    """
    try:
        replies.rule_name(GRAMMAR, rule)
    except ValueError as error:
        known = sorted(replies.grammars()[GRAMMAR])
        raise typer.BadParameter(f"{rule!r} is none of {known}") from error
    with fail_on(ValueError, OSError):
        _check(out, files, overwrite)
        read = read_judges(files, rule)
        summaries = [summary_of(judge, one, votes) for judge, one in read.items()]
        shared, rows = shared_items(read), hard_rows(read, votes)
        if out is not None:
            _write(rows, out)
    if as_json:
        judges = [summary._asdict() for summary in summaries]
        document = {"rule": rule, "votes": votes, "judges": judges, "shared": shared, "hard": rows}
        console.print_json(json.dumps(document))
        return
    for summary in summaries:
        errors.print(_sentence(summary, votes))
    errors.print(f"judged by all: {counted(shared, 'item')}; misjudged by all, hard: {len(rows)}")
    if out is None:
        for row in rows:
            console.print(" ".join(str(row["item"]).split()))  # one line, whatever an id holds


def pair_responses(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="JSON lines, a question and its candidates each; or samples logged by the "
            "harness, one or more files of one task."
        ),
    ],
    tau: Annotated[float, typer.Option(help="Word counts of a pair differ by less.")] = 0.1,
    out: _Out = None,
    overwrite: Overwrite = False,
) -> None:
    """Pair candidate answers of alike length (VL-RewardBench, Section 2.2.2).

    Reads JSON lines {id, query (or question), image, candidates}, with candidates a list of texts.
    Or samples of any one task, logged with --log_samples by several models, or by one that was
    asked several times: the candidates are the replies to one document (doc_id; of a task on items,
    to one prompt of an item), query is the prompt, the target goes to ground_truth, and files says
    whose reply each candidate is. Images are not logged.

    For each pair with |words1 - words2| / min(words1, words2) < tau it writes a line {id, query,
    response, image, candidate_indices}: to the id, #i-j is added; response and candidate_indices
    are lists of two. Image, which may be missing, and all other fields are kept as they are. Which
    response is better is left to be said. Counts go to standard error.
    """
    with fail_on(ValueError, OSError):
        _check(out, files, overwrite)
        questions, notes = _read_questions(files)
        if not questions:
            raise RecordError(f"{', '.join(map(str, files))}: no questions in it")
        paired = pair_candidates(questions, tau)
        _write(paired.rows, out)
    errors.print(
        f"{counted(paired.questions, 'question')} with {counted(paired.candidates, 'candidate')}: "
        f"{counted(len(paired.rows), 'pair')}, {paired.identical} of them of identical texts; "
        f"{counted(paired.unpaired, 'question')} without a pair, "
        f"{counted(paired.wordless, 'candidate')} without words{notes}"
    )


def _sentence(summary: JudgeSummary, votes: int) -> str:
    parts = [
        f"{summary.judge}: {counted(summary.items, 'item')}, {summary.misjudged} misjudged",
        f"{summary.too_few_votes} with fewer than {counted(votes, 'vote')}",
        f"{counted(summary.failed, 'request')} failed",
    ]
    if summary.equal_worth:
        parts.append(f"{counted(summary.equal_worth, 'pair')} of equal worth left out")
    if summary.repeated_ids:
        parts.append(
            f"{summary.repeated_ids} items share an id: the later ones have #2, #3, ... added, in "
            "the order of the log"
        )
    return ", ".join(parts)


def _read_questions(files: Sequence[Path]) -> tuple[list[Candidates], str]:
    """The questions of a file of candidates or of logged samples, and what to say of them.

    Raises:
        RecordError: as their readers; or naming the file, if it is none that goes with the others.
    """
    check_once(files)
    if len(files) == 1 and not are_logged(files[0]):
        return read_candidates(files[0]), ""
    for file in files:
        if not are_logged(file):
            raise RecordError(
                f"{file}: no samples logged by the harness; give one file of candidates, or logged "
                "samples only"
            )
    read = read_logged(files)
    notes = f"; {counted(read.failed, 'request')} failed"
    if read.reworded:
        notes += (
            f"; {counted(read.reworded, 'question', 'was')} put in several "
            "ways, the first one is written"
        )
    return read.questions, notes


def _check(out: Path | None, files: Sequence[Path], overwrite: bool) -> None:
    if out is not None:
        check_file(out, files, overwrite=overwrite)


def _write(rows: Iterable[Mapping[str, Any]], out: Path | None) -> None:
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    if out is None:
        sys.stdout.write(lines)
    else:
        write_atomically(out, lines)
