"""VIEScore: a model rates generated and edited images, and is compared with human raters."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from datasets import Dataset, DownloadManager
from PIL import Image

from lmms_eval_tasks.viescore.agreement import only_rated
from lmms_eval_tasks.viescore.correlations import MEANS, Mean, mean_of_raters
from lmms_eval_tasks.viescore.grammars.subscores_authors import authors
from lmms_eval_tasks.viescore.judgments import (
    ASPECTS,
    HIGHEST,
    JUDGED,
    Aspect,
    Judgment,
    JudgmentTable,
    aspect_score,
)
from lmms_eval_tasks.viescore.prompts import render
from lmms_eval_tasks.viescore.tasks import Task, find_task
from pairbench_ext.statistics.correlation import TIE_DECIMALS
from pairbench_ext.statistics.ranking import spearman
from pairbench_ext.upstream.common import decoded, gathered

MUSEUM = "https://chromaica.github.io/Museum"
LOOKUP = "dataset_lookup.json"  # the prompts of a task
NOT_JUDGED = (("tie", "Imagic"), ("sdig", "SuTI"))  # rated by humans, but not in the paper
METRICS = (
    "spearman_sc",
    "spearman_pq",
    "spearman_o",
    "spearman_sc_authors",
    "spearman_pq_authors",
    "spearman_o_authors",
    "coverage",
)


def process_docs(dataset: Dataset) -> Dataset:
    """Both aspects of every rated image, task by task; the rows are lines of raters' files."""
    lines, rows = iter(dataset["text"]), []
    for name, info in dataset.info.splits.items():
        raters = _raters([next(lines) for _ in range(info.num_examples)])
        rows += list(_images(find_task(name), raters))
    return Dataset.from_list(rows)


def _raters(lines: Sequence[str]) -> list[dict[str, dict[str, list[float]]]]:
    """What each rater says of an image, [SC, PQ], by uid and image model."""
    raters: list[dict[str, dict[str, list[float]]]] = []
    models: list[str] = []
    for uid, *cells in csv.reader(filter(None, lines), delimiter="\t"):
        if uid == "uid":  # the head of the next rater's file
            models = cells
            raters.append({})
        else:
            raters[-1][uid] = dict(zip(models, map(json.loads, cells), strict=True))
    return raters


def _images(
    task: Task, raters: Sequence[Mapping[str, Mapping[str, list[float]]]]
) -> Iterator[dict[str, Any]]:
    """The requests about a task's images, sample by sample."""
    file = Path(DownloadManager().download(f"{MUSEUM}/{task.folder}/{LOOKUP}"))
    prompts = json.loads(file.read_text(encoding="utf-8-sig"))
    for uid, prompt in prompts.items():
        rated = [rater[uid] for rater in raters if uid in rater]
        models = sorted(set.intersection(*map(set, rated))) if len(rated) == len(raters) else []
        text = task.clean(next(prompt[field] for field in task.fields if field in prompt))
        for model, aspect in product(models, JUDGED):
            if (task.name, model) in NOT_JUDGED:
                continue
            folders = [*_conditions(task), model] if aspect == "SC" else [model]
            yield {
                "task": task.name,
                "image_model": model,
                "sample": uid,
                "aspect": aspect,
                "text": text,
                "ratings": [rater[model] for rater in rated],
                "images": [f"{MUSEUM}/{task.folder}/{folder}/{uid}" for folder in folders],
            }


def _conditions(task: Task) -> list[str]:
    """The folders of what an image was made from."""
    return ["input", "token"][: len(task.conditions)]


def doc_to_visual(doc: dict[str, Any]) -> list[Image.Image]:
    """For SC what the image was made from, then the image; fetched once."""
    fetch = DownloadManager().download
    return [decoded({"bytes": None, "path": fetch(url)}) for url in doc["images"]]


def doc_to_text(
    doc: dict[str, Any],
    lmms_eval_specific_kwargs: dict[str, Any] | None = None,  # noqa: ARG001
) -> str:
    """The prompt of Appendix A."""
    return render(find_task(doc["task"]), doc["aspect"], doc["text"])


def doc_to_target(doc: dict[str, Any]) -> str:
    """The raters' mean on the scale of the sub-scores."""
    column = JUDGED.index(doc["aspect"])
    ratings = [rating[column] for rating in doc["ratings"]]
    return f"{HIGHEST * sum(ratings) / len(ratings):.1f}"


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Any]:
    """The judgment that a reply gives, as the authors' code reads it, for every metric."""
    scores: Any = authors(results[0]).value
    said = Judgment(
        doc["task"],
        doc["image_model"],
        doc["sample"],
        doc["aspect"],
        None if scores is None else aspect_score(scores),
        "unusable" if scores is None else "judged",
        tuple((sc, pq) for sc, pq in doc["ratings"]),
    )
    plain = {name: value for name, value in said._asdict().items() if name != "setting"}
    return dict.fromkeys(METRICS, plain)


def _spearman(records: Sequence[Mapping[str, Any]], aspect: Aspect, mean: Mean) -> float:
    """The correlation with the raters' mean, averaged over image models, then tasks.

    An unusable reply counts as a random score, drawn by its image (Appendix C.1).
    """
    table = JudgmentTable(gathered(Judgment, records))
    humans = table.ratings()
    column = ASPECTS.index(aspect)
    by_task: dict[str, list[float]] = {}
    for key, judged in only_rated(table.scores("random"), humans).items():
        people = mean_of_raters(humans[key].of(judged.samples))
        x, y = (np.round(one[:, column], TIE_DECIMALS) for one in (judged.values, people))
        by_task.setdefault(key.task, []).append(spearman(x, y))
    average = MEANS[mean]
    return float(average([average(values) for values in by_task.values()]))


aggregate_spearman_sc = partial(_spearman, aspect="SC", mean="fisher")
aggregate_spearman_pq = partial(_spearman, aspect="PQ", mean="fisher")
aggregate_spearman_o = partial(_spearman, aspect="O", mean="fisher")
aggregate_spearman_sc_authors = partial(_spearman, aspect="SC", mean="authors")
aggregate_spearman_pq_authors = partial(_spearman, aspect="PQ", mean="authors")
aggregate_spearman_o_authors = partial(_spearman, aspect="O", mean="authors")


def aggregate_coverage(records: Sequence[Mapping[str, Any]]) -> float:
    """Share of replies that could be read."""
    return float(np.mean([one["kind"] == "judged" for one in records]))
