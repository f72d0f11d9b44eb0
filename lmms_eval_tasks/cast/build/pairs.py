"""CAST's pairs of scenes, in the layout of a data set repository on the hub.

Paper: CAST, Section 4.1 and Appendix E; the authors' code draws as many pairs from each of four
bins of similarity (`generate_dataset.ipynb`). One file, `cast/test-00000-of-00001.parquet`, a row
per pair, with the columns

    pair                        name of the pair: both ids, or the authors' number
    id_1, id_2                  ids of the scenes
    image_1, image_2            their images
    description_1, description_2  their descriptions
    similarity                  cosine of the images' embeddings, null if not measured
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lmms_eval_tasks.build.common.hub_layout import card, shard_name, write_parquet
from lmms_eval_tasks.build.common.repository import build_repository
from lmms_eval_tasks.cast.build.scenes import Scene, open_image
from lmms_eval_tasks.cast.build.similar import BINS, HIGH, LOW, draw_stratified
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.sources import SourceError

if TYPE_CHECKING:
    import datasets
    from numpy.typing import NDArray

    from lmms_eval_tasks.build.common.photos import Source
    from pairbench_ext.judges.encoders.base import Encoder

CONFIG, SPLIT = "cast", "test"
N_PAIRS = 100
MIN_DESCRIPTION = 500  # characters
_CHUNK = 32  # images decoded at a time


class ScenePair(NamedTuple):
    """Two scenes.

    Attributes:
        first, second: in the order in which they are shown.
        similarity: the cosine of their images' embeddings, None if not measured.
        called: the pair's own name, if it has one.
    """

    first: Scene
    second: Scene
    similarity: float | None = None
    called: str = ""

    @property
    def name(self) -> str:
        """Its own name, else both ids."""
        return self.called or f"{self.first.id} + {self.second.id}"


def build_cast(
    scenes: Sequence[Scene],
    out: Path,
    encoder: Encoder,
    *,
    n_pairs: int = N_PAIRS,
    low: float = LOW,
    high: float = HIGH,
    bins: int = BINS,
    min_description: int = MIN_DESCRIPTION,
    seed: int = 0,
    max_side: int | None = None,
    progress: bool = False,
) -> Path:
    """Draw CAST's pairs among scenes and write them; the defaults are the authors'.

    Args:
        scenes: images and descriptions, as `read_scenes` gives them.
        out: the repository's folder: new, empty, or one that the same arguments have made.
        encoder: what measures the similarity of images; the paper's is CLIP.
        n_pairs: how many pairs.
        low: the least cosine similarity.
        high: the cosine similarity that is too much.
        bins: equal parts of that range, from each of which as many pairs are drawn.
        min_description: characters that a description must have.
        seed: of the draw.
        max_side: pixels of the longer side that larger images are reduced to; None keeps the files.
        progress: show a progress bar on standard error once it takes more than two seconds.

    Returns:
        The parquet file; it appears complete or not at all.

    Raises:
        SourceError: if an image cannot be read, or there are too few long descriptions or pairs.
        BuildError: if the folder was made with other arguments.
        OutputError: if the folder holds something else.
    """
    if not low < high:  # said at once: to embed all images takes long
        raise SourceError(
            f"no similarity is in [{low}, {high}): the lower end must be below the upper one"
        )
    ample = [scene for scene in scenes if len(scene.description.strip()) >= min_description]
    if len(ample) < 2:
        raise SourceError(
            f"{len(ample)} of {len(scenes)} descriptions have {min_description} characters or "
            "more; pairs need two: lower the limit or add scenes"
        )
    text = (
        f"{n_pairs} pairs of {len(ample)} scenes whose description has {min_description} "
        f"characters or more, drawn with seed {seed} among those with a cosine similarity in "
        f"[{low}, {high}), in {bins} bins of equal width, by {encoder.name}. Images and "
        "descriptions keep their licence."
    )

    def pairs() -> list[ScenePair]:
        embeddings = _embed(ample, encoder, progress)
        names = [scene.id for scene in ample]
        span = {"low": low, "high": high}
        drawn = draw_stratified(embeddings, names, n_pairs, **span, bins=bins, seed=seed)
        return [ScenePair(ample[one.first], ample[one.second], one.similarity) for one in drawn]

    return build_pairs(out, pairs, ample, text, max_side)


def build_pairs(
    out: Path,
    pairs: Callable[[], Sequence[ScenePair]],
    scenes: Sequence[Scene],
    text: str,
    max_side: int | None = None,
) -> Path:
    """Build a repository of pairs, unless it is there already.

    Args:
        out: the repository's folder.
        pairs: finds the pairs.
        scenes: all that they may be of.
        text: of the card: how they were found, with all options that matter.
        max_side: as in `write_scene_pairs`.

    Returns:
        The parquet file.

    Raises:
        SourceError: if an image cannot be read.
        BuildError: if the folder was made with other arguments.
        OutputError: if the folder holds something else.
    """

    def build(_: Path) -> None:
        write_scene_pairs(pairs(), out, max_side=max_side)
        write_card(out, "CAST pairs", text)

    recipe = {
        "command": "build cast",
        "card": text,
        "max_side": max_side,
        "scenes": _digest(scenes),
    }
    build_repository(out, recipe, build)
    return out / CONFIG / shard_name(SPLIT)


def _digest(scenes: Sequence[Scene]) -> str:
    """Of what the files of a repository depend on."""
    digest = hashlib.blake2b(digest_size=16)
    for scene in sorted(scenes):
        digest.update(repr((scene.id, scene.description)).encode())
        try:
            digest.update(scene.image.read_bytes())
        except OSError as error:
            raise SourceError(f"{scene.image}: cannot be read ({error.strerror})") from error
    return digest.hexdigest()


def write_scene_pairs(
    pairs: Sequence[ScenePair], out: Path, *, max_side: int | None = None
) -> Path:
    """Write pairs as the module's text says.

    Args:
        pairs: the pairs, one per row.
        out: the repository's folder, made if needed.
        max_side: pixels of the longer side that larger images are reduced to (as PNG); None keeps
            the files as they are.

    Returns:
        The parquet file; it appears complete or not at all.

    Raises:
        SourceError: if an image cannot be read.
    """
    path = out / CONFIG / shard_name(SPLIT)
    write_parquet(pairs_table(pairs, lambda scene: _stored(scene, max_side)), path)
    return path


def pairs_table(
    pairs: Sequence[ScenePair], stored: Callable[[Scene], dict[str, Any]] | None = None
) -> datasets.Dataset:
    """Pairs as a table with the columns of the module's text.

    Args:
        pairs: the pairs, one per row.
        stored: what the table holds of a scene's image; without it, where its file is.
    """
    import datasets

    kept = stored or (lambda scene: {"bytes": None, "path": str(scene.image)})
    columns: dict[str, list[Any]] = {"pair": [pair.name for pair in pairs]}
    for number, scenes in enumerate(([p.first for p in pairs], [p.second for p in pairs]), start=1):
        columns[f"id_{number}"] = [scene.id for scene in scenes]
        columns[f"image_{number}"] = [kept(scene) for scene in scenes]
        columns[f"description_{number}"] = [scene.description.strip() for scene in scenes]
    columns["similarity"] = [pair.similarity for pair in pairs]
    types = {name: datasets.Value("string") for name in columns} | {
        "image_1": datasets.Image(),
        "image_2": datasets.Image(),
        "similarity": datasets.Value("float32"),
    }
    return datasets.Dataset.from_dict(columns, features=datasets.Features(types))


def write_card(out: Path, title: str, text: str, sources: Sequence[Source] = ()) -> None:
    """Write the README of a repository of pairs, as `card`; `sources` credits photographs."""
    page = card(title, text, CONFIG, {SPLIT: f"{CONFIG}/{shard_name(SPLIT)}"}, sources)
    write_atomically(out / "README.md", page)


def _embed(scenes: Sequence[Scene], encoder: Encoder, progress: bool) -> NDArray[np.float32]:
    """Embeddings of the scenes' images, a few decoded at a time."""
    from tqdm import tqdm

    starts = range(0, len(scenes), _CHUNK)
    bar = tqdm(starts, "Embedding", unit="batch", delay=2, disable=not progress)
    return np.concatenate(
        [encoder.embed([open_image(s) for s in scenes[start : start + _CHUNK]]) for start in bar]
    )


def _stored(scene: Scene, max_side: int | None) -> dict[str, Any]:
    image = open_image(scene)
    if max_side is None:
        return {"bytes": scene.image.read_bytes(), "path": None}
    image.thumbnail((max_side, max_side))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return {"bytes": buffer.getvalue(), "path": None}
