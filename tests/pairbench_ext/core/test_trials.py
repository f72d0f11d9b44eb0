import pytest

from pairbench_ext.core.trials import Draw, Plan

CROSSED = {"pair": ("identical", "transformed", "irrelevant"), "condition": ("sens", "inv")}
ORDER = {"order": ("fwd", "rev")}
TEMPLATE = {"template": Draw((0, 1, 2, 3, 4), by=("row", "pair"))}


def plan(seed=0, name="coco"):
    return Plan({**CROSSED, **ORDER}, TEMPLATE, seed=seed, name=name)


def test_a_trial_does_not_depend_on_how_many_rows_there_are():
    assert list(plan().expand(5)) == list(plan().expand(50))[: 5 * plan().trials_per_row]


@pytest.mark.parametrize("other", [plan(seed=1), plan(name="in100")], ids=["seed", "name"])
def test_draws_depend_on_seed_and_name(other):
    ours, theirs = ([t["template"] for t in p.expand(40)] for p in (plan(), other))
    assert ours != theirs
