"""CAST: does a model agree, in other modalities, with similarities that it stated itself?

A document is a list: the model states similarities of two scenes in one modality, then judges its
first three statements in every modality with every prompt, a round each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import datasets
import fsspec  # type: ignore[import-untyped]
from datasets import Dataset
from PIL import Image

from lmms_eval_tasks.cast import consistency
from lmms_eval_tasks.cast.confirmations import (
    MODALITIES,
    PROMPTS,
    Confirmation,
    ConfirmationTable,
    Generation,
    Outcome,
)
from lmms_eval_tasks.cast.consistency import TOP
from lmms_eval_tasks.cast.lists import numbered_lines
from lmms_eval_tasks.cast.prompts import AUTHORS, shows_images
from pairbench_ext.core.image_slots import without_image_slots
from pairbench_ext.core.visual.concat import side_by_side
from pairbench_ext.harness.rounds import texts_of_tuple, without_thoughts
from pairbench_ext.replies import yesno_authors
from pairbench_ext.replies.yesno import LABELS
from pairbench_ext.statistics.means import mean_of_defined
from pairbench_ext.upstream.common import decoded, repeated

SIDE = 512  # pixels, as the authors distort every image
_FIRST = re.compile(r"/data/imgs/(\d+)_0\.\w+(?=::|$)")
_ASKED = tuple(product(range(1, TOP + 1), MODALITIES, PROMPTS))  # of a list, in this order
METRICS = (
    "same_modality",
    "cross_modality",
    *(f"{generated}_by_{evaluated}" for generated, evaluated in product(MODALITIES, MODALITIES)),
    "top1",
    "coverage",
    "statements",
)


def process_docs(dataset: Dataset) -> Dataset:
    """The authors' pairs, by number, each once for every modality that statements come from."""
    cells = dataset.cast_column("image", datasets.Image(decode=False))["image"]
    found = ((_FIRST.search(cell["path"]), cell["path"]) for cell in cells)
    first = sorted((int(match[1]), path) for match, path in found if match)
    pairs = Dataset.from_list([_pair(number, path) for number, path in first])
    return repeated(pairs, [{"generated": [one] * len(pairs)} for one in MODALITIES])


def _pair(number: int, image: str) -> dict[str, str]:
    """A pair of scenes: its descriptions, and where its images are."""
    with fsspec.open(re.sub(r"imgs/(\d+)_0\.\w+(?=::|$)", r"\1.json", image)) as file:
        described = json.load(file)
    other = re.sub(rf"/{number}_0\.", f"/{number}_1.", image)
    texts = {f"description_{n + 1}": described[f"description_{n}"] for n in (0, 1)}
    return {"pair": str(number), **texts, "image_1": image, "image_2": other}


def _descriptions(doc: dict[str, Any]) -> tuple[str, str]:
    return doc["description_1"], doc["description_2"]


def _images(doc: dict[str, Any], modality: str) -> list[Image.Image]:
    """Both images side by side in one, unless descriptions alone are shown."""
    if not shows_images(modality):
        return []
    scenes = []
    for name in ("image_1", "image_2"):
        with fsspec.open(doc[name]) as file:
            image = decoded({"bytes": file.read()})
        scenes.append(image.resize((SIDE, SIDE), Image.Resampling.BICUBIC))
    return [side_by_side(scenes)]


def _statements(reply: str) -> list[str]:
    return (numbered_lines(without_thoughts(reply)) or [])[:TOP]


def doc_to_visual(doc: dict[str, Any]) -> list[Image.Image]:
    """What the first round shows."""
    return _images(doc, doc["generated"])


