"""Automatic metrics of synthetic images, as baselines for a judge (Section 3.3, Tables 8-11).

CLIP-Score   cosine similarity of the CLIP embeddings of image and prompt
CLIP-I       of the CLIP embeddings of the image and what it was made from
DINO         of their embeddings by a vision encoder (the paper: DINO ViT-S/16)
LPIPS        perceptual distance to what it was made from (needs `torchmetrics`)

Embeddings are compared with the last image that the image was made from (the subject or concepts,
averaged over several), LPIPS is to the first (the input). The images that the authors compared with
are not published.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import numpy as np
import typer
from PIL.Image import Image as Picture

from lmms_eval_tasks.viescore.museum import Image, read_museum
from lmms_eval_tasks.viescore.tasks import TASKS, find_task
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.media import read_image
from pairbench_ext.core.outputs import check_folder
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.show.cli.console import console, fail_on

Metric: TypeAlias = Literal["clip-score", "clip-i", "dino", "lpips"]

# The names of the metrics in recorded answers.
RECORDED: Mapping[Metric, str] = {
    "clip-score": "CLIP_Score",
    "clip-i": "CLIP_I",
    "dino": "DINO",
    "lpips": "LPIPS",
}
_CLIP, _DINO = "openai/clip-vit-base-patch32", "facebook/dino-vits16"


def baseline(
    museum: Annotated[Path, typer.Option(help="The museum: VIESCORE_DATA.")],
    metric: Annotated[Metric, typer.Option(help="The metric to compute.")],
    out: Annotated[Path, typer.Option(help="Folder for <task>/<image model>.json.")],
    task: Annotated[list[str], typer.Option(help=f"{', '.join(TASKS)}; may be repeated.")],
    weights: Annotated[
        str | None,
        typer.Option(help="Checkpoint: a name on the hub or a folder; the usual one by default."),
    ] = None,
) -> None:
    """Measure images with CLIP-Score, CLIP-I, DINO or LPIPS, as baselines for a judge.

    Then: pairbench people viescore --answers OUT --human MUSEUM --metric CLIP_I
    """
    name = RECORDED[metric]
    with fail_on(SourceError, RecordError, ValueError, OSError):
        check_folder(out, (museum,))
        for kind in map(find_task, task):
            images = read_museum(museum, kind)
            values = measure(images.images, metric, weights)
            by_model: dict[str, dict[str, float]] = {}
            for image, value in zip(images.images, values, strict=True):
                by_model.setdefault(image.image_model, {})[image.sample] = value
            for model, measured in by_model.items():
                file = out / images.folder.name / f"{model}.json"
                _add(file, name, measured)
                console.print(f"{name}: {file}")


def measure(images: Sequence[Image], metric: Metric, weights: str | None = None) -> list[float]:
    """Return the metric of each image.

    Args:
        images: of one task.
        metric: which.
        weights: name on the hub or local folder of a checkpoint; the usual one by default.

    Raises:
        SourceError: if a metric that compares images is asked for images made from text alone.
        ValueError: if the weights cannot be loaded, or a package is not installed.
    """
    if metric == "clip-score":
        return _clip_scores(images, weights or _CLIP)
    if not all(image.conditions for image in images):
        raise SourceError(f"{metric} compares images, but these are made from text alone")
    if metric == "lpips":
        return _distances(images)
    return _cosines(images, weights or (_DINO if metric == "dino" else _CLIP))


def _add(file: Path, name: str, values: Mapping[str, float]) -> None:
    """Write a metric beside those that the file has."""
    entries = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for sample, value in values.items():
        entries.setdefault(sample, {})[name] = value
    write_atomically(file, json.dumps(entries, indent=1))


def _opened(file: Path) -> Picture:
    return read_image(file, str(file))


def _cosines(images: Sequence[Image], weights: str) -> list[float]:
    """Mean cosine of each image with what it was made from."""
    from pairbench_ext.judges.encoders.load import load_encoder

    encoder = load_encoder(weights)
    files = dict.fromkeys(file for image in images for file in image.files)
    rows = {file: encoder.embed([_opened(file)])[0].astype(np.float64) for file in files}
    return [
        float(np.mean([rows[image.file] @ rows[file] for file in image.conditions[-1]]))
        for image in images
    ]


def _clip_scores(images: Sequence[Image], weights: str) -> list[float]:
    import torch
    from transformers import AutoProcessor, CLIPModel

    device = _device()
    try:
        processor = AutoProcessor.from_pretrained(weights)
        model = CLIPModel.from_pretrained(weights).eval().to(device)
    except OSError as error:
        raise ValueError(f"cannot load {weights!r} as a CLIP model: {error}") from error
    longest = model.config.text_config.max_position_embeddings
    scores = []
    with torch.inference_mode():
        for image in images:
            inputs = processor(
                text=[image.text.strip()],
                images=[_opened(image.file)],
                return_tensors="pt",
                truncation=True,
                max_length=longest,
            )
            output = model(**inputs.to(device))
            cosine = torch.nn.functional.cosine_similarity(output.text_embeds, output.image_embeds)
            scores.append(float(cosine))
    return scores


def _distances(images: Sequence[Image]) -> list[float]:
    """LPIPS of each image to its input, both at the input's size."""
    import torch

    try:
        from torchmetrics.image.lpip import LearnedPerceptualImagePatchSimilarity
    except ImportError as error:
        raise ValueError("LPIPS needs: pip install 'pairbench-ext[metrics]'") from error
    device = _device()
    compute = LearnedPerceptualImagePatchSimilarity("alex", normalize=True).eval().to(device)

    def distance(file: Path, reference: Picture) -> float:
        pair = (_opened(file).resize(reference.size), reference)
        arrays = [
            np.asarray(picture, dtype=np.float32).transpose(2, 0, 1) / 255 for picture in pair
        ]
        return float(compute(*(torch.from_numpy(array)[None].to(device) for array in arrays)))

    with torch.inference_mode():
        return [
            float(np.mean([distance(image.file, _opened(file)) for file in image.conditions[0]]))
            for image in images
        ]


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
