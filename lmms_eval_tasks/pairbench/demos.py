"""Data sets that tasks need no download for, built on first use and kept in the user's cache.

The folder's name has a fingerprint of all that determines its content, so new library versions
build a new one. Several processes may ask at once: one builds, the others wait. The folder appears
complete or not at all.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from lmms_eval_tasks.build import balanced
from lmms_eval_tasks.build.images import FORMAT, Settings, build_images, write_splits
from lmms_eval_tasks.build.photos import SOURCES, locate
from lmms_eval_tasks.build.pictures import Source, Usable, look, select
from lmms_eval_tasks.build.repository import split_file, write_card
from lmms_eval_tasks.build.spatial import View, Views, build_spatial, write_name
from lmms_eval_tasks.pairbench.prompts import balanced_prompts, spatial_prompts
from pairbench_ext.core.user_cache import build_once, fingerprint
from pairbench_ext.synthetic.objects.render import render
from pairbench_ext.synthetic.objects.scenes import ObjectScene, object_sets
from pairbench_ext.synthetic.transforms import TRANSFORMS
from pairbench_ext.synthetic.wording import SUBSETS

# What the pixels and the files depend on.
LIBRARIES = ("numpy", "pillow", "scipy")
CONFIG = "demo"
SEED = 0
SIZE = (320, 240)  # of all pictures: a judge that looks only at sizes stays at chance
ABOUT = """\
Rendered scenes in the manner of WhatsUp (Kamath et al. 2023): drawings of two objects in the four
relations of each subset, by this package. Subset a: a small object on, under, to the left or to the
right of a piece of furniture. Subset b: two small objects on a table top, one to the left of, to
the right of, in front of or behind the other. What a relation means follows from the geometry, so
no label is wrong; what drawings say about photographs is another question."""


def demo_photographs() -> Path:
    """Return a folder with pairs of the embedded photographs, in the hub's layout.

    One config, `demo`, with a split per transformation and a row per photograph (Appendix D.1).

    Raises:
        OSError: if the cache cannot be written; the message names it and `PAIRBENCH_CACHE`.
        MissingPackageError: if a photograph is not installed.
    """
    settings = Settings(CONFIG, TRANSFORMS, SEED, SIZE, lossless=True)

    def build(folder: Path) -> None:
        photos = [Source(photo.name, locate(photo)) for photo in SOURCES]
        seen = [look(photo, SIZE) for photo in photos]
        write_splits(folder, [photo for photo in seen if isinstance(photo, Usable)], settings)
        text = (
            "Pairs of photographs that scikit-image and scikit-learn install, cropped and resized "
            f"to {SIZE[0]} x {SIZE[1]} pixels, in the layout of PairBench. All but the originals "
            "are changed by us; the parameters are in the column `params`."
        )
        files = {CONFIG: {split: split_file(CONFIG, split) for split in TRANSFORMS}}
        write_card(folder, "PairBench demo", text, files, SOURCES)

    libraries = (*LIBRARIES, "scikit-image", "scikit-learn")
    return build_once(CONFIG, fingerprint(FORMAT, settings, SOURCES, libraries=libraries), build)


def demo_balanced() -> Path:
    """Return a folder with balanced pairs of the embedded photographs (`build.balanced`).

    One config, `demo_balanced`, with a split per transformation. Photographs with black corners of
    their own are left out.

    Raises:
        OSError: if the cache cannot be written; the message names it and `PAIRBENCH_CACHE`.
        MissingPackageError: if a photograph is not installed.
    """
    settings = Settings(
        f"{CONFIG}{balanced.SUFFIX}", TRANSFORMS, SEED, SIZE, lossless=True, balanced=True
    )

    def build(folder: Path) -> None:
        photos = [Source(photo.name, locate(photo)) for photo in SOURCES]
        selection = balanced.without_traces(select(photos, size=SIZE), SIZE, list(TRANSFORMS))
        build_images(selection, folder, settings, balanced_prompts(settings.name, TRANSFORMS))

    libraries = (*LIBRARIES, "scikit-image", "scikit-learn")
    made_of = (FORMAT, settings, SOURCES, *balanced_prompts(settings.name, TRANSFORMS))
    return build_once(settings.name, fingerprint(*made_of, libraries=libraries), build)


def demo_scenes(sets: int = 4, seed: int = 0, transforms: Sequence[str] = ("rotate",)) -> Path:
    """Return a folder with rendered scenes of two objects, in the hub's layout.

    Both configs and subsets, the position changed alone and together with transformations.

    Args:
        sets: sets of two objects in each subset, 2 or more; a set has four views.
        seed: of all that is drawn.
        transforms: names of the transformations.

    Raises:
        ValueError: for a number of sets out of range.
        OSError: if the cache cannot be written; the message names it and `PAIRBENCH_CACHE`.
    """
    chosen = {name: TRANSFORMS[name] for name in transforms}
    settings = Settings("rendered scenes", chosen, seed, SIZE, licence="mit")

    def build(folder: Path) -> None:
        with tempfile.TemporaryDirectory() as drawn:
            subsets = {name: _views(name, sets, Path(drawn), seed) for name in SUBSETS}
            build_spatial(subsets, folder, settings, spatial_prompts(), ABOUT)

    made_of = (FORMAT, sets, settings, *spatial_prompts())
    return build_once("scenes", fingerprint(*made_of, libraries=LIBRARIES), build)


def _views(subset: str, sets: int, folder: Path, seed: int) -> Views:
    """Draw the scenes of a subset into a folder and return what they show."""
    views: dict[str, View] = {}
    for scene in (scene for scenes in object_sets(subset, sets, seed) for scene in scenes):
        view = view_of(scene)
        views[view.name] = view
        render(scene, SIZE[0]).save(folder / f"{view.name}.png")
    selection = select([Source(name, folder / f"{name}.png") for name in views], seed=seed)
    return Views([views[picture.name] for picture in selection.used], selection)


def view_of(scene: ObjectScene) -> View:
    """Return what a scene shows, in WhatsUp's words."""
    first, second = scene.objects
    name = write_name(first, scene.relation, second)
    name = f"{name}_{scene.variant + 1}" if scene.variant else name
    return View(name, scene.objects, scene.relation, scene.captions, scene.variant)
