"""Answers are true, distractors are not, by scenes and by pixels; and nothing is given away."""

import math
from collections import Counter

import pytest
from scipy.stats import ks_2samp

from pairbench_ext.synthetic.palette import PALETTE, TONES
from pairbench_ext.synthetic.questions.attribute import AttributeSettings
from pairbench_ext.synthetic.questions.existence import ExistenceSettings
from pairbench_ext.synthetic.questions.kinds import KINDS, pair
from pairbench_ext.synthetic.questions.viewpoint import MOTIONS, ViewpointSettings
from pairbench_ext.synthetic.placement import GAP, is_valid
from pairbench_ext.synthetic.shapes import render_pair
from tests.scene_facts import check_options, of_image, of_scene

SEEDS = 200


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_answer_is_true_of_the_scenes(kind):
    for seed in range(SEEDS):
        drawn = pair(kind, seed % 7, seed)
        check_options(drawn, of_scene(drawn.first), of_scene(drawn.second))


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_answer_is_true_of_the_pixels(kind):
    for index in range(12):
        drawn = pair(kind, index, seed=1)
        images = render_pair(drawn.first, drawn.second)
        check_options(drawn, *(of_image(image, PALETTE) for image in images))


@pytest.mark.parametrize("kind", KINDS)
def test_shapes_stay_on_the_canvas_and_clear_of_each_other(kind):
    for seed in range(SEEDS):
        drawn = pair(kind, 0, seed)
        assert is_valid(drawn.first, GAP - 1e-6)
        assert is_valid(drawn.second, GAP - 1e-6)


@pytest.mark.parametrize("kind", ["attribute", "spatial"])
def test_options_cross_two_shapes_with_two_changes(kind):
    """A shape or change that stood in more options than another would be the answer's."""
    for seed in range(100):
        drawn = pair(kind, 0, seed)
        words = [option.split(maxsplit=3) for option in (drawn.answer, *drawn.distractors)]
        for part in (slice(1, 3), slice(3, 4)):
            counts = Counter(" ".join(option[part]) for option in words)
            assert sorted(counts.values()) == [2, 2]


def test_options_of_existence_name_four_looks_each_as_often_shown_in_either_image():
    counts = {image: [0] * 4 for image in ("first", "second")}
    for seed in range(400):
        drawn = pair("existence", 0, seed)
        assert len(set(options(drawn))) == 4
        for image, scene in (("first", drawn.first), ("second", drawn.second)):
            names = {f"{s.colour} {s.kind}" for s in scene.shapes}
            for place, option in enumerate(options(drawn)):
                counts[image][place] += " ".join(option.rstrip(".").split()[1:]) in names
    for found in counts.values():
        assert found == pytest.approx([200] * 4, abs=40)  # four standard deviations


def options(drawn):
    return (drawn.answer, *drawn.distractors)


@pytest.mark.parametrize("objects", [2, 3])
def test_small_scenes_are_never_empty(objects):
    for seed in range(100):
        drawn = pair("existence", 0, seed, ExistenceSettings(objects=(objects, objects)))
        counts = {len(drawn.first.shapes), len(drawn.second.shapes)}
        assert min(counts) >= 1
        assert max(counts) <= objects + 2


def test_every_motion_of_the_camera_is_as_likely():
    counts = Counter(pair("viewpoint", 0, seed).details["change"] for seed in range(600))
    assert set(counts) == set(MOTIONS)
    assert max(abs(count - 100) for count in counts.values()) < 35


@pytest.mark.parametrize(("motion", "n"), [("translation", 4), ("rotation", 2)])
def test_options_of_one_kind_of_motion_cannot_be_ruled_out_unseen(motion, n):
    settings = ViewpointSettings(motion=motion)
    seen = {frozenset(options(pair("viewpoint", 0, seed, settings))) for seed in range(40)}
    answers = {pair("viewpoint", 0, seed, settings).answer for seed in range(40)}
    assert seen == {frozenset(answers)}
    assert len(answers) == n


