"""From replies to a table of ratings."""

import math
from dataclasses import replace

import pytest

from lmms_eval_tasks.pairbench.benchmark import BENCHMARK
from lmms_eval_tasks.pairbench.breakdowns import most_asymmetric
from lmms_eval_tasks.pairbench.metrics import closeness
from lmms_eval_tasks.pairbench.numbers import n_without_difference, remarks
from lmms_eval_tasks.pairbench.ratings import filled, of_panel, read, usable
from pairbench_ext.core.benchmark import Exchange
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.harness.numbers import compute
from tests.lmms_eval_tasks.pairbench.rated import Rated, rated_table

FAILED = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] HTTP 500"
ROW = {"row": 0, "pair": "p", "condition": "sens", "order": "fwd", "truth": 10}
RULES = ["strict", "authors"]
FULL = [
    Rated(row, pair, condition, order, template, truth, value)
    for row in (0, 2, 11, "a")
    for pair, truth in (("img1-img2", 10), ("img1-img4", 1))
    for condition in ("sens", "inv")
    for template in (0, 3)
    for order, value in (("fwd", 7), ("rev", None))
]


# --- The table


@pytest.mark.parametrize(
    ("value", "valid", "counted", "near"),
    [
        pytest.param(1, True, 1, 1 - 5 / 9, id="lowest"),
        pytest.param(10, True, 10, 1 - 4 / 9, id="highest"),
        pytest.param(8.5, True, 8.5, 1 - 2.5 / 9, id="fraction"),
        pytest.param(None, False, -1, 0, id="unusable"),
        pytest.param(-1, False, -1, 0, id="notebook's unusable"),
        pytest.param(0, False, -1, 0, id="below"),
        pytest.param(11, False, -1, 0, id="above"),
        pytest.param(0.99, False, -1, 0, id="just below"),
    ],
)
def test_usable_is_from_1_to_10(value, valid, counted, near):
    table = rated_table([replace(FULL[0], truth=6, value=value)])
    assert usable(table).tolist() == [valid]
    assert filled(table).tolist() == [counted]
    assert closeness(table.rows[0]) == near


@pytest.mark.parametrize("change", [{"value": 3}, {"value": None}, {"truth": 6}], ids=str)
def test_a_conflicting_duplicate_is_named(change):
    key = r"item \(0, 'img1-img2'\), condition 'sens', template 0, repeat 0, order 'fwd'"
    with pytest.raises(ValueError, match=f"{key} occurs twice, differently"):
        rated_table([*FULL, replace(FULL[0], **change)])


# --- The pairs that differ most between the orders


def both(row, fwd, rev, pair="identical", **more):
    return [
        Rated(row, pair, "sens", order, 0, 10, value, **more)
        for order, value in (("fwd", fwd), ("rev", rev))
    ]


def test_the_largest_difference_is_first_and_equal_ones_keep_their_order():
    trials = [*both(2, 9, 5), *both(0, 1, 10), *both(1, 8.3, 7.3), *both(3, 4, 4)]
    hidden = both(5, 1, 10, order_shown=False)
    one = rated_table([*trials, *hidden, *both(6, 1, 10)[:1]])
    other = rated_table([*both(7, 3, 7), *both(8, None, 7), *both(9, 85, 1)])
    listed = most_asymmetric({"one": one, "other": other})
    assert [(at.run, at.row, at.fwd, at.rev, at.difference) for at in listed] == [
        ("one", 0, 1, 10, 9),
        ("one", 2, 9, 5, 4),
        ("other", 7, 3, 7, 4),
        ("one", 1, 8.3, 7.3, 1),
    ]
    assert most_asymmetric({"one": one}, 1) == [listed[0]]
    assert (n_without_difference(one), n_without_difference(other)) == (0, 2)


# --- Replies


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
    said = any("seems not to show text before image" in remark for remark in remarks(table(made)))
    assert said == math.isnan(expected)


@pytest.mark.parametrize("rule", RULES)
def test_a_failed_request_is_no_reply(rule, said):
    failed = reading(FAILED, rule)
    [rating] = failed.outcomes
    assert not rating.usable
    assert (failed.failed, failed.unusable) == (1, ("the request failed",))
    assert compute(BENCHMARK, [failed])["coverage"] == 0
    assert "1 request failed; it counts as unusable replies" in said[0]


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


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("reply", ["9" * 400, "Score: " + "9" * 400, "\x00", ""])
def test_no_reply_raises(rule, reply):
    assert score([reading(reply, rule)])["coverage"] == 0


@pytest.mark.parametrize(
    ("reply", "rule", "log"),
    [
        ("Score: 8\nReason: alike", "strict", {"said": 8, "unusable": None}),
        ("alike", "strict", {"said": None, "unusable": 'no "Score:" with a number'}),
        ("alike", "authors", {"said": None, "unusable": "no number"}),
        ("Image 1", "authors", {"said": 1, "unusable": None}),
        ("Score: 85", "authors", {"said": 85, "unusable": None}),
    ],
)
def test_what_is_logged_of_a_reply(reply, rule, log):
    assert reading(reply, rule).log == log


def test_a_cut_prompt_study_says_that_it_is_pooled():
    whole = readings(ten, templates=range(5))
    assert not list(remarks(table(whole)))
    [remark] = remarks(table(whole[:-3]))
    assert remark.startswith("not every pair was asked with every template")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"row": 1.5}, "'row' must be .* not 1.5"),
        ({"row": True}, "'row' must be .* not True"),
        ({"condition": "variant"}, "'condition' must be 'sens' or 'inv', not 'variant'"),
        ({"order": "back"}, "'order' must be 'fwd' or 'rev', not 'back'"),
        ({"template": "v1"}, "'template' must be .*, not 'v1'"),
        ({"truth": "10"}, "'truth' must be .*, not '10'"),
        ({"truth": -1}, "'truth' must be greater than or equal to 0, not -1"),
        ({"image_text": "no"}, "'image_text' must be .*, not 'no'"),
    ],
)
def test_a_malformed_row_is_named(change, message):
    with pytest.raises(RecordError, match=message):
        BENCHMARK.outcome.read(Record("here", {**ROW, **change}))