def doc_to_text(
    doc: dict[str, Any],
    lmms_eval_specific_kwargs: dict[str, Any] | None = None,  # noqa: ARG001
    previous_output: Sequence[str] | None = None,
    round_idx: int | None = None,
    previous_round_info: Any = None,  # noqa: ARG001
) -> Any:
    """The request for a list; then images, text, whether it is over, the replies, and nothing."""
    if not round_idx:
        return without_image_slots(AUTHORS.generation_text(doc["generated"], _descriptions(doc)))
    replies = list(previous_output or ())
    statements = _statements(replies[0])
    if round_idx > len(statements) * len(MODALITIES) * len(PROMPTS):
        return None, None, True, replies, None
    position, evaluated, prompt = _ASKED[round_idx - 1]
    said = statements[position - 1]
    text = AUTHORS.evaluation_text(prompt, evaluated, _descriptions(doc), said)
    return _images(doc, evaluated), without_image_slots(text), False, replies, None


def doc_to_target(doc: dict[str, Any]) -> str:  # noqa: ARG001
    """There is none: the model is measured against itself."""
    return ""


def process_results(doc: dict[str, Any], results: list[Any]) -> dict[str, Any]:
    """What a model says of its own statements, for every metric; None is an unusable reply."""
    given = results[0]  # a list, or what the harness makes of a tuple
    replies = (texts_of_tuple(given) or [given]) if isinstance(given, str) else list(given or [""])
    said = {
        "pair": doc["pair"],
        "generated": doc["generated"],
        "statements": len(numbered_lines(without_thoughts(replies[0])) or ()),
        "values": [
            yesno_authors.authors(without_thoughts(reply), *LABELS[prompt]).value
            for reply, (*_, prompt) in zip(replies[1:], _ASKED, strict=False)
        ],
    }
    return dict.fromkeys(METRICS, said)


def _outcomes(records: Sequence[Mapping[str, Any]]) -> Iterator[Outcome]:
    for one in records:
        yield Generation(one["pair"], one["generated"], one["statements"])
        for value, (position, evaluated, prompt) in zip(one["values"], _ASKED, strict=False):
            yield Confirmation(
                one["pair"],
                one["generated"],
                position,
                evaluated,  # type: ignore[arg-type]
                prompt,  # type: ignore[arg-type]
                value,
            )


def _of_lists(
    records: Sequence[Mapping[str, Any]], measure: Callable[[ConfirmationTable], Any]
) -> float:
    """A number; unusable replies are left out (Section 3.2)."""
    return float(measure(ConfirmationTable(_outcomes(records), pool="paper")))


def _cell(records: Sequence[Mapping[str, Any]], generated: str, evaluated: str) -> float:
    place = MODALITIES.index(generated), MODALITIES.index(evaluated)
    return _of_lists(records, lambda table: consistency.matrix(table)[place])


aggregate_same_modality = partial(
    _of_lists, measure=lambda table: consistency.same_modality(consistency.matrix(table))
)
aggregate_cross_modality = partial(
    _of_lists, measure=lambda table: consistency.cross_modality(consistency.matrix(table))
)
aggregate_text_by_text = partial(_cell, generated="text", evaluated="text")
aggregate_text_by_image = partial(_cell, generated="text", evaluated="image")
aggregate_text_by_both = partial(_cell, generated="text", evaluated="both")
aggregate_image_by_text = partial(_cell, generated="image", evaluated="text")
aggregate_image_by_image = partial(_cell, generated="image", evaluated="image")
aggregate_image_by_both = partial(_cell, generated="image", evaluated="both")
aggregate_both_by_text = partial(_cell, generated="both", evaluated="text")
aggregate_both_by_image = partial(_cell, generated="both", evaluated="image")
aggregate_both_by_both = partial(_cell, generated="both", evaluated="both")
aggregate_top1 = partial(
    _of_lists,
    measure=lambda table: mean_of_defined(consistency.within_modality(table, top=1).tolist()),
)
aggregate_coverage = partial(_of_lists, measure=consistency.coverage)
aggregate_statements = partial(
    _of_lists,
    measure=lambda table: mean_of_defined(consistency.statements_per_generation(table).tolist()),
)
