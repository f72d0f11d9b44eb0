"""Files that commands read, changed at random."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from numpy.random import Generator

from pairbench_ext.stacks.plain import batches, open_task
from pairbench_ext.stacks.vlmevalkit import dataset

_TASK = "vl_rewardbench_demo_both"
_REPLY = "Overall Judgment: Answer 1 is better."
_ROWS = 40  # of a file that is changed
_VALUES: tuple[Any, ...] = (
    None, "", 0, -1, 1e308, float("nan"), float("inf"), [], {}, "x" * 5000, True, "\0", 10**400,
    [None], {"a": 1}, "1", "\ud800", [[1]],
)  # fmt: skip
_CELLS = (
    "", " ", "nan", "inf", "-1", "1e999", "9" * 400, "0", "1", "2.5", "tie", "\0", "\ufeff", "i1",
    "i999999", '"', "a,b", "a\tb", "=HYPERLINK(1)", "<script>", "x" * 200_000, "\u202e", "e\u0301",
    "[1]", "{}", "null", "../../x", "/dev/null", "\\", ":", "}", "\x85",
)  # fmt: skip


def changed(lines: list[str], rng: Generator, delimiter: str = "") -> list[str]:
    """A line is cut, gone or doubled, a text in it is odd, or a value in it or in all of them.

    Args:
        lines: at least one; of JSON, or of a table.
        rng: draws the change.
        delimiter: of the table's cells.
    """
    number = int(rng.integers(len(lines)))
    line = lines[number]
    at, odd = int(rng.integers(len(line) + 1)), _CELLS[rng.integers(len(_CELLS))]
    match int(rng.integers(7)):
        case 0:
            lines[number] = line[:at]
        case 1:
            del lines[number]
        case 2:
            lines.insert(number, lines[rng.integers(len(lines))])
        case 3:
            lines[number] = line[:at] + odd + line[at + rng.integers(2) :]
        case kind:
            rows = [each.split(delimiter) if delimiter else json.loads(each) for each in lines]
            places = [*_places(rows[number])]
            *path, last = places[rng.integers(len(places))]
            value = odd if delimiter else _VALUES[rng.integers(len(_VALUES))]
            for row in rows if kind == 4 else rows[number : number + 1]:
                for key in path:
                    row = row[key]
                if kind == 5:
                    del row[last]
                else:
                    row[last] = value
            lines = [delimiter.join(row) if delimiter else json.dumps(row) for row in rows]
    return lines


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a row."""
    if path:
        yield path
    pairs = value.items() if isinstance(value, dict) else ()
    for key, inner in enumerate(value) if isinstance(value, list) else pairs:
        yield from _places(inner, (*path, key))


def imported(scratch: Path, rng: Generator, n: int) -> Iterator[Sequence[str]]:
    """Yield command lines of `import` and `correct`, each of which reads a changed file of its own.

    Args:
        scratch: a folder; `judges/sharp` in it has the logs that `correct` reads.
        rng: draws which file is changed, and how.
        n: how many.
    """
    judge = scratch / "one_judge"
    judge.mkdir()
    shutil.copy(scratch / "judges/sharp/1_samples_vl_rewardbench_both.jsonl", judge)
    files = [*_good_files()]
    for number in range(n):
        command, place, delimiter, lines = files[rng.integers(len(files))]
        folder = scratch / "files" / str(number)
        file = folder / place
        file.parent.mkdir(parents=True)
        text = "\n".join(changed(list(lines), rng, delimiter))
        data = text.encode(errors="surrogatepass")
        if rng.integers(8) == 0:  # a text of another encoding, cut anywhere
            data = text.encode("utf-16", errors="replace")[: rng.integers(len(text) + 1)]
        file.write_bytes(data)
        named = str(folder if command == "genai-bench" else file)
        if command == "correct":
            yield (command, str(judge), "--people", named)
        else:
            yield ("import", command, named, "--out", str(folder / "out"))


def _good_files() -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield the command that reads a file, its place, the delimiter of a table, and its lines."""
    task = open_task(_TASK)
    asked = [request["custom_id"] for request in batches.requests(task, "model")][:_ROWS]
    body = {"choices": [{"message": {"content": _REPLY}, "finish_reason": "stop"}]}
    answer = {"response": {"status_code": 200, "body": body}, "error": None}
    lines = [json.dumps({"custom_id": name, **answer}) for name in asked]
    yield "batch", "results.jsonl", "", lines
    recorded = {"prompt": "a cat", "response": "[[A>B]]", "human_vote": "leftvote"}
    lines = [json.dumps({"idx": number, **recorded}) for number in range(_ROWS)]
    yield "genai-bench", "results/image_generation/judge/pairwise.jsonl", "", lines
    rows = [[row["index"], "a question", _REPLY] for row in dataset.rows(task)[:_ROWS]]
    table = _lines([["index", "question", "prediction"], *rows], "\t")
    yield "judgments", f"model_{_TASK}.tsv", "\t", table
    rows = [[f"i{number}", str(number % 2), "0.2"] for number in range(_ROWS)]
    yield "correct", "labels.csv", ",", _lines([["item", "label", "probability"], *rows], ",")


def _lines(rows: Sequence[Sequence[str]], delimiter: str) -> list[str]:
    text = StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().splitlines()
