"""Rendered scenes: what they show must be what they say, by geometry."""

import dataclasses
from itertools import islice

import numpy as np
import pytest

from pairbench_ext.synthetic.objects.drawings import FURNITURE
from pairbench_ext.synthetic.objects.render import render
from pairbench_ext.synthetic.objects.scenes import object_sets
from pairbench_ext.synthetic.wording import SUBSETS

PAIRS = {"a": 75, "b": 210}
WIDTH = 240
EVERY_THING = 15  # so many sets show every object


def scenes_of(subset, sets=EVERY_THING, start=0):
    return [x for four in islice(object_sets(subset, start + sets), start, None) for x in four]


def relation_by_boxes(scene):
    """The relation, read off the boxes alone."""
    (left1, bottom1, right1, top1), (left2, bottom2, right2, top2) = scene.boxes()
    if right1 < left2:
        return "left"
    if left1 > right2:
        return "right"
    if scene.subset == "b":
        return "front" if bottom1 < bottom2 else "behind"
    surface = bottom2 + FURNITURE[scene.objects[1]].top * (top2 - bottom2)
    return "on" if bottom1 >= surface - 1e-9 else "under" if top1 < surface else "through it"


@pytest.mark.parametrize("subset", SUBSETS)
def test_boxes_show_the_relation_and_nothing_is_cut_off(subset):
    for scene in scenes_of(subset, PAIRS[subset]):
        assert relation_by_boxes(scene) == scene.relation, scene
        for left, bottom, right, top in scene.boxes():
            assert 0 < left < right < 4 / 3, scene
            assert 0 < bottom < top < 1, scene


@pytest.mark.parametrize("subset", SUBSETS)
def test_the_scenes_of_a_set_differ_in_the_relation_alone(subset):
    for four in object_sets(subset, 5):
        assert [scene.relation for scene in four] == list(SUBSETS[subset])
        assert len({dataclasses.replace(s, relation="", places=()) for s in four}) == 1
    # Far from the objects the pictures are equal: the background does not move.
    first, second = (np.asarray(render(scene, WIDTH)) for scene in four[:2])
    assert (first[:20] == second[:20]).all()


def test_pictures_follow_from_the_seed_alone():
    def pictures(seed):
        return [render(four[0], 96) for four in object_sets("b", 3, seed)]

    assert {picture.size for picture in pictures(1)} == {(96, 72)}
    assert pictures(1) == pictures(1) != pictures(2)
