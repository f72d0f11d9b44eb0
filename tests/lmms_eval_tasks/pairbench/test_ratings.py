"""From replies to a table of ratings."""

import math

import pytest

from lmms_eval_tasks.pairbench.benchmark import BENCHMARK
from lmms_eval_tasks.pairbench.numbers import remarks
from lmms_eval_tasks.pairbench.ratings import of_panel, read
from pairbench_ext.core.benchmark import Exchange
from pairbench_ext.core.records import Record

ROW = {"row": 0, "pair": "p", "condition": "sens", "order": "fwd", "truth": 10}


def reading(reply, rule="strict", **changes):
    fields = BENCHMARK.outcome.read(Record("here", {**ROW, **changes}))
    return read(fields, [Exchange({}, reply)], rule)


def readings(reply, rule="strict", templates=(0,), **changes):
    """One pair of each of two kinds, rated alike in both orders."""
    return [
        reading(reply(order), rule, **told, truth=truth, template=template, **changes)
        for pair, truth in (("identical", 10), ("irrelevant", 1))
        for condition in ("sens", "inv")
        for template in templates
        for order in ("fwd", "rev")
        for told in [{"pair": pair, "condition": condition, "order": order}]
    ]


def replies_to(n, reply, **changes):
    return [
        reading(reply(row, order), row=row, order=order, image_text=True, **changes)
        for row in range(n)
        for order in ("fwd", "rev")
    ]


def table(made, **options):
    return BENCHMARK.table((outcome for each in made for outcome in each.outcomes), **options)


def score(made, **options):
    return BENCHMARK.score(table(made, **options))


def ten(order):
    return "Score: 10"


def by_order(order):
    return f"Score: 10\nReason: {order}"


@pytest.mark.parametrize(
    ("trial", "reply", "expected"),
    [
        ({}, ten, 1),
        ({"protocol": "simple"}, ten, 1),  # two images
        ({"protocol": "chat", "image_text": True}, by_order, 1),  # the order made a difference
        ({"protocol": "chat", "image_text": True}, ten, math.nan),  # not even in the wording
        ({"image_text": True}, ten, math.nan),
        ({"protocol": "simple", "image_text": True}, by_order, math.nan),  # sampled, say
    ],
)
def test_relaxsym_is_measured_only_where_orders_were_shown(trial, reply, expected):
    made = readings(reply, **trial)
    scores = score(made)
    assert scores["relaxsym"] == pytest.approx(expected, nan_ok=True)
    assert scores["pairs_both_orders"] == (0 if math.isnan(expected) else 2)
    assert scores["pairs"] == 2
    said = any("seems not to show text before the image" in text for text in remarks(table(made)))
    assert said == math.isnan(expected)


@pytest.mark.parametrize(("different", "expected"), [(0, math.nan), (1, math.nan), (2, 1), (20, 1)])
def test_nearly_all_replies_the_same_is_one_prompt(different, expected):
    """Greedy decoding in batches is not the same to the letter every time: 95% is enough."""
    given = replies_to(20, lambda row, order: f"Score: 8\nReason: {order * (row < different)}")
    assert score(given)["relaxsym"] == pytest.approx(expected, nan_ok=True)


def test_a_panel_was_shown_an_order_if_all_its_judges_were():
    judges = [readings(by_order, image_text=True, protocol=kind) for kind in ("chat", "simple")]
    outcomes = [[made.outcomes[0] for made in judge] for judge in judges]
    panel = [of_panel(pair, 10.0) for pair in zip(*outcomes, strict=True)]
    assert math.isnan(BENCHMARK.score(BENCHMARK.table(panel))["relaxsym"])
    assert BENCHMARK.score(BENCHMARK.table(map(of_panel, [[o] for o in outcomes[0]], [10.0] * 8)))[
        "relaxsym"
    ] == pytest.approx(1)


def test_a_cut_prompt_study_says_that_it_is_pooled():
    whole = readings(ten, templates=range(5))
    assert not list(remarks(table(whole)))
    [remark] = remarks(table(whole[:-3]))
    assert remark.startswith("not every pair was asked with every template")
