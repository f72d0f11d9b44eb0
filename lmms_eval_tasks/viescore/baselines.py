"""Automatic metrics of synthetic images, as baselines for a judge (Section 3.3, Tables 8-11).

CLIP-Score   cosine similarity of the CLIP embeddings of image and prompt
CLIP-I       of the CLIP embeddings of the image and what it was made from
DINO         of their embeddings by a vision encoder (the paper: DINO ViT-S/16)
LPIPS        perceptual distance to what it was made from (needs `torchmetrics`)

Embeddings are compared with the last image that the image was made from (the subject or concepts,
averaged over several), LPIPS is to the first (the input); `reference` names another folder, such as
the museum's GroundTruth. What the authors compared with is not published.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from lmms_eval_tasks.viescore.museum import Image, Museum
from lmms_eval_tasks.viescore.museum_files import listing, opened, stem
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outputs import OutputError
from pairbench_ext.core.sources import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch
    from PIL.Image import Image as Picture

Metric: TypeAlias = Literal["clip-score", "clip-i", "dino", "lpips"]
Net: TypeAlias = Literal["alex", "vgg", "squeeze"]

# As the metrics are called in recorded answers.
RECORDED: Mapping[Metric, str] = {
    "clip-score": "CLIP_Score",
    "clip-i": "CLIP_I",
    "dino": "DINO",
    "lpips": "LPIPS",
}
WEIGHTS: Mapping[Metric, str | None] = {
    "clip-score": "openai/clip-vit-base-patch32",
    "clip-i": "openai/clip-vit-base-patch32",
    "dino": "facebook/dino-vits16",
    "lpips": None,  # torch's own cache
}


@dataclass(frozen=True)
class Baseline:
    """A metric, and where it gets what it needs.

    Attributes:
        metric: which.
        weights: name on the hub or local folder of a checkpoint; for LPIPS a folder in which torch
            finds `checkpoints/alexnet-....pth`. None for the usual one.
        reference: folder of the museum's task with the images to compare with; None as the module
            says.
        net: backbone of LPIPS.
        device: torch device; None takes a GPU where there is one.
    """

    metric: Metric
    weights: str | None = None
    reference: str | None = None
    net: Net = "alex"
    device: str | None = None


def measure(museum: Museum, baseline: Baseline) -> dict[str, dict[str, float]]:
    """The metric of every image, by image model and uid.

    Raises:
        SourceError: if a task has nothing to compare with, or the reference is not there.
        ValueError: if the weights cannot be loaded, or a package is not installed.
    """
    if baseline.metric == "clip-score":
        values = _clip_scores(museum, baseline)
    else:
        references = _references(museum, baseline)
        compute = _distances if baseline.metric == "lpips" else _cosines
        values = compute(museum.images, references, baseline)
    found: dict[str, dict[str, float]] = {}
    for image, value in zip(museum.images, values, strict=True):
        found.setdefault(image.image_model, {})[image.sample] = value
    return found


def write_answers(
    folder: Path,
    task_folder: str,
    metric: Metric,
    values: Mapping[str, Mapping[str, float]],
    *,
    overwrite: bool = False,
) -> list[Path]:
    """Write a metric as `viescore correlate --metric` reads it; other metrics there stay.

    Args:
        folder: a folder of metrics, made if needed.
        task_folder: the task's folder in it.
        metric: which.
        values: by image model and uid.
        overwrite: whether other values of the same metric may be replaced.

    Raises:
        ValueError: if a file that is there is not one of metrics.
        OutputError: if it has other values of this metric. Nothing is then written.
    """
    name = RECORDED[metric]
    texts = {}
    for image_model, by_sample in values.items():
        path = folder / task_folder / f"{image_model}.json"
        entries = _existing(path)
        for sample, value in by_sample.items():
            entry = entries.setdefault(sample, {})
            if entry.get(name, value) != value and not overwrite:
                raise OutputError(
                    f"{path} has another {name} of {sample!r} already: name another folder, or "
                    "give --overwrite"
                )
            entry[name] = value
        texts[path] = json.dumps(entries, indent=1)
    for path, text in texts.items():
        write_atomically(path, text)
    return list(texts)


def _existing(path: Path) -> dict[str, dict[str, float]]:
    try:
        read = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except ValueError as error:
        raise ValueError(f"{path} is there already and is not JSON ({error})") from error
    # A judge's answers are mappings by uid, too, and are not to be mixed with metrics.
    if not isinstance(read, dict) or not all(_is_metrics(one) for one in read.values()):
        raise ValueError(f"{path} is there already and holds no metrics by uid")
    return read


def _is_metrics(entry: Any) -> bool:
    return isinstance(entry, dict) and all(type(one) in (int, float) for one in entry.values())


def _references(museum: Museum, baseline: Baseline) -> list[tuple[Path, ...]]:
    """The files that each image is compared with."""
    if baseline.reference is not None:
        folder = museum.folder / baseline.reference
        files = listing(folder) if folder.is_dir() else {}
        missing = [i.sample for i in museum.images if stem(i.sample) not in files]
        if missing:
            raise SourceError(
                f"{folder} has no image for {len(set(missing))} uids, {missing[0]!r} first"
            )
        return [(files[stem(image.sample)],) for image in museum.images]
    if not museum.task.conditions:
        raise SourceError(
            f"{museum.task.name}: made from text alone; {baseline.metric} needs an image to "
            "compare with (a folder of the museum as reference)"
        )
    place = 0 if baseline.metric == "lpips" else -1
    return [image.conditions[place] for image in museum.images]


def _weights(baseline: Baseline) -> str:
    return str(baseline.weights or WEIGHTS[baseline.metric])


def _cosines(
    images: Sequence[Image], references: Sequence[tuple[Path, ...]], baseline: Baseline
) -> list[float]:
    """Mean cosine of each image with its references."""
    from pairbench_ext.judges.encoders.base import load_encoder

    encoder = load_encoder(_weights(baseline), baseline.device)
    files = dict.fromkeys([*(i.file for i in images), *(f for fs in references for f in fs)])
    rows = {file: encoder.embed([opened(file)])[0].astype(np.float64) for file in files}
    return [
        float(np.mean([rows[image.file] @ rows[file] for file in own]))
        for image, own in zip(images, references, strict=True)
    ]


def _clip_scores(museum: Museum, baseline: Baseline) -> list[float]:
    import torch

    name = _weights(baseline)
    device = torch.device(baseline.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    model, processor = _load_clip(name)
    model = model.eval().to(device)
    longest = model.config.text_config.max_position_embeddings
    scores = []
    with torch.inference_mode():
        for image in museum.images:
            inputs = processor(
                text=[image.text.strip()],
                images=[opened(image.file)],
                return_tensors="pt",
                truncation=True,
                max_length=longest,
            ).to(device)
            output = model(**inputs)
            cosine = torch.nn.functional.cosine_similarity(output.text_embeds, output.image_embeds)
            scores.append(float(cosine))
    return scores


def _load_clip(name: str) -> tuple[Any, Any]:
    from transformers import AutoProcessor, CLIPModel

    try:
        return CLIPModel.from_pretrained(name), AutoProcessor.from_pretrained(name)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ValueError(
            f"cannot load {name!r} as a CLIP model (give a name on the hub or a local folder): "
            f"{reason}"
        ) from error


def _distances(
    images: Sequence[Image], references: Sequence[tuple[Path, ...]], baseline: Baseline
) -> list[float]:
    """LPIPS of each image to its reference, both at the reference's size."""
    import torch

    device = torch.device(baseline.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    compute = _load_lpips(baseline, device)
    distances = []
    with torch.inference_mode():
        for image, own in zip(images, references, strict=True):
            parts = []
            for file in own:
                reference = opened(file)
                picture = opened(image.file).resize(reference.size)
                pair = [_tensor(one).to(device) for one in (picture, reference)]
                parts.append(float(compute(*pair)))
            distances.append(float(np.mean(parts)))
    return distances


def _tensor(picture: Picture) -> torch.Tensor:
    """Shape (1, 3, height, width), in [0, 1]."""
    import torch

    pixels = np.asarray(picture, dtype=np.float32) / 255
    return torch.from_numpy(pixels).permute(2, 0, 1)[None]


def _load_lpips(baseline: Baseline, device: torch.device) -> Callable[..., Any]:
    try:
        from torchmetrics.image.lpip import LearnedPerceptualImagePatchSimilarity
    except ImportError as error:
        raise ValueError(
            "LPIPS needs torchmetrics: pip install 'pairbench-ext[metrics]'"
        ) from error
    with _torch_cache(baseline.weights):
        try:
            metric = LearnedPerceptualImagePatchSimilarity(baseline.net, normalize=True)
        except OSError as error:
            raise ValueError(
                f"cannot load the {baseline.net} backbone of LPIPS ({error}); give a folder with "
                "checkpoints/<torchvision's file>.pth as weights"
            ) from error
    loaded: Callable[..., Any] = metric.eval().to(device)
    return loaded


@contextmanager
def _torch_cache(folder: str | None) -> Iterator[None]:
    """Let torch look for downloaded weights in a folder."""
    import torch

    before = torch.hub.get_dir()
    if folder is not None:
        if not (Path(folder) / "checkpoints").is_dir():
            raise ValueError(f"{folder} has no folder 'checkpoints' with torchvision's weights")
        torch.hub.set_dir(folder)
    try:
        yield
    finally:
        torch.hub.set_dir(before)
