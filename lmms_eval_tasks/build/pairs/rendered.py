"""Views of two objects that are rendered: what to do without WhatsUp's photographs."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

from lmms_eval_tasks.build.common.repository import LIBRARIES
from lmms_eval_tasks.build.pairs.images import Settings
from lmms_eval_tasks.build.pairs.repository_files import Prompts
from lmms_eval_tasks.build.pairs.spatial import View, Views, write_name
from lmms_eval_tasks.build.pairs.spatial_pairs import build_spatial
from lmms_eval_tasks.build.pairs.usable import select
from pairbench_ext.core.user_cache import build_once, fingerprint
from pairbench_ext.synthetic.objects.render import WIDTH, render
from pairbench_ext.synthetic.objects.scenes import ObjectScene, object_sets
from pairbench_ext.synthetic.transforms import TRANSFORMS
from pairbench_ext.synthetic.wording import SUBSETS

ABOUT = """\
Rendered scenes in the manner of WhatsUp (Kamath et al. 2023): drawings of two objects in the four
relations of each subset, by this package. Subset a: a small object on, under, to the left or to the
right of a piece of furniture. Subset b: two small objects on a table top, one to the left of, to
the right of, in front of or behind the other. What a relation means follows from the geometry, so
no label is wrong; what drawings say about photographs is another question."""
LICENCE = "mit"
FORMAT = 2  # raise when scenes would come out differently
DEMO_SETS, DEMO_WIDTH, DEMO_SEED = 4, 320, 0
DEMO_TRANSFORMS = ("rotate",)


class SceneSource(NamedTuple):
    """A scene that becomes a picture when it is opened.

    Attributes:
        name: unique among the pictures of a subset.
        scene: what is drawn.
        width: pixels of the picture.
    """

    name: str
    scene: ObjectScene
    width: int

    def open(self) -> IO[bytes]:
        """The picture as PNG, the same bytes every time."""
        buffer = io.BytesIO()
        render(self.scene, self.width).save(buffer, "PNG")
        buffer.seek(0)
        return buffer


def rendered_views(
    subset: str,
    sets: int,
    *,
    seed: int = 0,
    width: int = WIDTH,
    jobs: int = 1,
    progress: bool = False,
) -> Views:
    """Views of rendered scenes: four for each set of two objects.

    Args:
        subset: "a" or "b".
        sets: how many, 2 to `sets.MOST`.
        seed: of the choice of objects, colours and backgrounds.
        width: pixels of the pictures.
        jobs: how many processes.
        progress: show a progress bar on standard error once it takes more than two seconds.

    Raises:
        ValueError: for a number of sets out of range.
        JobError: if a process ended before its work was done.
    """
    scenes = [scene for scenes in object_sets(subset, sets, seed) for scene in scenes]
    views = {view.name: view for view in map(view_of, scenes)}
    found = [SceneSource(_name(scene), scene, width) for scene in scenes]
    selection = select(found, seed=seed, jobs=jobs, progress=progress)
    return Views([views[one.name] for one in selection.used], selection)


def _name(scene: ObjectScene) -> str:
    first, second = scene.objects
    name = write_name(first, scene.relation, second)
    return f"{name}_{scene.variant + 1}" if scene.variant else name


def view_of(scene: ObjectScene) -> View:
    """What a scene shows, in WhatsUp's words."""
    return View(_name(scene), scene.objects, scene.relation, scene.captions, scene.variant)


def demo_scenes(
    prompts: Sequence[Prompts], sets: int, seed: int, transforms: Sequence[str] = ()
) -> Path:
    """Folder with a small set of rendered scenes, in the hub's layout; built if needed.

    Both configs and subsets, the position changed alone and together with transformations. The
    folder's name has a fingerprint of what determines its content. Safe to call from several
    processes at once: one builds, the others wait. The folder appears complete or not at all.

    Args:
        prompts: what each config is asked with, from `spatial_rows.logistics`.
        sets: how many sets of two objects there are in each subset.
        seed: of all that is drawn.
        transforms: names of the transformations.

    Raises:
        OSError: if the cache cannot be written; the message names it and `PAIRBENCH_CACHE`.
    """
    chosen = {name: TRANSFORMS[name] for name in transforms}
    settings = Settings("rendered scenes", chosen, seed, licence=LICENCE)

    def build(folder: Path) -> None:
        subsets = {
            subset: rendered_views(subset, sets, seed=seed, width=DEMO_WIDTH) for subset in SUBSETS
        }
        build_spatial(subsets, folder, settings, prompts, ABOUT)

    made_of = (FORMAT, sets, DEMO_WIDTH, settings, *prompts)
    return build_once("scenes", fingerprint(*made_of, libraries=LIBRARIES), build)
