"""The data sets that tasks need no download for: photographs, and rendered scenes."""

import math
from pathlib import Path

import datasets
import pytest

from lmms_eval_tasks.build.photos import SOURCES
from lmms_eval_tasks.build.spatial import read_name, relation_in, spatial_rows
from lmms_eval_tasks.pairbench import demos
from pairbench_ext.synthetic.objects.scenes import object_sets
from pairbench_ext.synthetic.transforms import TRANSFORMS
from pairbench_ext.synthetic.wording import SUBSETS
from tests.judges import SightedJudge, evaluate, numbers, rate
from tests.processes import build_twice_at_once


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    """The real demo set, built by two processes at once."""
    code = "from lmms_eval_tasks.pairbench.demos import demo_photographs as build;print(build())"
    folders = build_twice_at_once(code, tmp_path_factory.mktemp("cache"))
    assert folders[0] == folders[1]
    return folders[0]


def test_the_photographs_are_a_data_set_repository(photographs, tmp_path):
    loaded = datasets.load_dataset(photographs, "demo", cache_dir=str(tmp_path))
    assert sorted(loaded) == sorted(TRANSFORMS)
    for split in TRANSFORMS:
        assert loaded[split]["name"] == [source.name for source in SOURCES]
    text = Path(photographs, "README.md").read_text(encoding="utf-8")
    for source in SOURCES:
        assert f"| {source.title} | {source.author} | {source.licence} |" in text


class SizeJudge(SightedJudge):
    """Rates by picture sizes alone: 10 for two of one size, less the more they differ."""

    def __init__(self):
        super().__init__(lambda _, images: rate(self.rating(*images)))

    @staticmethod
    def rating(first, second):
        differences = (abs(a - b) / max(a, b) for a, b in zip(first.size, second.size, strict=True))
        return max(1, round(10 - 30 * max(differences)))


@pytest.mark.parametrize(
    "task",
    [
        "pairbench_demo_rotate",
        "pairbench_demo_elastic",
        "pairbench_demo_wu_ii_b_sp_rotate",
        "judge_audit_demo_ratings",
    ],
)
def test_picture_sizes_alone_say_nothing(task, task_manager):
    """Every picture of a task has one size: ratings by size are all alike, with no correlation."""
    judge = SizeJudge()
    results = evaluate(judge, task, task_manager)
    assert {image.size for _, *images in judge.shown for image in images} == {demos.SIZE}
    assert math.isnan(numbers(results, task)["mmscore"])


@pytest.mark.parametrize("subset", SUBSETS)
def test_views_say_what_is_drawn(subset):
    views = [demos.view_of(scene) for four in object_sets(subset, 2, seed=0) for scene in four]
    assert len({view.name for view in views}) == 8
    for view in views:
        assert read_name(view.name) == (view.objects[0], view.relation, view.objects[1])
        assert list(view.captions) == list(SUBSETS[subset])
        for relation, caption in view.captions.items():
            assert relation_in(caption) == relation
            assert all(name in caption for name in view.objects)
    # Two sets are enough for irrelevant views.
    assert len(spatial_rows(views, 0, pictures=True)) == 8
