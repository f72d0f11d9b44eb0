import itertools

import pytest

from pairbench_ext.core.trials import Draw, Plan

CROSSED = {"pair": ("identical", "transformed", "irrelevant"), "condition": ("sens", "inv")}
ORDER = {"order": ("fwd", "rev")}
TEMPLATE = {"template": Draw((0, 1, 2, 3, 4), by=("row", "pair"))}


def plan(seed=0, name="coco"):
    return Plan({**CROSSED, **ORDER}, TEMPLATE, seed=seed, name=name)


def test_trials_are_the_cross_product_in_row_order():
    trials = Plan({**CROSSED, **ORDER}).expand(2)
    expected = [
        {"row": row, "pair": pair, "condition": condition, "order": order}
        for row, pair, condition, order in itertools.product(
            range(2), CROSSED["pair"], CROSSED["condition"], ORDER["order"]
        )
    ]
    assert list(trials) == expected
    assert [trials[i] for i in range(-len(trials), 0)] == expected
    assert trials[3:9:2] == expected[3:9:2]


def test_a_draw_is_shared_by_the_trials_that_it_is_drawn_by():
    drawn = {}
    for trial in plan().expand(40):
        drawn.setdefault((trial["row"], trial["pair"]), set()).add(trial["template"])
    assert all(len(templates) == 1 for templates in drawn.values())
    assert set.union(*drawn.values()) == {0, 1, 2, 3, 4}


def test_a_trial_does_not_depend_on_how_many_rows_there_are():
    assert list(plan().expand(5)) == list(plan().expand(50))[: 5 * plan().trials_per_row]


@pytest.mark.parametrize("other", [plan(seed=1), plan(name="in100")], ids=["seed", "name"])
def test_draws_depend_on_seed_and_name(other):
    ours, theirs = ([t["template"] for t in p.expand(40)] for p in (plan(), other))
    assert ours != theirs
