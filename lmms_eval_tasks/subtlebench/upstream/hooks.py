"""VLM-SubtleBench: what differs between two nearly equal images? Prompts are Figures 8 and 9."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from datasets import Dataset
from huggingface_hub import hf_hub_download
from PIL import Image

from lmms_eval_tasks.preference.trials import own_names
from lmms_eval_tasks.subtlebench import choice_accuracy
from lmms_eval_tasks.subtlebench.choice_reading import by_text
from lmms_eval_tasks.subtlebench.choice_trials import ORDERS, shuffled
from lmms_eval_tasks.subtlebench.choices import Choice, ChoiceTable
from lmms_eval_tasks.subtlebench.items import IMAGES, TYPES, domain_name, item_name
from lmms_eval_tasks.subtlebench.prompts import (
    DIRECTION,
    LETTER_ONLY,
    WITH_REASONS,
    Prompt,
    Words,
    rendered,
)
from lmms_eval_tasks.subtlebench.repository import read_reference
from pairbench_ext.core.image_slots import without_image_slots
from pairbench_ext.replies import letter
from pairbench_ext.upstream.common import decoded, for_every, gathered

REPOSITORY = "KRAFTON/VLM-SubtleBench"
SEED = 0
HOW_TO_ANSWER = {"standard": LETTER_ONLY, "reasoning": WITH_REASONS}
METRICS = ("accuracy", *(f"accuracy_{name}" for name in TYPES), "coverage", "random_guess")


def process_docs(dataset: Dataset) -> Dataset:
    """Every question with its name, by which the order of its options is drawn."""
    return dataset.add_column("item", own_names([_name(doc) for doc in dataset]))


def _name(doc: dict[str, Any]) -> str:
    own = doc.get("source_id")
    if own is None:
        own = read_reference(doc[IMAGES[0]], IMAGES[0]).path
    return item_name(doc["category"].lower(), doc["source"], doc.get("raw_folder"), own)


def _shown(doc: dict[str, Any]) -> tuple[list[str], int]:
    """The options as they are shown, and where the right one stands among them."""
    options = (doc["answer"], *doc["distractors"])
    positions = shuffled(doc["item"], len(options), SEED, ORDERS[0])
    return [options[position] for position in positions], positions.index(0)


def doc_to_visual(doc: dict[str, Any]) -> list[Image.Image]:
    """The two images, fetched from the repository once."""
    return [_image(doc[field], field) for field in IMAGES]


def _image(text: str, field: str) -> Image.Image:
    file = read_reference(text, field)
    repository = file.repo or REPOSITORY
    path = hf_hub_download(repository, file.path, repo_type="dataset", revision=file.revision)
    return decoded({"bytes": None, "path": path})


def _prompt(doc: dict[str, Any], kwargs: dict[str, Any] | None) -> Prompt:
    answer = HOW_TO_ANSWER[(kwargs or {}).get("prompt", "standard")]
    prompt = rendered(Words(), (DIRECTION, answer), doc["question"], _shown(doc)[0])
    return Prompt(prompt.system, without_image_slots(prompt.user))


def doc_to_text(
    doc: dict[str, Any], lmms_eval_specific_kwargs: dict[str, Any] | None = None
) -> str:
    """System and user prompt as one."""
    return "\n\n".join(_prompt(doc, lmms_eval_specific_kwargs))


def doc_to_messages(
    doc: dict[str, Any], lmms_eval_specific_kwargs: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """The system prompt; then both images and the user prompt."""
    prompt = _prompt(doc, lmms_eval_specific_kwargs)
    content: list[dict[str, Any]] = [
        {"type": "image", "url": image} for image in doc_to_visual(doc)
    ]
    return [
        {"role": "system", "content": [{"type": "text", "text": prompt.system}]},
        {"role": "user", "content": [*content, {"type": "text", "text": prompt.user}]},
    ]


def doc_to_target(doc: dict[str, Any]) -> str:
    """The letter of the right option."""
    options, truth = _shown(doc)
    return letter.letters(len(options))[truth]


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Any]:
    """The option that a reply chooses, as the authors' code reads it, for every metric."""
    options, truth = _shown(doc)
    chosen = letter.position(letter.authors_letter(results[0]).value, len(options))
    choice = Choice(
        item=doc["item"],
        pair=" | ".join(doc[field] for field in IMAGES),
        category=doc["category"].lower(),
        domain=domain_name(doc["domain"]),
        source=doc["source"],
        n_options=len(options),
        truth=truth,
        chosen=by_text(chosen, options, truth),
    )
    return for_every(METRICS, choice)


def _of_answers(
    answers: Sequence[Mapping[str, Any]], measure: Callable[[ChoiceTable], float]
) -> float:
    return measure(ChoiceTable(gathered(Choice, answers)))


def _of_type(answers: Sequence[Mapping[str, Any]], name: str) -> float:
    of = [one for one in answers if one["category"] == name]
    return _of_answers(of, choice_accuracy.accuracy)


aggregate_accuracy = partial(_of_answers, measure=choice_accuracy.accuracy)
aggregate_accuracy_attribute = partial(_of_type, name="attribute")
aggregate_accuracy_state = partial(_of_type, name="state")
aggregate_accuracy_emotion = partial(_of_type, name="emotion")
aggregate_accuracy_temporal = partial(_of_type, name="temporal")
aggregate_accuracy_spatial = partial(_of_type, name="spatial")
aggregate_accuracy_existence = partial(_of_type, name="existence")
aggregate_accuracy_quantity = partial(_of_type, name="quantity")
aggregate_accuracy_quality = partial(_of_type, name="quality")
aggregate_accuracy_viewpoint = partial(_of_type, name="viewpoint")
aggregate_accuracy_action = partial(_of_type, name="action")
aggregate_coverage = partial(_of_answers, measure=choice_accuracy.coverage)
aggregate_random_guess = partial(_of_answers, measure=choice_accuracy.random_guess)
