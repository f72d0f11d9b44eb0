"""Rendered scenes as a data set: views, the demo, and `pairbench build scenes`."""

import io
import json

import pytest
from PIL import Image

from lmms_eval_tasks.build.pairs import rendered
from lmms_eval_tasks.build.pairs import whatsup_command as build_whatsup
from lmms_eval_tasks.build.pairs.rendered import SceneSource, rendered_views
from lmms_eval_tasks.build.pairs.spatial import picture_rows, read_name, relation_in
from lmms_eval_tasks.pairbench import entry
from pairbench_ext.core import sources
from pairbench_ext.synthetic.objects.render import render
from pairbench_ext.synthetic.objects.scenes import object_sets
from pairbench_ext.synthetic.transforms import TRANSFORMS
from pairbench_ext.synthetic.wording import SUBSETS
from tests.files import pairbench
from tests.judges import CannedChatJudge, evaluate, numbers, rate


def run(*arguments):
    return pairbench("build", "scenes", *arguments)


def test_a_scene_is_a_picture_when_it_is_opened():
    [scene, *_] = next(object_sets("a", 1))
    source = SceneSource("one", scene, 96)
    content = source.open().read()
    assert content == source.open().read()
    assert Image.open(io.BytesIO(content)).tobytes() == render(scene, 96).tobytes()


@pytest.mark.parametrize("subset", SUBSETS)
def test_views_say_what_is_drawn(subset):
    views, selection = rendered_views(subset, 3, width=96)
    assert [view.name for view in views] == [one.name for one in selection.used]
    assert (len(views), selection.skipped, selection.found) == (12, [], 12)
    for view, used in zip(views, selection.used, strict=True):
        assert read_name(view.name) == (view.objects[0], view.relation, view.objects[1])
        assert list(view.captions) == list(SUBSETS[subset])
        for relation, caption in view.captions.items():
            assert relation_in(caption) == relation
            assert all(name in caption for name in view.objects)
        assert used.source.scene.relation == view.relation
        assert not used.converted  # stored as it was rendered
    rows, missing = picture_rows(views, 0)
    assert (len(rows), missing) == (12, [])


def test_two_sets_are_enough_for_irrelevant_views():
    for subset in SUBSETS:
        for seed in range(5):
            views = [
                rendered.view_of(scene) for four in object_sets(subset, 2, seed) for scene in four
            ]
            assert picture_rows(views, seed)[1] == []


def test_a_second_set_of_the_same_objects_has_a_name_of_its_own():
    *_, again = object_sets("a", 76)
    assert {rendered.view_of(scene).name[-2:] for scene in again} == {"_2"}


def test_the_views_of_a_row_look_alike():
    scenes = [scene for four in object_sets("a", 78) for scene in four]  # three pairs come twice
    views = [rendered.view_of(scene) for scene in scenes]
    for row in picture_rows(views, 0)[0]:
        same = [scenes[index] for index in (row.view, row.opposite, row.other)]
        assert len({(one.objects, one.colours, one.background) for one in same}) == 1


def test_build_scenes(tmp_path):
    arguments = ["--out", tmp_path / "one", "--n", 2, "--splits", "", "--size", 96]
    done = run(*arguments, "--subset", "b")
    assert done.exit_code == 0, done.output
    assert "wu_img_img b_sp: 8 rows" in done.output
    assert "--tasks pairbench_custom" in done.output
    table = sources.open_split(str(tmp_path / "one"), "wu_img_img", "b_sp")
    for row in table:
        record = json.loads(row["params"])
        first, second = record["objects"]
        assert row["img1"].size == (96, 72)
        assert record["img3"]["objects"] == record["img5"]["objects"] == [first, second]
        assert not set(record["img4"]["objects"]) & {first, second}
    card = (tmp_path / "one" / "README.md").read_text(encoding="utf-8")
    assert "drawings of two objects in the four\nrelations" in card


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n", 1], "Invalid value for '--n'"),
        (["--size", 20], "Invalid value for '--size'"),
        (["--splits", "rotat"], "unknown transformation 'rotat'"),
        (["--subset", "c"], "'c' is not one of 'a', 'b', 'both'"),
    ],
)
def test_wrong_arguments(arguments, message, tmp_path):
    done = run("--out", tmp_path / "out", *arguments)
    assert done.exit_code != 0
    assert message in " ".join(done.output.replace("│", " ").split())
    assert not (tmp_path / "out").exists()


def test_the_papers_groups_are_named_where_all_their_splits_are():
    assert build_whatsup._tasks("ab", TRANSFORMS) == "pairbench_wu_ii,pairbench_wu_it"
    assert build_whatsup._tasks("a", TRANSFORMS) == "pairbench_custom"
    assert build_whatsup._tasks("ab", ["rotate"]) == "pairbench_custom"


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