def test_the_camera_goes_the_other_way():
    for seed in range(40):
        drawn = pair("viewpoint", 0, seed)
        (x, y), turn = _seen(drawn)
        motion = drawn.details["change"]
        if motion == "moved left":
            assert x > 0
        if motion == "moved up":
            assert y > 0
        if motion == "rotated clockwise":
            assert turn < 0


def _seen(drawn):
    """The way of the shapes that stay, and their turn in degrees clockwise."""
    first = {(*shape.lab, shape.kind, shape.size): shape for shape in drawn.first.shapes}
    second = {(*shape.lab, shape.kind, shape.size): shape for shape in drawn.second.shapes}
    stay = [(first[key], second[key]) for key in first.keys() & second.keys()]
    way = min(stay, key=lambda two: math.dist((two[0].x, two[0].y), (400, 300)))
    turns = [after.rotation - before.rotation for before, after in stay]
    return (way[1].x - way[0].x, way[1].y - way[0].y), sorted(turns)[len(turns) // 2]


@pytest.mark.parametrize("amount", [10, 160])
def test_the_picture_is_as_full_after_a_motion_and_half_of_it_stays(amount):
    settings = ViewpointSettings(motion="translation", translation=(amount, amount))
    for seed in range(60):
        drawn = pair("viewpoint", 0, seed, settings)
        steps = Counter(
            (round(b.x - a.x, 6), round(b.y - a.y, 6))
            for a in drawn.first.shapes
            for b in drawn.second.shapes
            if (a.lab, a.kind, a.size) == (b.lab, b.kind, b.size)
        )
        (step, n), *_ = steps.most_common()
        assert sorted(map(abs, step)) == [0, amount]
        assert 2 * n >= len(drawn.first.shapes) == len(drawn.second.shapes)


def test_either_image_has_room_for_what_moves():
    for seed in range(100):
        drawn = pair("spatial", 0, seed)
        assert is_valid(drawn.first)
        assert is_valid(drawn.second)
        (before, after) = drawn.first.shapes[0], drawn.second.shapes[0]
        assert math.dist((before.x, before.y), (after.x, after.y)) == pytest.approx(
            drawn.details["translation"]
        )


@pytest.mark.parametrize("shift", [0.1, 0.25])
def test_names_fit_before_and_after_a_shift(shift):
    settings = AttributeSettings(objects=(5, 5), change="brightness", brightness=(shift, shift))
    for seed in range(30):
        drawn = pair("attribute", 0, seed, settings)
        for shape in (*drawn.first.shapes, *drawn.second.shapes):
            low, high = TONES[shape.colour].lightness
            assert low - 1e-9 <= shape.lab.lightness <= high + 1e-9


@pytest.mark.parametrize("ratio", [0.1, 0.4])
def test_sizes_are_distributed_alike_before_and_after_a_change(ratio):
    settings = AttributeSettings(
        objects=(5, 5), size=(60, 60), change="size", ratio=(ratio, ratio), asked="which"
    )
    drawn = [pair("attribute", 0, seed, settings) for seed in range(600)]
    before = [one.first.shapes[0].size for one in drawn]
    after = [one.second.shapes[0].size for one in drawn]
    others = [shape.size for one in drawn for shape in one.first.shapes[1:]]
    assert ks_2samp(before, others).pvalue > 0.001
    assert ks_2samp(after, others).pvalue > 0.001
    assert math.sqrt(min(others) * max(others)) == pytest.approx(60, rel=0.01)


def test_hue_changes_at_constant_lightness_by_the_distance_that_is_recorded():
    for seed in range(50):
        drawn = pair("hue", 0, seed)
        one, other = drawn.first.shapes[0].lab, drawn.second.shapes[0].lab
        assert one.lightness == other.lightness
        distance = ((one.a - other.a) ** 2 + (one.b - other.b) ** 2) ** 0.5
        assert distance == pytest.approx(drawn.details["delta_e"], abs=1e-6)
        assert drawn.first.shapes[1:] == drawn.second.shapes[1:]
