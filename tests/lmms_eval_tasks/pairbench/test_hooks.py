import math
from types import SimpleNamespace

import pytest

from lmms_eval_tasks.pairbench import hooks
from lmms_eval_tasks.pairbench.hooks import RatedItem
from pairbench_ext.metrics.ratings import Rating


def items(shown, parser="strict", value=10.0):
    """One pair of each kind, rated alike in both orders."""
    return [
        RatedItem(Rating(0, pair, condition, order, 0, truth, value, shown), parser)
        for pair, truth in (("identical", 10), ("irrelevant", 1))
        for condition in ("sens", "inv")
        for order in ("fwd", "rev")
    ]


@pytest.mark.parametrize(
    ("shown", "model", "expected"),
    [
        (True, "pair_encoder", 1),
        (False, "qwen2_5_vl", math.nan),
        # Every response came from a cache, so no one saw what was shown: the backend decides.
        (None, "qwen2_5_vl", 1),
        (None, "pair_encoder", math.nan),
        (None, None, math.nan),
    ],
)
def test_relaxsym_is_measured_only_where_orders_could_be_shown(shown, model, expected):
    arguments = SimpleNamespace(model=model, force_simple=False)
    assert hooks.relaxsym(items(shown), args=arguments) == pytest.approx(expected, nan_ok=True)
    both = 0 if math.isnan(expected) else 2
    assert hooks.pairs_both_orders(items(shown), args=arguments) == both


def test_the_notebook_rule_pools_as_the_notebook_does():
    unusable = {"value": None}
    # -1 in both orders is symmetric for the authors, not for us.
    assert hooks.relaxsym(items(True, "notebook", **unusable)) == 1
    assert hooks.relaxsym(items(True, "strict", **unusable)) == 0


def test_every_number_is_defined_for_a_silent_judge():
    names = [name for name in vars(hooks) if name.startswith(("mmscore", "ci95", "relaxsym"))]
    for name in [*names, "smoothness", "controllability", "coverage", "pairs", "prompt_std"]:
        assert isinstance(getattr(hooks, name)(items(True, value=None)), (int, float)), name
