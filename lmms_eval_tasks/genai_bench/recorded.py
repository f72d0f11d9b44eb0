"""`pairbench import genai-bench`: logs of the judges that the authors' repository records.

A clone has a file for each part and judge, `results/<part>/<judge>/pairwise.jsonl`, a line for each
pair: its number, texts, the reply and people's vote. The order is always that of the data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from lmms_eval_tasks.genai_bench.benchmark import BENCHMARK, TRUTH
from pairbench_ext.core.files import WriteError, write_atomically
from pairbench_ext.core.outputs import check_file
from pairbench_ext.core.records import RecordError, read_jsonl
from pairbench_ext.show.cli.console import console, fail_on
from pairbench_ext.show.cli.options import Overwrite

_FILES = "results/*/*/pairwise.jsonl"
_ASKED = ("prompt", "source_prompt", "target_prompt", "instruct_prompt")


def import_recorded(
    clone: Annotated[Path, typer.Argument(help="Clone of TIGER-AI-Lab/GenAI-Bench.")],
    out: Annotated[Path, typer.Option(help="Folder for the logged samples.")],
    overwrite: Overwrite = False,
) -> None:
    """Convert the judges recorded in GenAI-Bench's repository into sample logs."""
    with fail_on(RecordError, WriteError):
        recorded = [file for file in sorted(clone.glob(_FILES)) if file.stat().st_size]
        if not recorded:
            raise RecordError(f"{clone}: no {_FILES} in it; name a clone of the repository")
        logs = {file: _log(file, out) for file in recorded}
        for log in logs.values():
            check_file(log, [clone], overwrite=overwrite)
        for file, log in logs.items():
            judge = file.parent.name
            results = {"model_name": judge, "config": {"model": judge, "model_args": ""}}
            write_atomically(log.with_name("results.json"), json.dumps(results))
            samples = list(_samples(file))
            write_atomically(log, (json.dumps(row).encode() + b"\n" for row in samples))
            console.print(f"{log}: {len(samples):,} replies")


def _log(file: Path, out: Path) -> Path:
    part, judge = file.parts[-3:-1]
    return out / judge / f"samples_genai_bench_authors_{part}.jsonl"


def _samples(file: Path) -> Iterator[dict[str, Any]]:
    part = file.parts[-3]
    for record in read_jsonl(file):
        number, vote = record.get("idx", int), record.text("human_vote")
        if vote not in TRUTH:
            raise RecordError(f"{record.where}: 'human_vote' is {vote!r}, not one of {[*TRUTH]}")
        item = {"item": f"{part}/{number}", "source": part, "truth": TRUTH[vote], "vote": vote}
        yield {
            "doc_id": number,
            "input": "\n".join(str(record.fields[x]) for x in _ASKED if x in record.fields),
            "target": vote,
            "filtered_resps": [record.get("response", str)],
            "trial": {"benchmark": BENCHMARK.name, "row": number, "order": "fwd", **item},
        }
