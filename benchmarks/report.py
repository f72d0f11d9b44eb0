"""`pairbench report`: the page of 6,250 trials with 1,250 pictures, then used in Chromium."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import Row, as_size, as_time, say
from benchmarks.data import SIZE, pictures
from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Request
from pairbench_ext.statistics import seeds

_WRITTEN_S, _LARGEST, _PAINTED_S, _FILTERED_S = 60.0, 40e6, 3.0, 0.1
_TASK = "vl_rewardbench_k5"
_WORDS = [
    "the",
    "answer",
    "image",
    "shows",
    "left",
    "right",
    "colour",
    "count",
    "clear",
    "detail",
    "text",
    "wrong",
    "more",
    "says",
    "two",
]


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        items: of the task, each with a picture and 5 votes.
        judges: on the page that is used in the browser.
        image: width and height of the pictures.
        words: of a reply.
        used: whether the page is opened in a browser.
    """

    items: int = 1250
    judges: int = 3
    image: tuple[int, int] = SIZE
    words: int = 100
    used: bool = True


FULL = Size()


def run(folder: Path, size: Size = FULL) -> Iterator[Row]:
    """Rows for writing the page, and for using it where there is a browser."""
    folder = folder / "report"
    data = _data(folder / "data", size)
    os.environ["VL_REWARDBENCH_DATA"] = str(data)
    try:
        say(f"report: samples of {size.judges} judges of {5 * size.items:,} votes")
        judges = [
            _samples(folder / f"judge{number}", number, size) for number in range(size.judges)
        ]
        page = folder
        for number in dict.fromkeys((1, size.judges)):
            page = folder / f"{number}.html"
            say(f"report: the page of {number} judges")
            seconds, busy, peak = _written(judges[:number], page)
            what = f"report of {number} x {5 * size.items:,} votes, {size.items:,} pictures"
            held = number == 1
            # Others may use the machine at the same time: the target is for processor time.
            yield _row(f"{what}: time", as_time(seconds), "", True, False)
            met = busy < _WRITTEN_S
            yield _row(f"{what}: processor time", as_time(busy), "below 60 s", met, held)
            length = page.stat().st_size
            yield _row(f"{what}: size", as_size(length), "below 40 MB", length < _LARGEST, True)
            yield _row(f"{what}: peak memory", as_size(peak), "", True, False)
        if few := size.items // 10:
            *_, peak = _written([_first(judges[0], few, folder / "few")], folder / "few.html")
            what = f"report of the first tenth of 1 x {5 * size.items:,} votes"
            yield _row(f"{what}: peak memory", as_size(peak), "", True, False)
        if size.used:
            yield from _used(page, f"page of {size.judges} x {5 * size.items:,} votes")
    finally:
        del os.environ["VL_REWARDBENCH_DATA"]


def _row(what: str, ours: str, target: str, met: bool, held: bool) -> Row:
    return Row(what, ours, "-", 1.0, target if held else "", met if held else None)


