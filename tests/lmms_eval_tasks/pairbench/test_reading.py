import math

import pytest

from lmms_eval_tasks.pairbench.benchmark import BENCHMARK
from lmms_eval_tasks.pairbench.leaf import Leaf
from lmms_eval_tasks.pairbench.numbers import remarks
from lmms_eval_tasks.pairbench.ratings import RatingTable
from lmms_eval_tasks.pairbench.reading import fields, read
from pairbench_ext.core.benchmark import Exchange
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.harness.numbers import compute

FAILED = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] HTTP 500"
ROW = {"row": 0, "pair": "p", "condition": "sens", "order": "fwd", "truth": 10}
RULES = ["strict", "authors"]


def reading(reply, rule="strict", **changes):
    return read(fields(Record("here", {**ROW, **changes})), [Exchange({}, reply)], rule)


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


def leaf(found, **options):
    return Leaf((one for each in found for one in each.outcomes), **options)


def score(found, **options):
    return BENCHMARK.score(leaf(found, **options))


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
        ({"order_shown": False, "image_text": True}, by_order, math.nan),  # a log of version 0.1
    ],
)
def test_relaxsym_is_measured_only_where_orders_were_shown(trial, reply, expected):
    scores = score(readings(reply, **trial))
    assert scores["relaxsym"] == pytest.approx(expected, nan_ok=True)
    assert scores["pairs_both_orders"] == (0 if math.isnan(expected) else 2)
    assert scores["pairs"] == 2


def test_why_orders_were_not_shown_is_said():
    simple = leaf(readings(by_order, protocol="simple", image_text=True))
    assert "(it is no chat backend): RelaxSym is not measurable" in next(remarks(simple))
    chat = leaf(readings(ten, protocol="chat", image_text=True))
    assert "(100.0% of replies are the same)" in next(remarks(chat))
    assert not list(remarks(leaf(readings(by_order, protocol="chat", image_text=True))))


def test_pooling_follows_the_rule_and_may_be_chosen():
    # -1 in both orders is symmetric for the authors, not for us.
    silent = {rule: readings(lambda order: "none", rule) for rule in RULES}
    assert score(silent["authors"])["relaxsym"] == 1
    assert score(silent["strict"])["relaxsym"] == 0
    assert score(silent["authors"], pool="paper")["relaxsym"] == 0
    assert score(silent["strict"], pool="authors")["relaxsym"] == 1


def test_every_number_of_a_silent_judge():
    scores = score(readings(lambda order: "none", templates=range(5)))
    known = {"relaxsym": 0, "relaxsym0": 0, "coverage": 0, "closeness": 0}
    known |= {"ratings": 40, "pairs": 2, "pairs_both_orders": 2}
    assert {name: value for name, value in scores.items() if not math.isnan(value)} == known


@pytest.mark.parametrize("rule", RULES)
def test_a_failed_request_is_no_reply(rule, said):
    failed = reading(FAILED, rule)
    [rating] = failed.outcomes
    assert rating.value is None
    assert (failed.failed, failed.unusable) == (1, ("the request failed",))
    assert compute(BENCHMARK, [failed])["coverage"] == 0
    assert "1 request failed; it counts as unusable replies" in said[0]


@pytest.mark.parametrize(("different", "expected"), [(0, math.nan), (1, math.nan), (2, 1), (20, 1)])
def test_nearly_all_replies_the_same_is_one_prompt(different, expected):
    """Greedy decoding in batches is not the same to the letter every time: 95% is enough."""
    given = replies_to(20, lambda row, order: f"Score: 8\nReason: {order * (row < different)}")
    assert score(given)["relaxsym"] == pytest.approx(expected, nan_ok=True)


def shown(found):
    return [rating.order_shown for rating in leaf(found).table.rows]


def test_a_failed_request_says_nothing_of_the_order():
    one_failed = replies_to(20, lambda row, order: FAILED if row == 0 else "Score: 8")
    assert math.isnan(score(one_failed)["relaxsym"])
    assert set(shown(one_failed)) == {False}
    assert set(shown(replies_to(3, lambda *_: FAILED))) == {None}


def test_what_is_known_of_the_order_is_kept():
    def by_row(row, order):
        return f"Score: 8\nReason: {order}"

    known = replies_to(1, by_row, order_shown=False)
    assert shown(known + replies_to(2, by_row)[2:]) == [False, False, True, True]


def test_one_order_asked_twice_is_not_both_orders():
    twice = replies_to(1, lambda *_: "Score: 8")[:1] * 2
    table = RatingTable(one for each in twice for one in each.outcomes)
    assert math.isnan(table.same_replies)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("reply", ["9" * 400, "Score: " + "9" * 400, "\x00", ""])
def test_no_reply_raises(rule, reply):
    assert score([reading(reply, rule)])["coverage"] == 0


@pytest.mark.parametrize(
    ("reply", "rule", "log"),
    [
        ("Score: 8\nReason: alike", "strict", {"value": 8, "unusable": None}),
        ("alike", "strict", {"value": None, "unusable": 'no "Score:" with a number'}),
        ("alike", "authors", {"value": None, "unusable": "no number"}),
        ("Image 1", "authors", {"value": 1, "unusable": None}),
        ("Score: 85", "authors", {"value": 85, "unusable": None}),
    ],
)
def test_what_is_logged_of_a_reply(reply, rule, log):
    assert reading(reply, rule).log == log


def test_a_cut_prompt_study_says_that_it_is_pooled():
    whole = readings(ten, templates=range(5))
    assert not list(remarks(leaf(whole)))
    [remark] = remarks(leaf(whole[:-3]))
    assert remark.startswith("not every pair was asked with every template")


def test_an_option_that_is_not_the_default_is_said():
    assert list(remarks(leaf(readings(ten), eps=2.5))) == ["RelaxSym is at eps = 2.5"]
    [remark] = remarks(leaf(readings(ten), pool="authors"))
    assert "as in the authors' notebook" in remark


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"row": 1.5}, r"'row' must be a whole number or a text, not 1\.5"),
        ({"row": True}, "'row' must be .* not True"),
        ({"pair": 3}, "'pair' must be a text, not 3"),
        ({"condition": "variant"}, "'condition' must be 'sens' or 'inv', not 'variant'"),
        ({"order": "back"}, "'order' must be 'fwd' or 'rev', not 'back'"),
        ({"template": "v1"}, "'template' must be a whole number, not 'v1'"),
        ({"truth": "10"}, "'truth' must be a number, not '10'"),
        ({"truth": math.nan}, "'truth' must be a number, not nan"),
        ({"truth": None}, "here: no field 'truth'"),
        ({"order_shown": 0}, "'order_shown' must be true or false or null, not 0"),
        ({"image_text": "no"}, "'image_text' must be true or false, not 'no'"),
    ],
)
def test_a_malformed_row_is_named(change, message):
    with pytest.raises(RecordError, match=message):
        fields(Record("here", {**ROW, **change}))
