"""Rendered scenes as a data set: views and the demo."""

import pytest

from lmms_eval_tasks.pairbench import entry
from lmms_eval_tasks.pairbench.build import rendered
from lmms_eval_tasks.pairbench.build.spatial import picture_rows, read_name, relation_in
from pairbench_ext.core import sources
from pairbench_ext.synthetic.objects.scenes import object_sets
from pairbench_ext.synthetic.wording import SUBSETS
from tests.judges import CannedChatJudge, evaluate, numbers, rate


@pytest.mark.parametrize("subset", SUBSETS)
def test_views_say_what_is_drawn(subset, tmp_path, monkeypatch):
    monkeypatch.setattr(rendered, "DEMO_WIDTH", 96)
    views, selection = rendered.rendered_views(subset, 3, tmp_path)
    assert [view.name for view in views] == [picture.name for picture in selection.used]
    assert (len(views), selection.skipped) == (12, [])
    for view in views:
        assert read_name(view.name) == (view.objects[0], view.relation, view.objects[1])
        assert list(view.captions) == list(SUBSETS[subset])
        for relation, caption in view.captions.items():
            assert relation_in(caption) == relation
            assert all(name in caption for name in view.objects)
    assert len(picture_rows(views, 0)) == 12


def test_two_sets_are_enough_for_irrelevant_views():
    for subset in SUBSETS:
        for seed in range(5):
            scenes = [scene for four in object_sets(subset, 2, seed) for scene in four]
            assert len(picture_rows(list(map(rendered.view_of, scenes)), seed)) == 8


@pytest.fixture(scope="module")
def small_demo(tmp_path_factory):
    """The demo in small: two sets, tiny pictures, a cache of its own."""
    patch = pytest.MonkeyPatch()
    patch.setattr(rendered, "DEMO_SETS", 2)
    patch.setattr(rendered, "DEMO_WIDTH", 96)
    patch.setenv("PAIRBENCH_CACHE", str(tmp_path_factory.mktemp("scenes")))
    yield
    patch.undo()


@pytest.mark.parametrize(
    ("task", "features"),
    [
        ("pairbench_demo_wu_ii_a_sp_rotate", ["spatial", "rotate"]),
        ("pairbench_demo_wu_ii_b_sp", ["spatial"]),
        ("pairbench_demo_wu_it_a", ["spatial"]),
        ("pairbench_demo_wu_it_b", ["spatial"]),
    ],
)
def test_the_demo_needs_no_data(task, features, small_demo, task_manager):
    judge = CannedChatJudge(lambda doc: rate(doc["truth"]))
    results = evaluate(judge, task, task_manager)
    found = numbers(results, task)
    assert (found["mmscore"], found["pairs"]) == (1, 8 * 4)
    trials = [sample["trial"] for sample in results["samples"][task]]
    assert all(trial["features"] == features for trial in trials)
    assert {trial["kind"] for trial in trials} == {"identical", "transformed", "irrelevant"}


def test_the_demo_is_built_once(small_demo):
    folder = entry._demo_scenes()
    before = folder.stat().st_mtime_ns
    assert entry._demo_scenes() == folder
    assert folder.stat().st_mtime_ns == before
    assert sources.split_names(str(folder), "wu_img_img") == (
        *("a_sp", "a_sp_rotate"),
        *("b_sp", "b_sp_rotate"),
    )
