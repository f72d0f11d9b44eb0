"""`pairbench build draft-labels`: a judge's draft labels beside the pairs."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Annotated, Any

import typer

from lmms_eval_tasks.preference.trials import own_names, text_of
from lmms_eval_tasks.preference.votes import NONE
from lmms_eval_tasks.vl_rewardbench.labels import LABELS, preferred
from pairbench_ext.core.benchmark import OutcomeTable
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outputs import check_file
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import Record, RecordError, read_jsonl
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
        names = own_names([text_of(row, "id") for row in rows])
        run = score_file(owner((LABELS,), log), log)
        drafts = _drafts(run.table) if run.measured else {}
        other = sorted(set(drafts) - set(names))
        if other or not drafts:
            which = (
                f"pair {other[0]!r} was judged, but is not in" if other else "no pair was judged of"
            )
            raise RecordError(f"{log}: {which} {pairs}")
        said, judge = _rationales(log), judge_of(log)
        lines = [
            _labelled(row, drafts[name], said[name], judge)
            for row, name in zip(rows, names, strict=True)
            if name in drafts
        ]
        write_atomically(out, "".join(json.dumps(line) + "\n" for line in lines))
    without = sum(line["draft_ranking"] is None for line in lines)
    console.print(
        f"{out}: {counted(len(lines), 'pair')}, {without} of them without a draft; "
        f"{counted(len(rows) - len(lines), 'pair')} not judged"
    )


def _drafts(table: OutcomeTable) -> dict[str, tuple[int, tuple[int, int, int]]]:
    """By pair: the preferred response or -1, and the votes for the first, the second, neither."""
    drafts = {}
    for winner, (name, rows) in zip(preferred(table), table.groups("item").items(), strict=True):
        counts = Counter(row.option for row in rows)
        drafts[str(name)] = (int(winner), (counts[0], counts[1], counts[None]))
    return drafts


def _rationales(log: Path) -> dict[str, list[dict[str, str]]]:
    """The replies about each pair, and the order in which its answers were shown."""
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    for record in read_jsonl(log):
        trial = trial_of(record)
        if trial.fields.get("asked") is False:
            continue
        name, order = str(trial.get("item", str, int)), str(trial.get("order", str))
        found[name].append({"order": order, "reply": response_of(record)})
    return found


def _labelled(
    row: Record, draft: tuple[int, tuple[int, int, int]], replies: Any, judge: str
) -> dict[str, Any]:
    preferred, votes = draft
    ranking = None if preferred == NONE else [preferred, 1 - preferred]
    added = {"draft_ranking": ranking, "draft_votes": votes, "judge": judge, "rationales": replies}
    return {**row.fields, **added}
