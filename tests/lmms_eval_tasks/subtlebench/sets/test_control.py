import pytest

from lmms_eval_tasks.subtlebench.sets.control import CONTROLS, ControlSet
from tests.scene_facts import check_options, of_scene


@pytest.mark.parametrize("name", CONTROLS)
def test_every_pair_is_of_its_cell(name):
    control = ControlSet(name)
    assert len(control.axes) == 2
    for index in range(2 * len(control.cells)):
        drawn, values = control.pair(index), control.cell(index).values
        for axis, value in values.items():
            found = drawn.details[axis] if axis in drawn.details else drawn.first.shapes[0].size
            if (name, axis) == ("control_size", "size"):  # about which sizes change
                assert abs(found / value - 1) < 0.6
            elif (name, axis) == ("control_quantity", "objects"):
                assert max(1, value - 4) <= found <= value + 6
            else:
                assert found == value


def test_pairs_do_not_depend_on_the_other_cells():
    whole = ControlSet("control_spatial")
    part = ControlSet("control_spatial", {"size": [60], "translation": [80, 20]})
    cell = {"size": 60, "translation": 20}
    ours = [i for i in range(50) if dict(whole.cell(i).values) == cell]
    theirs = [i for i in range(4) if dict(part.cell(i).values) == cell]
    assert [whole.pair(i) for i in ours] == [part.pair(i) for i in theirs]


def test_cells_of_color_differ_by_their_axes_only():
    """The same colours at every shift, as far as the default axes go."""
    control = ControlSet("control_color")
    palettes = {cell.settings.names for cell in control.cells}
    assert len(palettes) == 1


@pytest.mark.parametrize("name", CONTROLS)
def test_only_the_answer_is_true_in_every_cell(name):
    control = ControlSet(name)
    for index in range(4 * len(control.cells)):
        drawn = control.pair(index)
        check_options(drawn, of_scene(drawn.first), of_scene(drawn.second))
