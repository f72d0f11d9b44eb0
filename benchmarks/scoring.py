"""`python -m benchmarks.scoring`: how long `score` and `report` take for many replies.

Two judges' logged samples of VL-RewardBench, each reply another one, beside `json.loads` of the
same lines. Most replies end in the asked format; one of ten says its verdict in its own words. How
long one reply takes is the mean of a first pass, in which patterns are compiled, and of a second.
Then a CSV file of judgments of five judges, in both orders, with people's labels.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import typer

from benchmarks.common import Line, as_size, as_time, say, scratch_folder, write_tables
from pairbench_ext.replies import Rule, asks, find_rule
from pairbench_ext.statistics.seeds import draw

REPEATS = 5  # judgments of an item
_REPLY = (
    "Accuracy: Answer 1 says that there are {n} people on the square, Answer 2 does not count.\n"
    "Completeness: both answers mention the tower, the trees and the people near row {n}.\n"
    "Clarity: both are well written, and Answer 2 is a little shorter than Answer 1.\n"
)
_ENDS = ("Overall Judgment: Answer {better} is better.",) * 9 + (
    "In the end I would go with Answer {better}, since it names what one sees.",
)


def rows(count: int, judge: int) -> Iterator[str]:
    """Logged samples of a judge, as lines of JSON."""
    for n in range(count):
        item, repeat = divmod(n, REPEATS)
        better = 1 + draw(2, judge, "better", n)
        text = (_REPLY + _ENDS[draw(len(_ENDS), judge, "form", n)]).format(n=n, better=better)
        trial = {"item": f"mmmu-{item}", "source": "mmmu", "repeat": repeat}
        order = ("fwd", "rev")[draw(2, 0, "order", n)]
        trial |= {"order": order, "truth": draw(2, 0, "truth", item)}
        yield json.dumps({"doc_id": n, "trial": trial, "filtered_resps": [text]})


def judgments(items: int) -> Iterator[str]:
    """Yield the lines of a table of five judges' verdicts on each item, in both orders."""
    yield "item_id,judge,order,verdict,human_preference,category"
    for judge, item, order in itertools.product(range(5), range(items), ("forward", "reverse")):
        better = draw(2, 0, "better", item)
        said = better ^ (order == "reverse") ^ (draw(10, judge, "wrong", order, item) < 3)
        yield f"item{item},judge-{judge},{order},{'AB'[said]},{'AB'[better]},part {item % 4}"


def timed(*arguments: str | Path) -> tuple[float, int]:
    """Seconds and peak memory of a command."""
    pairbench = Path(sys.executable).with_name("pairbench")
    begun = time.perf_counter()
    with subprocess.Popen([pairbench, *arguments], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)  # so that it is not waited for again
    if process.returncode:
        raise RuntimeError(f"pairbench {arguments[0]} ended with {process.returncode}")
    return time.perf_counter() - begun, usage.ru_maxrss * 1024


def reading_times(what: str, read: Sequence[tuple[Rule, str]]) -> Iterator[Line]:
    """The mean time that rules take for a reply each, in two passes."""
    for when in ("first pass", "second pass"):
        begun = time.process_time()
        for rule, reply in read:
            rule(reply)
        mean = (time.process_time() - begun) / len(read)
        yield _line(f"{what}, {when}", mean)


def recorded(files: Iterable[Path]) -> list[tuple[Rule, str]]:
    """The replies of files of JSON lines (`grammar`, `options`, `reply`), with their rules."""
    lines = [json.loads(x) for file in files for x in file.read_text("utf-8").split("\n") if x]
    return [
        (find_rule(x["grammar"], None, asks(x["grammar"], **(x.get("options") or {}))), x["reply"])
        for x in lines
    ]


def main(count: int = 100_000, items: int = 100_000, replies: list[Path] | None = None) -> None:
    """Time `score` of one judge and `report` of two, of --count rows each.

    A CSV file holds ten judgments of each of --items items. The replies in files --replies are read
    in this process.
    """
    with scratch_folder() as scratch:
        files = [scratch / f"judge{n}/1_samples_vl_rewardbench_both.jsonl" for n in (1, 2)]
        for judge, file in enumerate(files):
            file.parent.mkdir()
            file.write_text("".join(line + "\n" for line in rows(count, judge)))
        say(f"{count:,} rows a judge")
        begun = time.perf_counter()
        for line in files[0].read_text().splitlines():
            json.loads(line)
        loaded = time.perf_counter() - begun
        score = timed("score", "vl_rewardbench", files[0], "--json")
        report = timed("report", *[file.parent for file in files], "--out", scratch / "report.html")
        table = scratch / "judgments.csv"
        table.write_text("".join(line + "\n" for line in judgments(items)))
        imported = timed("import", "judgments", table, "--out", scratch / "imported")
        of_table = {name: timed(name, table) for name in ("score", "compare")}
    lines = [
        _line("json.loads of a judge", loaded),
        _line("`pairbench score` of a judge", *score),
        _line("`pairbench report` of two", *report),
        _line(f"`pairbench import judgments` of {10 * items:,} rows of CSV", *imported),
        *(_line(f"`pairbench {name}` of this file", *took) for name, took in of_table.items()),
    ]
    verdict = find_rule("verdict")
    for what, end in (("a verdict as asked", _ENDS[0]), ("a verdict in own words", _ENDS[-1])):
        made = [(_REPLY + end).format(n=n, better=1 + n % 2) for n in range(1000)]
        lines += reading_times(what, [(verdict, reply) for reply in made])
    if replies:
        lines += reading_times("a recorded reply", recorded(replies))
    write_tables(lines)


def _line(what: str, seconds: float, memory: int = 0) -> Line:
    return {"what": what, "time": as_time(seconds), "memory": as_size(memory) if memory else ""}


if __name__ == "__main__":
    typer.run(main)
