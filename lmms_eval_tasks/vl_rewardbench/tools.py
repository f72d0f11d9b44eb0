"""The paper's tools: `pairbench filter-hard` and `pairbench pair-responses`. Nothing is run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from lmms_eval_tasks.vl_rewardbench.candidates import Candidates, query_field, read_candidates
from lmms_eval_tasks.vl_rewardbench.scoring import FileVotes, read_votes
from pairbench_ext import parsing
from pairbench_ext.cli.console import console, errors, fail_on
from pairbench_ext.metrics.best_of_n import pair_name
from pairbench_ext.metrics.votes import word_count
from pairbench_ext.records import RecordError
from pairbench_ext.selection import hard_items, pair_by_length

_Out = Annotated[Path | None, typer.Option(help="Write JSON lines to this file.")]


class JudgeSummary(NamedTuple):
    """What one judge's votes come to.

    Attributes:
        judge: the file.
        items: items judged.
        misjudged: items misjudged by the majority of the votes asked for.
        too_few_votes: items with fewer votes than asked for: of these nobody can say.
        failed: requests that failed; they count as unusable votes.
    """

    judge: str
    items: int
    misjudged: int
    too_few_votes: int
    failed: int


class Paired(NamedTuple):
    """The pairs of a file's candidates, and what became of the rest.

    Attributes:
        rows: a pair each, in VL-RewardBench's fields.
        questions, candidates: how many there were.
        unpaired: questions without a pair.
        wordless: candidates without words, which are in no pair.
        identical: pairs of the same text twice.
    """

    rows: list[dict[str, Any]]
    questions: int
    candidates: int
    unpaired: int
    wordless: int
    identical: int


def filter_hard(
    files: Annotated[
        list[Path],
        typer.Argument(help="One file per judge: logged samples, plain rows, the authors' logs."),
    ],
    votes: Annotated[
        int, typer.Option(help="How many of an item's votes decide, the first ones.", min=1)
    ] = 3,
    rule: Annotated[str, typer.Option(help="Rule that reads verdicts.")] = "strict",
    out: _Out = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """The items that every judge misjudges (VL-RewardBench, Section 2.2.1).

    A judge misjudges an item if more than half of its first votes are for the worse response. The
    ids go to standard output, or to --out as JSON lines {"item", "source"}; the counts, per judge,
    go to standard error.
    """
    if rule not in parsing.grammars()["verdict"]:
        raise typer.BadParameter(f"{rule!r} is none of {sorted(parsing.grammars()['verdict'])}")
    with fail_on(ValueError, OSError):
        read = _read_judges(files, rule)
        summaries = [_summary(judge, one, votes) for judge, one in read.items()]
        tables = {judge: one.table for judge, one in read.items()}
        hard = hard_items(tables, votes)
        first = next(iter(tables.values()))
        sources = dict(zip(first.items, first.sources, strict=True))
        rows = [{"item": item, "source": sources[item]} for item in hard]
        if out is not None:
            _write(rows, out)
    shared = len(set.intersection(*(set(table.items) for table in tables.values())))
    if as_json:
        judges = [summary._asdict() for summary in summaries]
        document = {"rule": rule, "votes": votes, "judges": judges, "shared": shared, "hard": rows}
        console.print_json(json.dumps(document))
        return
    for summary in summaries:
        errors.print(_sentence(summary, votes))
    errors.print(f"judged by all: {shared} items; misjudged by all, hard: {len(hard)}")
    if out is None:
        for item in hard:
            console.print(" ".join(str(item).split()))  # ids of the authors' logs hold line breaks


def pair_responses(
    file: Annotated[Path, typer.Argument(help="JSON lines, a question and its candidates each.")],
    tau: Annotated[float, typer.Option(help="Word counts of a pair differ by less.")] = 0.1,
    out: _Out = None,
) -> None:
    """Pair candidate answers of alike length (VL-RewardBench, Section 2.2.2).

    Reads JSON lines {id, query (or question), image, candidates}, with candidates a list of texts.
    For each pair with |words1 - words2| / min(words1, words2) < tau it writes a line {id, query,
    response, image, candidate_indices}: to the id, #i-j is added; response and candidate_indices
    are lists of two. Image, which may be missing, and all other fields are kept as they are. Which
    response is better is left to be said. Counts go to standard error.
    """
    with fail_on(ValueError, OSError):
        paired = pair_candidates(read_candidates(file), tau)
        _write(paired.rows, out)
    errors.print(
        f"{paired.questions} questions with {paired.candidates} candidates: {len(paired.rows)} "
        f"pairs, {paired.identical} of them of identical texts; {paired.unpaired} questions "
        f"without a pair, {paired.wordless} candidates without words"
    )


def pair_candidates(questions: Sequence[Candidates], tau: float = 0.1) -> Paired:
    """The pairs of each question's candidates whose word counts differ by less than tau.

    Raises:
        ValueError: if tau is not positive.
    """
    pairs = [pair_by_length(question.texts, tau) for question in questions]
    rows = [
        _pair_row(question, i, j)
        for question, found in zip(questions, pairs, strict=True)
        for i, j in found
    ]
    texts = [text for question in questions for text in question.texts]
    return Paired(
        rows=rows,
        questions=len(questions),
        candidates=len(texts),
        unpaired=sum(not found for found in pairs),
        wordless=sum(word_count(text) == 0 for text in texts),
        identical=sum(row["response"][0] == row["response"][1] for row in rows),
    )


def _read_judges(files: Sequence[Path], rule: str) -> dict[str, FileVotes]:
    """The votes of each file. Judges go by their path: their files are of one task name."""
    read: dict[str, FileVotes] = {}
    for file in files:
        if str(file) in read:
            raise RecordError(f"{file} is given twice; a judge's votes count once")
        read[str(file)] = read_votes(file, rule)
    return read


def _summary(judge: str, read: FileVotes, votes: int) -> JudgeSummary:
    return JudgeSummary(
        judge=judge,
        items=len(read.table.items),
        misjudged=len(hard_items({judge: read.table}, votes)),
        too_few_votes=int((read.table.votes_per_item < votes).sum()),
        failed=read.failed,
    )


def _sentence(summary: JudgeSummary, votes: int) -> str:
    return (
        f"{summary.judge}: {summary.items} items, {summary.misjudged} misjudged, "
        f"{summary.too_few_votes} with fewer than {votes} votes, {summary.failed} requests failed"
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


def _write(rows: Iterable[Mapping[str, Any]], out: Path | None) -> None:
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    if out is None:
        sys.stdout.write(lines)
    else:
        out.write_text(lines, encoding="utf-8")
