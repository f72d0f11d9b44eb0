import pytest

from pairbench_ext.judges.differences.camera import camera_errors
from pairbench_ext.judges.differences.regions import Region
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.palette import PALETTE
from pairbench_ext.synthetic.shapes import edits
from pairbench_ext.synthetic.shapes.placement import scatter
from pairbench_ext.synthetic.shapes.scene import Scene, Shape

NAMES = list(PALETTE)[:6]
SCENE = scatter(
    [Shape("square", name, PALETTE[name], 40) for name in NAMES], generator(0, "camera"), margin=90
)
MOTIONS = {
    "left": edits.pan(SCENE, 60, 0),
    "right": edits.pan(SCENE, -15, 0),
    "up": edits.pan(SCENE, 0, 80),
    "down": edits.pan(SCENE, 0, -30),
    "clockwise": edits.rotate(SCENE, -12),
    "counterclockwise": edits.rotate(SCENE, 20),
}


def regions(scene: Scene) -> list[Region]:
    return [Region(s.x, s.y, 5.0, 0.1, s.lab, 0.01, 0.01, {}) for s in scene.shapes]


@pytest.mark.parametrize("motion", MOTIONS)
def test_the_motion_that_was_made_explains_it_best(motion):
    errors = camera_errors(regions(SCENE), regions(MOTIONS[motion]), (800, 600), jitter=2)
    assert set(errors) == set(MOTIONS)
    assert min(errors, key=errors.get) == motion
    assert errors[motion] < 0.2
    assert sorted(errors.values())[1] > 1


def test_a_shape_that_is_missing_costs_its_share_only():
    moved = regions(MOTIONS["up"])
    one_less = camera_errors(regions(SCENE), moved[1:], (800, 600), jitter=2)
    assert min(one_less, key=one_less.get) == "up"
    assert one_less["up"] == pytest.approx(9 / 6, abs=0.1)
