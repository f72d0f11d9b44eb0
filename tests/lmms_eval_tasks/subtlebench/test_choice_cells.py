import math

import numpy as np

from lmms_eval_tasks.subtlebench.choice_cells import accuracy_by_cell, cells_table
from lmms_eval_tasks.subtlebench.choices import Choice, ChoiceTable

HARDNESS = {
    (size, kind): right for right, (size, kind) in enumerate([(5, "a"), (40, "a"), (5, "b")])
}


def choice(item, right, **others):
    place = {"category": "attribute", "domain": "synthetic", "source": "synthetic"}
    return Choice(item, item, **place, n_options=4, truth=1, chosen=1 if right else None, **others)


def choices(cells, answers):
    return ChoiceTable(
        answer._replace(cell=tuple(cells.get(answer.item, {}).items())) for answer in answers
    )


def grids(cells, answers):
    return accuracy_by_cell(choices(cells, answers))


def controlled(per_cell=4):
    """As many items per cell, of which 0, 1, 2 are right."""
    cells, answers = {}, []
    for (size, kind), right in HARDNESS.items():
        for number in range(per_cell):
            name = f"{size}{kind}{number}"
            cells[name] = {"size": size, "kind": kind}
            answers.append(choice(name, number < right))
    return cells, answers


def test_accuracy_in_every_cell():
    [found] = grids(*controlled())
    assert found.axes == ("size", "kind")
    assert found.values == ((5, 40), ("a", "b"))
    assert {cell: share.value for cell, share in found.shares.items()} == {
        cell: right / 4 for cell, right in HARDNESS.items()
    }
    assert {share.n for share in found.shares.values()} == {4}
    assert np.array_equal(found.matrix, [[0, 0.5], [0.25, math.nan]], equal_nan=True)


def test_a_table_of_cells():
    found = cells_table(choices(*controlled()))
    assert {
        line: {column: share and share.value for column, share in shares.items()}
        for line, shares in found.items()
    } == {
        "size=5": {"kind=a": 0, "kind=b": 0.5},
        "size=40": {"kind=a": 0.25, "kind=b": None},
    }


def test_intervals_hold_the_accuracy():
    [found] = grids(*controlled(per_cell=20))
    for share in found.shares.values():
        assert share.interval.low <= share.value <= share.interval.high


def test_the_order_of_answers_and_of_axes_in_a_cell_does_not_matter():
    cells, answers = controlled()
    turned = {name: dict(reversed(cell.items())) for name, cell in cells.items() if "b" in name}
    assert grids({**cells, **turned}, answers[::-1]) == grids(cells, answers)


def test_items_of_no_cell_are_left_out():
    cells, answers = controlled()
    more = [*answers, choice("free", True), choice("other", True)]
    assert grids({**cells, "free": {}}, more) == grids(cells, answers)


def test_there_may_be_no_cells():
    assert grids({}, [choice("free", True)]) == []
    assert cells_table(ChoiceTable([choice("free", True)])) == {}


def test_both_orders_of_an_item_count():
    cells = {"a": {"size": 5}, "b": {"size": 5}}
    answers = [choice("a", True), choice("b", False), choice("a", True, swapped=True)]
    answers[2] = answers[2]._replace(truth=2, chosen=2)
    [found] = grids(cells, answers)
    [share] = found.shares.values()
    assert (share.value, share.n) == (2 / 3, 3)


def test_sets_of_other_axes_have_grids_of_their_own():
    cells = {"a": {"size": 5}, "b": {"hue": 0.5}}
    found = grids(cells, [choice("a", True), choice("b", False)])
    assert [(grid.axes, [share.value for share in grid.shares.values()]) for grid in found] == [
        (("size",), [1]),
        (("hue",), [0]),
    ]
