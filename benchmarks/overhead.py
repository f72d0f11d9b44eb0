"""What the harness costs per request when the model answers at once: our leaf, stock tasks.

The stock tasks are the installed harness's own YAML files, included at run time; only where they
read their data from is replaced by a local table in their schema.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from functools import partial
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import yaml
from lmms_eval import evaluator
from lmms_eval.tasks import TaskManager

from benchmarks import data
from benchmarks.answering import Answering
from benchmarks.common import Row, as_time, best_seconds, frozen, require, say, silent
from pairbench_ext.harness.plugin import tasks_dir

LEAF = f"pairbench_coco_{data.SPLIT}"
REPLIES = {LEAF: "Score: 6\nReason: because.", "mme": "yes", "pope": "yes"}


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        rows: source rows of our leaf; its images are the stock tasks' too.
        image: their pixels.
        requests: per task; an even number, at most 4 a row. A tenth tells the fixed costs.
        looks: for a model that does not look at the images, and for one that does.
        rounds: of which the best counts.
    """

    rows: int = 500
    image: tuple[int, int] = data.SIZE
    requests: int = 1_200
    looks: tuple[bool, ...] = (False, True)
    rounds: int = 3


FULL = Size()


class Instant(Answering):
    """Answers at once, after looking at the images or without."""

    def __init__(self, reply: str, looks: bool) -> None:
        super().__init__()
        self.reply = reply
        self.looks = looks
        self.shown: list[tuple[int, int]] = []

    def generate_until(self, requests: Sequence[Any]) -> list[str]:
        """The same reply to all."""
        for request in requests if self.looks else ():
            _, _, doc_to_visual, doc_id, task, split = request.args
            images = doc_to_visual(self.task_dict[task][split][doc_id])
            self.shown.extend(image.size for image in images)
        return [self.reply] * len(requests)


def run(folder: Path, size: Size = FULL) -> list[Row]:
    """Rows per stock task, for a model that does not look and for one that does."""
    root = data.leaf(folder, size.rows, size.image)
    # The harness collects garbage after each run: let it look at that run's only.
    with silent("lmms_eval"), frozen():
        tasks = _task_manager(folder, root, size)
        for task in REPLIES:
            _check(tasks, task, size)
        return [row for looks in size.looks for row in _rows(_time(tasks, looks, size), looks)]


def evaluate(tasks: Any, task: str, looks: bool, requests: int) -> tuple[Any, Instant]:
    """The harness's own evaluator on one task, options as its command line has them."""
    model = Instant(REPLIES[task], looks)
    options = SimpleNamespace(process_with_media=False, reasoning_tags=None, model=None)
    with redirect_stderr(io.StringIO()):  # its progress bars
        results = evaluator.simple_evaluate(
            model=model,
            tasks=[task],
            task_manager=tasks,
            limit=requests,
            cli_args=options,
            bootstrap_iters=0,
            log_samples=True,
        )
    return results, model


def _task_manager(folder: Path, root: Path, size: Size) -> Any:
    """Our leaf on `root`, and the stock tasks on the same images."""
    written = folder / "tasks"
    written.mkdir(exist_ok=True)
    (written / "source.json").write_text(json.dumps({"leaf": [data.source_row(root)]}))
    leaf = {
        "include": str(tasks_dir() / "pairbench" / "_pairbench_greedy"),
        "task": LEAF,
        "dataset_kwargs": {"data_files": {"test": str(written / "source.json")}, "field": "leaf"},
    }
    (written / f"{LEAF}.yaml").write_text(yaml.safe_dump(leaf))
    images = _encoded_images(root, size.requests)
    for task, columns in STOCK.items():
        say(f"overhead: a table for {task}")
        file = written / f"{task}.parquet"
        _write_table(file, images, columns(size.requests))
        stock = {
            "include": str(files("lmms_eval.tasks") / task / f"{task}.yaml"),
            "task": task,
            "dataset_path": "parquet",
            "dataset_kwargs": {"data_files": {"test": str(file)}},
        }
        (written / f"{task}.yaml").write_text(yaml.safe_dump(stock))
    return TaskManager(include_defaults=False, include_path=str(written))


def mme_columns(n: int) -> dict[str, list[str]]:
    """MME's columns but the image: two questions to each of its question ids."""
    return {
        "question_id": [f"{k // 2:05}.jpg" for k in range(n)],
        "question": ["Is this a photograph? Please answer yes or no."] * n,
        "answer": ["Yes", "No"] * (n // 2),
        "category": ["scene"] * n,
    }


def pope_columns(n: int) -> dict[str, list[str]]:
    """POPE's columns but the image."""
    return {
        "id": [str(k) for k in range(n)],
        "question_id": [str(k) for k in range(n)],
        "question": ["Is there a person in the image?"] * n,
        "answer": ["yes", "no"] * (n // 2),
        "image_source": [f"COCO_val2014_{k:012}" for k in range(n)],
        "category": ["random"] * n,
    }


STOCK = {"mme": mme_columns, "pope": pope_columns}


def _encoded_images(root: Path, n: int) -> list[dict[str, Any]]:
    """The first images of the leaf, as they are stored."""
    import datasets

    table = data.table(root)
    for column in data.COLUMNS:
        table = table.cast_column(column, datasets.Image(decode=False))
    rows = table.select(range(min(len(table), -(-n // len(data.COLUMNS)))))
    return [row[column] for row in rows for column in data.COLUMNS][:n]


def _write_table(
    file: Path, images: list[dict[str, Any]], columns: Mapping[str, list[str]]
) -> None:
    import datasets

    texts = dict.fromkeys(columns, datasets.Value("string"))
    features = datasets.Features({"image": datasets.Image(), **texts})
    table = datasets.Dataset.from_dict({"image": images, **columns}, features=features)
    table.to_parquet(file)


def _check(tasks: Any, task: str, size: Size) -> None:
    """Both sides do the same: as many requests, images of one size, a finished score."""
    say(f"overhead: checking {task}")
    results, model = evaluate(tasks, task, True, size.requests)
    require(len(results["samples"][task]) == size.requests, f"the requests of {task}")
    per_request = 2 if task == LEAF else 1
    shown = [size.image] * (per_request * size.requests)
    require(model.shown == shown, f"the images of {task}")
    numbers = results["results"][task]
    # All that can be known beforehand: every reply is read, and half the answers are "yes".
    expected = {LEAF: ("coverage", 1.0), "mme": ("mme_perception_score", 50.0)}
    metric, value = expected.get(task, ("pope_accuracy", 0.5))
    require(numbers[f"{metric},none"] == value, f"{metric} of {task}")


def _time(tasks: Any, looks: bool, size: Size) -> dict[str, float]:
    """Seconds per further request of each task: what every run costs cancels."""
    few = max(2, size.requests // 10)
    sides = {
        (task, requests): partial(evaluate, tasks, task, looks, requests)
        for task in REPLIES
        for requests in (few, size.requests)
    }
    best = best_seconds(f"overhead {'with' if looks else 'without'} looking", sides, size.rounds)
    return {
        task: (best[task, size.requests] - best[task, few]) / (size.requests - few)
        for task in REPLIES
    }


def _rows(each: Mapping[str, float], looks: bool) -> list[Row]:
    how = "looks at the images" if looks else "does not look"
    return [
        Row(
            f"harness, per request; the model answers at once and {how}",
            as_time(each[LEAF]),
            f"{as_time(each[task])}, stock {task}",
            each[task] / each[LEAF],
        )
        for task in STOCK
    ]
