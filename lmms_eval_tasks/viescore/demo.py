"""The demo museum: photographs edited by rule, in the layout of ImagenHub's museum.

Two tasks. Mask-guided editing: a square in the middle of a photograph is to be recoloured, painted
over or covered. Control-guided generation: a picture is to follow the edges of a photograph. Three
"image models" are the same rules with different chances of success: an edit is done, half done, or
not done (nothing changed, or another photograph), and the result is clean, spoilt or ruined by blur
or noise.

The ratings follow from what was done: SC is 1, 0.5 or 0, and so is PQ. They are constructed. No
human gave them, and their file says so: `constructed_rater1.tsv`.
"""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageOps

from lmms_eval_tasks.build.photos import SOURCES, Photo, credit_table, load_photos
from lmms_eval_tasks.viescore.museum import LOOKUP
from lmms_eval_tasks.viescore.tasks import TASKS, Name
from pairbench_ext.core.user_cache import build_once, fingerprint
from pairbench_ext.statistics.seeds import draw, generator

MAX_SIDE = 256
SEED = 5
FORMAT = 1  # raise when the files would come out differently for a reason not in `_fingerprint`
RATINGS = "constructed_rater1.tsv"
_LIBRARIES = ("numpy", "pillow", "scikit-image", "scikit-learn", "scipy")

# By image model, what is drawn from: how far the edit is done (1, half or not), and the quality.
IMAGE_MODELS: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "careful": ((1, 1, 1, 1, 0.5, 0), (1, 1, 1, 0.5, 0)),
    "hasty": ((1, 1, 0.5, 0.5, 0, 0), (1, 1, 0.5, 0.5, 0)),
    "careless": ((1, 0.5, 0.5, 0, 0, 0), (1, 0.5, 0.5, 0, 0)),
}

Box = tuple[int, int, int, int]


class _Sample(NamedTuple):
    """A sample of the demo: the pictures and the text that its images are made from."""

    uid: str
    prompt: str
    shown: Image.Image
    photo: Image.Image
    other: Image.Image
    edit: Callable[[Image.Image], Image.Image] | None


def demo_museum() -> Path:
    """Return the demo museum's folder; built if needed.

    The folder's name has a fingerprint of all that determines its content, so new library versions
    build a new one. Safe to call from several processes at once: one builds, the others wait.

    Raises:
        OSError: if the cache cannot be written; the message names it and `PAIRBENCH_CACHE`.
        MissingPackageError: if a photograph is not installed.
    """
    digest = fingerprint(FORMAT, MAX_SIDE, SEED, SOURCES, IMAGE_MODELS, libraries=_LIBRARIES)
    return build_once("museum", digest, _build)


