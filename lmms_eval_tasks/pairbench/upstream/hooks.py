"""PairBench: how similar are two images, or an image and a text, from 1 to 10 (Section 2)?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import datasets
from datasets import Dataset, concatenate_datasets, load_dataset
from PIL import Image
from scipy.stats import kendalltau

from lmms_eval_tasks.pairbench import metrics
from lmms_eval_tasks.pairbench.pairs import (
    TRUTH,
    Pair,
    counted_kinds,
    kind_by_column,
    named_pairs,
)
from lmms_eval_tasks.pairbench.promptset import conditions_of, rendered, wherever
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, ORDERS, Condition, Rating, RatingTable
from lmms_eval_tasks.pairbench.splits import features_of
from pairbench_ext.core.requests import spaced
from pairbench_ext.replies.rating import in_asked_format
from pairbench_ext.statistics.means import mean_of_defined
from pairbench_ext.statistics.seeds import draw, stable_hash
from pairbench_ext.upstream.common import decoded, for_every, gathered, repeated

REPOSITORY = "feiziaarash/pairbench"
PROMPTS = ("query_templates", "query_conditions", "logistics")
SEED = 0
METRICS = (
    "mmscore",
    "mmscore_sens",
    "mmscore_inv",
    "relaxsym",
    "smoothness",
    "controllability",
    "coverage",
)


def process_docs(dataset: Dataset) -> Dataset:
    """Every pair of every row of every split, under both conditions, in both orders."""
    config = dataset.config_name
    [row] = load_dataset(REPOSITORY, "templates", split=config)
    prompts = {name: json.loads(row[name] or "{}") for name in PROMPTS}
    counts = {name: info.num_examples for name, info in dataset.info.splits.items()}
    dataset = dataset.select_columns([c for c in dataset.column_names if c.startswith("img")])
    for name, feature in dataset.features.items():
        if isinstance(feature, datasets.Image):  # only what a request shows is decoded
            dataset = dataset.cast_column(name, datasets.Image(decode=False))
    splits, start = [], 0
    for name, n in counts.items():
        part = dataset.select(range(start, start + n))
        splits.append(repeated(part, list(_trials(part, config, name, prompts))))
        start += n
    return concatenate_datasets(splits)


def _pairs(dataset: Dataset, config: str, listed: list[list[str]] | None) -> tuple[Pair, ...]:
    """The pairs of a row, and what kind each is."""
    columns = sorted(dataset.column_names)
    pairs = [(first, second) for first, second in listed or ((columns[0], c) for c in columns[1:])]
    kinds = {pair: kind_by_column(pair) for pair in pairs}
    if config.startswith("wu"):
        kinds |= counted_kinds(kinds)
    unknown = [pair for pair, kind in kinds.items() if not kind or not {*pair} <= {*columns}]
    if unknown:
        raise ValueError(f"{config}: what kind of pair is {unknown[0]}? There are {columns}")
    return named_pairs(kinds)


def _trials(
    dataset: Dataset, config: str, split: str, prompts: Mapping[str, Any]
) -> Iterator[dict[str, list[Any]]]:
    """What is asked about every row, one time after the other; both orders are neighbours."""
    rows = range(len(dataset))
    features = features_of(split)
    if config.startswith("wu") and "spatial" not in features:
        features = ("spatial", *features)
    templates = prompts["query_templates"]
    templates = list(templates.values() if isinstance(templates, dict) else templates)
    conditions = conditions_of(prompts["query_conditions"], f"the templates of {config}")
    is_text = {name: isinstance(kind, datasets.Value) for name, kind in dataset.features.items()}
    name = f"pairbench/{config}/{split}"
    for number, pair in enumerate(_pairs(dataset, config, prompts["logistics"].get("data-pairs"))):
        drawn = [draw(len(templates), SEED, name, "template", row, number) for row in rows]
        for condition in CONDITIONS:
            lines = [conditions[feature][condition] for feature in features]
            texts = [rendered(template, lines) for template in templates]
            for order in ORDERS:
                shown = pair.first, pair.second
                first, second = shown if order == "fwd" else shown[::-1]
                same = {
                    "split": split,
                    "pair": pair.name,
                    "condition": condition,
                    "order": order,
                    "truth": float(TRUTH[pair.kind][condition]),
                    "first": first,
                    "second": second,
                    "image_text": is_text[first] or is_text[second],
                }
                yield {
                    "row": list(rows),
                    "template": drawn,
                    "before": [texts[k][0] for k in drawn],
                    "after": [texts[k][1] for k in drawn],
                    **{field: [value] * len(rows) for field, value in same.items()},
                }


def _data(doc: dict[str, Any]) -> list[Any]:
    """The two data in their order: a text in quotation marks, or the cell of an image.

    The harness has no images where it asks for the text and scores replies: they are None then.
    """
    cells = [doc.get(doc[place]) for place in ("first", "second")]
    return [f'"{cell}"' if isinstance(cell, str) else cell for cell in cells]


def doc_to_visual(doc: dict[str, Any]) -> list[Image.Image]:
    """The images, in their order."""
    return [decoded(cell) for cell in _data(doc) if not isinstance(cell, str)]


def doc_to_text(
    doc: dict[str, Any],
    lmms_eval_specific_kwargs: dict[str, Any] | None = None,  # noqa: ARG001
) -> str:
    """All text, for models that place images as they do: it does not say where these are."""
    texts = [one for one in _data(doc) if isinstance(one, str)]
    return "".join(spaced([wherever(doc["before"]), *texts, wherever(doc["after"])]))


def doc_to_messages(
    doc: dict[str, Any],
    lmms_eval_specific_kwargs: dict[str, Any] | None = None,  # noqa: ARG001
) -> list[dict[str, Any]]:
    """The prompt, then the two data in their order."""
    parts = spaced([doc["before"], *_data(doc), doc["after"]])
    content = [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image", "url": decoded(part)}
        for part in parts
    ]
    return [{"role": "user", "content": content}]


def doc_to_target(doc: dict[str, Any]) -> str:
    """The ground truth, 1 to 10 (Section 2.1)."""
    return f"{doc['truth']:g}"


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Any]:
    """The rating that a reply gives in the asked format, for every metric."""
    value = in_asked_format(results[0]).value
    rating = Rating(
        row=doc["row"],
        pair=doc["pair"],
        condition=doc["condition"],
        order=doc["order"],
        template=doc["template"],
        truth=doc["truth"],
        value=None if value is None else float(value),  # type: ignore[arg-type]
        reply=stable_hash(0, results[0]) if doc["image_text"] else None,
        split=doc["split"],
    )
    return for_every(METRICS, rating)


def _of_ratings(
    ratings: Sequence[Mapping[str, Any]], measure: Callable[[RatingTable], float]
) -> float:
    """The mean over the splits; undefined ones are left out."""
    given = gathered(Rating, ratings)
    splits = dict.fromkeys(rating.split for rating in given)
    tables = (RatingTable(rating for rating in given if rating.split == one) for one in splits)
    return mean_of_defined([measure(table) for table in tables])


def _mmscore(table: RatingTable, condition: Condition | None = None) -> float:
    """Kendall's tau-b against the ground truth; an unusable rating is -1 (Section 2.2.1)."""
    return metrics.over_conditions(
        table, condition, lambda part: float(kendalltau(part.filled, part.truth).statistic)
    )


def _controllability(table: RatingTable) -> float:
    sens, inv = (_mmscore(table, condition) for condition in CONDITIONS)
    return metrics.controllability(sens, inv)


aggregate_mmscore = partial(_of_ratings, measure=_mmscore)
aggregate_mmscore_sens = partial(_of_ratings, measure=partial(_mmscore, condition="sens"))
aggregate_mmscore_inv = partial(_of_ratings, measure=partial(_mmscore, condition="inv"))
aggregate_relaxsym = partial(_of_ratings, measure=metrics.relaxsym)
aggregate_smoothness = partial(_of_ratings, measure=metrics.smoothness)
aggregate_controllability = partial(_of_ratings, measure=_controllability)
aggregate_coverage = partial(_of_ratings, measure=metrics.coverage)