def _data(root: Path, size: Size) -> Path:
    """A local copy of VL-RewardBench with as many items, each with a picture of its own."""
    import datasets

    rows = [
        {
            "id": f"RLAIF-V-{number}",
            "query": f"What is on picture {number}?",
            "response": [_text(size.words // 2, "answer", number, k) for k in (0, 1)],
            "image": {"bytes": picture, "path": None},
            "human_ranking": [number % 2, 1 - number % 2],
        }
        for number, picture in enumerate(pictures(size.items, size.image))
    ]
    table = datasets.Dataset.from_list(rows)
    table = table.cast(datasets.Features({**table.features, "image": datasets.Image()}))
    (root / "data").mkdir(parents=True, exist_ok=True)
    table.to_parquet(root / "data" / "test-00000-of-00001.parquet")
    return root


def _samples(folder: Path, judge: int, size: Size) -> Path:
    """The log of a judge, as the harness writes it."""
    benchmark = registry.benchmark_of("vl_rewardbench")
    entry: Mapping[str, Any] = next(t.entry for t in benchmark.tasks if t.name == _TASK)  # type: ignore[union-attr]
    trials = benchmark.trials(entry)
    folder.mkdir(parents=True)
    with (folder / f"1_samples_{_TASK}.jsonl").open("w", encoding="utf-8") as file:
        for number, trial in enumerate(trials):
            rng = seeds.generator(0, "report", judge, number)
            said = int(rng.integers(1, 3))
            end = f"Overall Judgment: Answer {said} is better." if rng.random() < 0.97 else ""
            asked = trials.ask(trial)
            sample = {
                "doc_id": number,
                "target": trials.target(trial),
                "filtered_resps": f"{_text(size.words, judge, number)}\n\n{end}",
                "input": asked.text if isinstance(asked, Request) else "",
                "trial": {"benchmark": benchmark.name, **trial},
            }
            file.write(json.dumps(sample) + "\n")
    return folder


def _first(judge: Path, items: int, folder: Path) -> Path:
    """A log with the votes on a judge's first items."""
    [file] = judge.iterdir()
    folder.mkdir()
    with file.open(encoding="utf-8") as lines:
        (folder / file.name).write_text("".join(islice(lines, 5 * items)), "utf-8")
    return folder


def _text(words: int, *key: int | str) -> str:
    rng = seeds.generator(0, "report", *key)
    return " ".join(_WORDS[k] for k in rng.integers(0, len(_WORDS), words))


def _written(judges: list[Path], page: Path) -> tuple[float, float, int]:
    """Seconds that the command takes, from its start to its end, and is busy; largest memory."""
    made = (
        "import os, sys; from pairbench_ext.show.cli.main import app\n"
        "try: app(sys.argv[1:])\n"
        "finally:\n"
        # Not `ru_maxrss`: that of the process that started this one counts, too.
        "  status = open('/proc/self/status').read()\n"
        "  print(status.split('VmHWM:')[1].split()[0], sum(os.times()[:4]))"
    )
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", made, "report", *map(str, judges), "--out", str(page)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    seconds = time.perf_counter() - start
    peak, busy = done.stdout.splitlines()[-1].split()
    return seconds, float(busy), 1024 * int(peak)


def _used(page: Path, what: str) -> Iterator[Row]:
    """First paint and filters in Chromium; no rows without it."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        say("report: no chromium and chromedriver, so the page is not used")
        return
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    window = webdriver.Chrome(options=options, service=Service(driver))
    try:
        window.set_script_timeout(120)
        window.get(page.as_uri())
        painted = window.execute_async_script(_PAINT) / 1000
        yield _row(
            f"{what}: first paint", as_time(painted), "below 3 s", painted < _PAINTED_S, True
        )
        window.get("about:blank")
        window.get(f"{page.as_uri()}#samples/{_TASK}")
        slowest = window.execute_async_script(_FILTERS) / 1000
        yield _row(
            f"{what}: slowest filter", as_time(slowest), "below 100 ms", slowest < _FILTERED_S, True
        )
        first, again = (one / 1000 for one in window.execute_async_script(_FIND))
        yield _row(f"{what}: first search", as_time(first), "", True, False)
        yield _row(
            f"{what}: later searches", as_time(again), "below 100 ms", again < _FILTERED_S, True
        )
    finally:
        window.quit()


_PAINT = """
const done = arguments[arguments.length - 1];
const look = () => {
  const [entry] = performance.getEntriesByName("first-contentful-paint");
  if (entry) done(entry.startTime); else setTimeout(look, 20);
};
look();
"""
_COMMON = """
const done = arguments[arguments.length - 1];
const byId = (id) => document.getElementById(id);
const drawn = () => new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
const until = async (test) => { while (!test()) await drawn(); };
async function taken(change) {
  const count = byId("count");
  count.textContent = "";
  const start = performance.now();
  change();
  await until(() => count.textContent !== "");
  await drawn();
  return performance.now() - start;
}
"""
_FILTERS = f"""{_COMMON}
(async () => {{
  await until(() => document.documentElement.dataset.ready === "yes");
  let slowest = 0;
  for (const value of ["wrong", "unread", "flipped", "disagree", ""])
    slowest = Math.max(slowest, await taken(() => {{
      byId("state").value = value;
      byId("state").dispatchEvent(new Event("change"));
    }}));
  for (const value of ["low", ""])
    slowest = Math.max(slowest, await taken(() => {{
      byId("sort").value = value;
      byId("sort").dispatchEvent(new Event("change"));
    }}));
  done(slowest);
}})();
"""
_FIND = f"""{_COMMON}
(async () => {{
  const find = (text) => taken(() => {{
    byId("find").value = text;
    byId("find").dispatchEvent(new Event("input"));
  }});
  const first = await find("answer");
  let again = 0;
  for (const text of ["colour count", "no such text at all", "picture 77"])
    again = Math.max(again, await find(text));
  done([first, again]);
}})();
"""
