"""Views of two objects that are rendered, for tasks that need no download."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from lmms_eval_tasks.build.repository import LIBRARIES
from lmms_eval_tasks.pairbench.build.images import FORMAT, Settings
from lmms_eval_tasks.pairbench.build.layout import Prompts
from lmms_eval_tasks.pairbench.build.pictures import Source, select
from lmms_eval_tasks.pairbench.build.spatial import View, Views, build_spatial, write_name
from pairbench_ext.core.user_cache import build_once, fingerprint
from pairbench_ext.synthetic.objects.render import render
from pairbench_ext.synthetic.objects.scenes import ObjectScene, object_sets
from pairbench_ext.synthetic.transforms import TRANSFORMS
from pairbench_ext.synthetic.wording import SUBSETS

ABOUT = """\
Rendered scenes in the manner of WhatsUp (Kamath et al. 2023): drawings of two objects in the four
relations of each subset, by this package. Subset a: a small object on, under, to the left or to the
right of a piece of furniture. Subset b: two small objects on a table top, one to the left of, to
the right of, in front of or behind the other. What a relation means follows from the geometry, so
no label is wrong; what drawings say about photographs is another question."""
DEMO_SETS, DEMO_WIDTH, DEMO_SEED = 4, 320, 0
DEMO_TRANSFORMS = ("rotate",)


def rendered_views(subset: str, sets: int, folder: Path, *, seed: int = 0) -> Views:
    """Views of rendered scenes: four for each set of two objects.

    Args:
        subset: "a" or "b".
        sets: how many, 2 or more.
        folder: where the pictures are written.
        seed: of the choice of objects, colours and backgrounds.

    Raises:
        ValueError: for a number of sets out of range.
    """
    views: dict[str, View] = {}
    for scene in (scene for scenes in object_sets(subset, sets, seed) for scene in scenes):
        view = view_of(scene)
        views[view.name] = view
        render(scene, DEMO_WIDTH).save(folder / f"{view.name}.png")
    found = [Source(name, folder / f"{name}.png") for name in views]
    selection = select(found, seed=seed)
    return Views([views[picture.name] for picture in selection.used], selection)


def view_of(scene: ObjectScene) -> View:
    """What a scene shows, in WhatsUp's words."""
    first, second = scene.objects
    name = write_name(first, scene.relation, second)
    name = f"{name}_{scene.variant + 1}" if scene.variant else name
    return View(name, scene.objects, scene.relation, scene.captions, scene.variant)


def demo_scenes(
    prompts: Sequence[Prompts], sets: int, seed: int, transforms: Sequence[str] = ()
) -> Path:
    """Folder with a small set of rendered scenes, in the hub's layout; built if needed.

    Both configs and subsets, the position changed alone and together with transformations. The
    folder's name has a fingerprint of what determines its content. Safe to call from several
    processes at once: one builds, the others wait. The folder appears complete or not at all.

    Args:
        prompts: what each config is asked with, from `spatial.logistics`.
        sets: how many sets of two objects there are in each subset.
        seed: of all that is drawn.
        transforms: names of the transformations.

    Raises:
        OSError: if the cache cannot be written; the message names it and `PAIRBENCH_CACHE`.
    """
    chosen = {name: TRANSFORMS[name] for name in transforms}
    settings = Settings("rendered scenes", chosen, seed, licence="mit")

    def build(folder: Path) -> None:
        with tempfile.TemporaryDirectory() as drawn:
            subsets = {
                subset: rendered_views(subset, sets, Path(drawn), seed=seed) for subset in SUBSETS
            }
            build_spatial(subsets, folder, settings, prompts, ABOUT)

    made_of = (FORMAT, sets, DEMO_WIDTH, settings, *prompts)
    return build_once("scenes", fingerprint(*made_of, libraries=LIBRARIES), build)
