"""No command's output depends on the order of a log's rows."""

import csv
import shutil

import numpy as np
import pytest

from tests.files import pairbench, write_lines
from tests.pairbench_ext.runs.test_compare import ratings

TWO = ("zeta", "alpha")


def judgments(rng, right):
    """Choices of 40 pairs in both orders, twice, of which some are unread; people's labels."""
    for item in range(40):
        for order in ("fwd", "rev"):
            for repeat in range(2):
                good = rng.random() < right
                place = (item % 2) ^ (order == "rev") ^ (not good)
                said = "AB"[place] if rng.random() < 0.9 else rng.choice(["?", "none", "C"])
                trial = {
                    "benchmark": "judgments_pair", "item": f"q{item}", "systems": sorted(TWO),
                    "order": order, "repeat": repeat, "source": "xy"[item % 2],
                    "people": {"ann": item % 2, "bob": (item % 7 > 0) ^ (item % 2 == 0)},
                    "truth": item % 2,
                }  # fmt: skip
                yield {"input": f"Prompt {item % 3}", "filtered_resps": [said], "trial": trial}


def write(folder, turned):
    """Two judges on two tasks; with the same rows, shuffled or reversed."""
    for number, judge in enumerate("ab"):
        tasks = {
            "judgments": list(judgments(np.random.default_rng(number), (0.8, 0.65)[number])),
            "pairbench_coco_rotate": list(ratings(2 + number, number, rows=12)),
        }
        for task, rows in tasks.items():
            rows = [{"doc_id": n, **row} for n, row in enumerate(rows)]
            if turned:
                places = np.random.default_rng(5).permutation(len(rows))
                rows = rows[::-1] if judge == "b" else [rows[place] for place in places]
            write_lines(folder / judge / f"samples_{task}.jsonl", rows)
    with (folder / "labels.csv").open("w", newline="") as out:
        rows = [(f"q{n}", sorted(TWO)[n % 2], "judgments")
                for n in np.random.default_rng(1).permutation(40)[:20]]  # fmt: skip
        csv.writer(out).writerows([("item", "label", "task"), *rows])


COMMANDS = [
    "score judgments a --json", "score judgments b", "score pairbench a b --json",
    "compare a b --json", "card a b", "card a -v", "table a b", "panel a b --json",
    "drift a b --json", "people a b --json", "check a/samples_judgments.jsonl",
    "trust a --draw 20 --out OUT", "correct a b --people labels.csv --json",
    "trust a b --people labels.csv --out OUT",
    "report a b --images none --people labels.csv --out OUT",
]  # fmt: skip


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    made = [tmp_path_factory.mktemp(name) for name in ("straight", "turned")]
    for folder, turned in zip(made, (False, True), strict=True):
        write(folder, turned)
    return made


@pytest.mark.parametrize("line", COMMANDS)
def test_the_order_of_rows_changes_nothing(places, line, monkeypatch, tmp_path):
    seen = []
    for folder in places:
        runs, out = tmp_path / "runs", tmp_path / "out"
        shutil.copytree(folder, runs)  # a page knows from which folder it is
        monkeypatch.chdir(runs)
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # of figures
        words = [str(out) if word == "OUT" else word for word in line.split()]
        seen.append((pairbench(*words, status=0).stdout, out.read_text() if out.exists() else ""))
        for file in tmp_path.glob("out*"):
            file.unlink()
        shutil.rmtree(runs)
    (printed, written), (again, rewritten) = seen
    assert printed == again
    assert written == rewritten
