"""Files that `pairbench import` and `pairbench correct` read, changed at random."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from numpy.random import Generator

from pairbench_ext.stacks.plain import batches, open_task
from pairbench_ext.stacks.vlmevalkit import dataset

_TASK = "vl_rewardbench_demo_both"
_REPLY = "Overall Judgment: Answer 1 is better."
_ROWS = 40  # of a file that is changed
_CELLS = (
    "", " ", "nan", "inf", "-1", "1e999", "9" * 400, "0", "1", "2.5", "tie", "\0", "\ufeff", "i1",
    "i999999", '"', "a,b", "a\tb", "=HYPERLINK(1)", "<script>", "x" * 200_000, "\u202e", "e\u0301",
    "[1]", "{}", "null", "../../x", "/dev/null",
)  # fmt: skip

Change = Callable[[list[str], Generator], list[str]]


def commands(scratch: Path, rng: Generator, n: int, change: Change) -> Iterator[Sequence[str]]:
    """Yield command lines, each of which reads a changed file of its own.

    Args:
        scratch: a folder; `judges/sharp` in it has the logs that `correct` reads.
        rng: draws which file is changed, and how.
        n: how many.
        change: changes JSON lines.
    """
    bases = _json_bases() | _table_bases()
    logs = scratch / "judges/sharp/1_samples_vl_rewardbench_both.jsonl"
    judge = scratch / "one_judge"
    judge.mkdir()
    shutil.copy(logs, judge)
    for number in range(n):
        kind = [*bases][rng.integers(len(bases))]
        folder = scratch / "files" / str(number)
        file = folder / _PLACES[kind]
        file.parent.mkdir(parents=True)
        alter = change if file.suffix == ".jsonl" else _changed_table
        changed = "\n".join(alter(list(bases[kind]), rng))
        data = changed.encode(errors="surrogatepass")
        if rng.integers(8) == 0:  # a text of another encoding, cut anywhere
            data = changed.encode("utf-16", errors="replace")[: rng.integers(len(changed) + 1)]
        file.write_bytes(data)
        named = str(folder if kind == "genai-bench" else file)
        if kind == "people":
            yield ("correct", str(judge), "--people", named)
        else:
            command = "judgments" if kind == "vlmevalkit" else kind
            yield ("import", command, named, "--out", str(folder / "out"))


_PLACES = {
    "batch": "results.jsonl",
    "genai-bench": "results/image_generation/judge/pairwise.jsonl",
    "vlmevalkit": "model_vl_rewardbench_demo_both.tsv",
    "people": "labels.csv",
}


def _json_bases() -> dict[str, list[str]]:
    """Return the lines of each good file of JSON lines."""
    asked = [request["custom_id"] for request in batches.requests(open_task(_TASK), "model")]
    body = {"choices": [{"message": {"content": _REPLY}, "finish_reason": "stop"}]}
    answered: list[Mapping[str, Any]] = [
        {"custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}
        for name in asked[:_ROWS]
    ]
    recorded: list[Mapping[str, Any]] = [
        {"idx": number, "prompt": "a cat", "response": "[[A>B]]", "human_vote": "leftvote"}
        for number in range(_ROWS)
    ]
    return {
        "batch": [json.dumps(line) for line in answered],
        "genai-bench": [json.dumps(line) for line in recorded],
    }


def _table_bases() -> dict[str, list[str]]:
    """Return the lines of each good table."""
    asked = dataset.rows(open_task(_TASK))[:_ROWS]
    predicted = [[row["index"], "a question", _REPLY] for row in asked]
    labels = [[f"i{number}", str(number % 2), "0.2"] for number in range(_ROWS)]
    return {
        "vlmevalkit": _lines([["index", "question", "prediction"], *predicted], "\t"),
        "people": _lines([["item", "label", "probability"], *labels], ","),
    }


def _lines(rows: Sequence[Sequence[str]], delimiter: str) -> list[str]:
    text = StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().splitlines()


def _changed_table(lines: list[str], rng: Generator) -> list[str]:
    """A cell, a column's name or a whole column changed, or lines cut, doubled, gone or mixed."""
    row = int(rng.integers(len(lines)))
    delimiter = "\t" if "\t" in lines[0] else ","
    cells = lines[row].split(delimiter)
    column, odd = int(rng.integers(len(cells))), _CELLS[rng.integers(len(_CELLS))]
    match int(rng.integers(6)):
        case 0:
            lines[row] = lines[row][: rng.integers(len(lines[row]) + 1)]
        case 1:
            lines.insert(row, lines[rng.integers(len(lines))])
        case 2:
            del lines[row]
        case 3:
            at = int(rng.integers(len(lines[row]) + 1))
            lines[row] = lines[row][:at] + odd + lines[row][at:]
        case kind:
            for number in range(1, len(lines)) if kind == 4 else [row]:
                changed = lines[number].split(delimiter)
                changed[column] = odd
                lines[number] = delimiter.join(changed)
    return lines
