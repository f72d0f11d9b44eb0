import json

import pytest

from lmms_eval_tasks.build.pairs.self_check import Distances, SelfCheck, check

GOOD = Distances(0.01, 0.2, 0.9)
WRONG = {
    "transformed is nearer": Distances(0.2, 0.1, 0.9),
    "irrelevant is nearer": Distances(0.01, 0.9, 0.2),
    "transformed is identical": Distances(0.1, 0.1, 0.9),
    "irrelevant is transformed": Distances(0.1, 0.2, 0.2),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_in_order_is_named(name):
    found = check([("a", GOOD), (name, WRONG[name]), ("b", GOOD), ("c", GOOD)])
    assert found == SelfCheck(4, [(name, WRONG[name])])
    assert found.share == 0.75


@pytest.mark.parametrize(("wrong", "passed"), [(0, True), (1, True), (2, False)])
def test_19_of_20_are_enough(wrong, passed):
    rows = [(f"w{k}", WRONG["irrelevant is nearer"]) for k in range(wrong)]
    assert check(rows + [("g", GOOD)] * (20 - wrong)).passed is passed


def test_it_survives_json():
    found = check([("a", GOOD), ("ü", WRONG["irrelevant is nearer"])])
    assert SelfCheck.from_json(json.loads(json.dumps(found.as_json()))) == found
