"""Pairs of scenes: answers are true and distractors are not, and nothing is given away."""

import hashlib
import json
import math

import pytest

from pairbench_ext.synthetic.palette import PALETTE
from pairbench_ext.synthetic.questions.kinds import KINDS, pair
from pairbench_ext.synthetic.shapes import render
from tests.scene_facts import check_options, of_image, of_scene
from tests.scene_measures import called, find_shapes

SEEDS = 200


def is_clear(scene):
    """Whether all shapes are on the canvas and their circles 4 pixels apart."""
    shapes = scene.shapes
    inside = all(
        s.reach < s.x < scene.width - s.reach and s.reach < s.y < scene.height - s.reach
        for s in shapes
    )
    return inside and all(
        math.dist((shape.x, shape.y), (other.x, other.y)) >= shape.reach + other.reach + 4 - 1e-6
        for number, shape in enumerate(shapes)
        for other in shapes[:number]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_answer_is_true_of_the_scenes(kind):
    for seed in range(SEEDS):
        drawn = pair(kind, seed % 7, seed)
        check_options(drawn, of_scene(drawn.first), of_scene(drawn.second))
        assert is_clear(drawn.first)
        assert is_clear(drawn.second)
        assert json.loads(json.dumps(drawn.details)) == drawn.details


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_answer_is_true_of_the_pixels(kind):
    for index in range(12):
        drawn = pair(kind, index, seed=1)
        images = (render(scene) for scene in (drawn.first, drawn.second))
        check_options(drawn, *(of_image(image, PALETTE) for image in images))


def test_existence_by_what_others_call_the_colours():
    for index in range(30):
        drawn = pair("existence", index, seed=2)
        images = [find_shapes(render(scene)) for scene in (drawn.first, drawn.second)]
        named = [[s._replace(colour=called(s.lab).pop()) for s in shapes] for shapes in images]
        check_options(drawn, *named)


def test_pairs_are_those_of_earlier_versions():
    """To six digits, so that the last bits of a library do not matter."""
    numbers = [
        f"{value:.6g}"
        for kind in KINDS
        for index in range(5)
        for scene in (pair(kind, index, 7).first, pair(kind, index, 7).second)
        for shape in scene.shapes
        for value in (shape.x, shape.y, shape.size, shape.rotation, *shape.lab)
    ]
    digest = hashlib.sha256(" ".join(numbers).encode()).hexdigest()
    assert digest == "c6417b07b83acbeeab3b77097467a7b28bfdf500326784a2f80dac71cf8d2127"