def _build(folder: Path) -> None:
    photos = load_photos(MAX_SIDE)
    others = [*photos[len(photos) // 2 :], *photos[: len(photos) // 2]]
    pairs = list(zip(photos, others, strict=True))
    editing = [_editing_sample(p, o, number) for number, (p, o) in enumerate(pairs)]
    _write_task(folder, "mie", editing)
    _write_task(folder, "cig", [_control_sample(photo, other) for photo, other in pairs])
    text = f"# VIEScore demo\n\n{__doc__}\n\n{credit_table(SOURCES)}"
    (folder / "README.md").write_text(text, encoding="utf-8")


def _editing_sample(photo: Photo, other: Photo, number: int) -> _Sample:
    instruction, edit = _EDITS[number % len(_EDITS)]
    image = photo.image
    return _Sample(f"sample_{photo.name}.jpg", instruction, image, image, other.image, edit)


def _control_sample(photo: Photo, other: Photo) -> _Sample:
    title = f"{photo.source.title}, in other colours"
    guide = edges(photo.image)
    return _Sample(f"sample_{photo.name}.jpg", title, guide, photo.image, other.image, None)


def _write_task(root: Path, name: Name, samples: Sequence[_Sample]) -> None:
    task = TASKS[name]
    folder = root / task.folder
    cells: dict[str, dict[str, str]] = {sample.uid: {} for sample in samples}
    for sample in samples:
        _save(sample.shown, folder / "input" / sample.uid)
        for model, (successes, qualities) in IMAGE_MODELS.items():
            key = (name, model, sample.uid)
            success = successes[draw(len(successes), SEED, "success", *key)]
            quality = qualities[draw(len(qualities), SEED, "quality", *key)]
            image = _edited(sample, success, key) if sample.edit else _guided(sample, success)
            _save(spoilt(image, quality, key), folder / model / sample.uid)
            cells[sample.uid][model] = json.dumps([success, quality])
    prompts = {sample.uid: {task.fields[0]: sample.prompt} for sample in samples}
    (folder / LOOKUP).write_text(json.dumps(prompts, indent=1), encoding="utf-8")
    with (folder / RATINGS).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["uid", *IMAGE_MODELS])
        writer.writerows([uid, *cells[uid].values()] for uid in cells)


def _save(image: Image.Image, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, quality=92)


def _edited(sample: _Sample, success: float, key: Sequence[str]) -> Image.Image:
    """Return a photograph with its edit: done, done in the square's left half, or not done."""
    assert sample.edit is not None
    if success == 0:
        is_unchanged = draw(2, SEED, "failure", *key) == 0
        return sample.photo if is_unchanged else ImageOps.fit(sample.other, sample.photo.size)
    left, top, right, bottom = square(sample.photo)
    right = right if success == 1 else (left + right) // 2
    image = sample.photo.copy()
    image.paste(sample.edit(image.crop((left, top, right, bottom))), (left, top))
    return image


def _guided(sample: _Sample, success: float) -> Image.Image:
    """Return a picture with the guide's edges, with their middle enlarged, or with other edges."""
    image = sample.photo if success else sample.other
    if success == 0.5:
        image = ImageOps.fit(image.crop(square(image, 0.85)), sample.photo.size)
    light, blue, red = ImageOps.fit(image, sample.photo.size).convert("YCbCr").split()
    return Image.merge("YCbCr", (light, red, blue)).convert("RGB")


def square(image: Image.Image, share: float = 0.5) -> Box:
    """Return the middle part of an image, with `share` of its width and height."""
    width, height = image.size
    margin = ((1 - share) / 2 * width, (1 - share) / 2 * height)
    return (round(margin[0]), round(margin[1]), round(width - margin[0]), round(height - margin[1]))


def edges(image: Image.Image) -> Image.Image:
    """Return Canny edges, white on black."""
    from skimage.feature import canny

    lines = canny(np.asarray(image.convert("L"), dtype=np.float64) / 255, sigma=1.5)
    return Image.fromarray((lines * 255).astype(np.uint8)).convert("RGB")


def spoilt(image: Image.Image, quality: float, key: Sequence[str]) -> Image.Image:
    """Return an image with blur or noise: the lower its quality, the more."""
    if quality == 1:
        return image
    if draw(2, SEED, "spoilt", *key):
        return image.filter(ImageFilter.GaussianBlur(5 * (1 - quality)))
    noise = generator(SEED, "noise", *key).normal(0, 16 * (1 - quality), (*image.size[::-1], 1))
    pixels = np.asarray(image, dtype=np.float64) + noise
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def _recolour(part: Image.Image) -> Image.Image:
    return Image.blend(part, Image.new("RGB", part.size, (30, 70, 220)), 0.6)


def _paint_over(part: Image.Image) -> Image.Image:
    """Return the image with each row blended from the colour of its left end to the right end's."""
    pixels = np.asarray(part, dtype=np.float64)
    ends = pixels[:, :1], pixels[:, -1:]
    share = np.linspace(0, 1, part.width)[None, :, None]
    filled = ends[0] * (1 - share) + ends[1] * share
    return Image.fromarray(filled.astype(np.uint8)).filter(ImageFilter.GaussianBlur(2))


def _cover(part: Image.Image) -> Image.Image:
    image = part.copy()
    ImageDraw.Draw(image).ellipse((0, 0, *(side - 1 for side in part.size)), fill=(235, 120, 30))
    return image


_EDITS: tuple[tuple[str, Callable[[Image.Image], Image.Image]], ...] = (
    ("Make the middle of the picture blue.", _recolour),
    ("Remove what is in the middle of the picture.", _paint_over),
    ("Put an orange ball into the middle of the picture.", _cover),
)
