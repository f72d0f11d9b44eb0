"""`pairbench build draft-labels`: a judge's draft labels beside the pairs."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from lmms_eval_tasks.preference.trials import own_names
from lmms_eval_tasks.preference.votes import NONE
from lmms_eval_tasks.vl_rewardbench.labels import LABELS, preferred
from pairbench_ext.core.benchmark import Outcome
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outputs import check_file
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError, read_jsonl
from pairbench_ext.runs.completeness import judge_of
from pairbench_ext.runs.files import owner
from pairbench_ext.runs.samples import response_of, trial_of
from pairbench_ext.runs.scoring import score_file
from pairbench_ext.show.cli.console import console, fail_on
from pairbench_ext.show.cli.options import Overwrite


def label_pairs(
    pairs: Annotated[Path, typer.Argument(help="The pairs: JSON lines with an id each.")],
    log: Annotated[
        Path, typer.Argument(help="A judge's logged samples of vl_rewardbench_label on them.")
    ],
    out: Annotated[Path, typer.Option(help="Write JSON lines to this file.")],
    overwrite: Overwrite = False,
) -> None:
    """Draft labels of pairs, for people to check (VL-RewardBench, Section 2.2.2).

    To each pair it adds draft_ranking ([0, 1] if the first response is the better one, [1, 0] if
    the second, null if the judge's votes are split or unusable), draft_votes (for the first, for
    the second, unusable), judge, and rationales (its replies, with the order of the answers).
    """
    with fail_on(ValueError, OSError):
        check_file(out, (pairs, log), overwrite=overwrite)
        rows = list(read_jsonl(pairs))
        names = own_names([row.text("id") for row in rows])
        table = score_file(owner((LABELS,), log), log).table
        votes = table.groups("item")
        other = sorted(set(votes) - set(names))
        if other:
            raise RecordError(f"{log}: pair {other[0]!r} was judged, but is not in {pairs}")
        winners = dict(zip(votes, preferred(table).tolist(), strict=True))
        replies, judge = _replies(log), judge_of(log)
        lines = []
        for row, name in zip(rows, names, strict=True):
            if name in votes:
                draft = _draft(winners[name], votes[name])
                added = {**draft, "judge": judge, "rationales": replies[name]}
                lines.append({**row.fields, **added})
        write_atomically(out, "".join(json.dumps(line) + "\n" for line in lines))
    without = sum(line["draft_ranking"] is None for line in lines)
    console.print(
        f"{out}: {counted(len(lines), 'pair')}, {without} of them without a draft; "
        f"{counted(len(rows) - len(lines), 'pair')} not judged"
    )


def _draft(winner: int, votes: Sequence[Outcome]) -> dict[str, Any]:
    counts = Counter(vote.option for vote in votes)
    return {
        "draft_ranking": None if winner == NONE else [winner, 1 - winner],
        "draft_votes": [counts[0], counts[1], counts[None]],
    }


def _replies(log: Path) -> dict[str, list[dict[str, str]]]:
    """The replies about each pair, and the order in which its answers were shown."""
    replies: dict[str, list[dict[str, str]]] = defaultdict(list)
    for record in read_jsonl(log):
        trial = trial_of(record)
        if trial.fields.get("asked") is not False:
            reply = {"order": trial.get("order", str), "reply": response_of(record)}
            replies[str(trial.get("item", str, int))].append(reply)
    return replies
