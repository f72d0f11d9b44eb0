"""Cards from files: every aspect has a line, verdicts say what to do, controls are no fault."""

import math
import re
from dataclasses import replace

import pytest
from scipy.stats import binom

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.runs.card.choices import order as order_of
from pairbench_ext.runs.card.lines import card_of, flags
from pairbench_ext.runs.card.model import WEIGHTS, AspectResult
from pairbench_ext.runs.card.ratings import order as rating_order
from pairbench_ext.statistics.multiple import holm
from tests.files import json_of, judges_of, text_of, write_lines
from tests.pairbench_ext.runs.test_compare import ratings, votes


@pytest.fixture
def first(tmp_path):
    """A judge that prefers the first answer, and rates every pair alike."""
    folder = tmp_path / "first"
    write_lines(folder / "1_samples_vl_rewardbench_both.jsonl", both_orders(lambda item: "1"))
    write_lines(folder / "1_samples_pairbench_coco_rotate.jsonl", ratings(1, 0, rows=12))
    return folder


def both_orders(answer, items=40):
    for item in range(items):
        for order in ("fwd", "rev"):
            yield {
                "item": item, "source": "wildvision", "repeat": 0, "order": order,
                "truth": item % 2, "longer": item // 2 % 2,
                "response": f"Overall Judgment: Answer {answer(item)} is better.",
            }  # fmt: skip


def test_a_flag_says_what_to_do(first):
    [judge] = judges_of(first)
    lines = card_of(judge.runs.values())
    assert flags(lines) == {"first_position"}
    [line] = [line for line in lines if line.flag]
    assert line.verdict == (
        "chooses the first option in 80 of 80 answers; that option is right in 40: ask in "
        "several orders and vote"
    )
    assert (line.aspect, line.task, line.kind) == ("order", "vl_rewardbench_both", "share")
    assert (line.value, line.high) == (1, 1)
    assert line.tasks == ("vl_rewardbench_both",)
    assert line.low > 0.8
    assert line.p < 1e-6
    [unasked] = [line for line in lines if line.aspect == "people"]
    assert (unasked.task, unasked.verdict.split(":")[0]) == ("", "not measured")


def test_the_command_prints_tables_and_json(first, tmp_path):
    fair = tmp_path / "fair"
    write_lines(fair / "1_samples_vl_rewardbench_k5.jsonl", votes(lambda item, _: item % 5 > 0, 3))
    told = text_of("card", first, fair, "-v")
    assert "! first: Position bias. It chooses the first option in" in told
    assert "! fair:" not in told
    assert "Ask in several orders and vote." in told
    made = json_of("card", first)
    [judge] = judges_of(first)
    assert [line["verdict"] for line in made["cards"]["first"]] == [
        line.verdict for line in card_of(judge.runs.values())
    ]
    assert made["alpha"] == 0.05


@pytest.mark.parametrize("n", [140, 151, 160, 300])
def test_a_bias_that_is_found_is_rounded_outwards(n):
    """In fewer items than show ten points, more than ten points are found, also as printed."""
    said = AspectResult("", n=n, error=0.437 / n**0.5, unit=0.3).power()
    size = float(re.search(r"a bias of ([\d.]+)", said)[1])
    needed = re.search(r"one of 0.10 in (\d+)", said)
    assert (size > 0.1) == bool(needed)
    assert needed is None or int(needed[1]) > n


def test_few_items_are_too_few_to_tell(tmp_path):
    """The first one wins in both of two items: no more could be seen, and nothing follows."""
    write_lines(
        tmp_path / "1_samples_vl_rewardbench_both.jsonl", both_orders(lambda item: "1", items=2)
    )
    [judge] = judges_of(tmp_path)
    verdicts = [
        line.verdict
        for line in card_of(judge.runs.values())
        if line.title == "prefers one position"
    ]
    assert verdicts == [
        "chooses the first option in 4 of 4 answers; that option is right in 2: too few to "
        "tell: 2 items; 234 more would tell"
    ]


def test_how_many_more_items_would_tell(tmp_path):
    """As many as a binomial test needs, or some more: votes are compared at the same position."""
    right = votes(lambda item, _: item < 11, 1, range(17))
    write_lines(tmp_path / "1_samples_vl_rewardbench_k1.jsonl", right)
    [judge] = judges_of(tmp_path)
    [line] = [line for line in card_of(judge.runs.values()) if line.null and line.aspect == "sees"]
    more = int(re.search(r"right in 11 of 17 answers .*: (\d+) more items", line.verdict)[1])
    assert line.more == more
    power = [binom.sf(binom.ppf(0.95, n, 0.5), n, 11 / 17) for n in (17 + more, 17 + more // 3)]
    assert power[0] > 0.8 > power[1]


def test_a_dead_task_is_named_among_many_that_are_well(tmp_path):
    for task in range(8):
        answers = both_orders(lambda item: 1 + item % 2, items=60)
        rows = [{"benchmark": "vl_rewardbench", **row} for row in answers]
        for row in rows if task == 3 else ():
            row["response"] = "I cannot help with that."
        write_lines(tmp_path / f"1_samples_vl_rewardbench_{task}.jsonl", rows)
    [judge] = judges_of(tmp_path)
    unread = [x for x in card_of(judge.runs.values()) if x.flag == "unreadable"]
    assert ("vl_rewardbench_3",) in [line.tasks for line in unread]


@pytest.mark.parametrize("first", [0, 8, 10, 12, 13, 14, 15, 16, 18, 20])
@pytest.mark.parametrize("orders", [1, 2])
def test_a_flag_for_position_and_its_interval_come_from_one_test(first, orders):
    """Of 20 items the first option is chosen in so many whatever they show."""
    answers = [
        Outcome("chosen", n, place, n % 2, order=order, options=2)
        for n in range(20)
        for order in ("fwd", "rev")[:orders]
        for place in [0 if n < first else (n % 2) ^ (order == "rev")]
    ]
    found = order_of(answers)
    assert (found.p <= 0.05) == (not found.low <= found.fair <= found.high)


@pytest.mark.parametrize("moved", [0, 4, 6, 8, 10, 14])
def test_a_flag_for_the_order_of_ratings_and_its_interval_come_from_one_test(moved):
    answers = [
        Outcome("rated", (n, "a"), 3 + n % 5 + (order == "fwd" and n < moved), 5, n, order=order)
        for n in range(14)
        for order in ("fwd", "rev")
    ]
    found = rating_order(answers)
    assert (found.p <= 0.05) == (not found.low <= 0 <= found.high)


def test_half_of_the_error_is_for_position():
    """Plain Holm would adjust .02 beside three tests that find nothing to .08."""
    assert holm([0.02, 0.4, 0.5, 0.6], [0.5, 0.2, 0.15, 0.15])[0] == pytest.approx(0.04)
    assert WEIGHTS == {"order": 0.5, "length": 0.2, "": 0.3}


def test_six_errors_that_all_say_first_are_a_position_bias(tmp_path):
    """What the judge can do spends nothing, and the test has the power of a mid-p one."""
    answers = [
        {
            "benchmark": "vl_rewardbench", "item": item, "source": "wildvision", "repeat": 0,
            "order": "fwd", "truth": item % 2, "longer": item // 2 % 2,
            "response": f"Overall Judgment: Answer {1 + (item % 2 and item > 11)} is better.",
        }
        for item in range(50)
    ]  # fmt: skip
    write_lines(tmp_path / "1_samples_vl_rewardbench_once.jsonl", answers)
    [judge] = judges_of(tmp_path)
    card = card_of(judge.runs.values())
    assert flags(card) == {"first_position"}
    [line] = [line for line in card if line.flag]
    assert line.p == pytest.approx(0.0097 * (0.5 + 0.2) / 0.5, rel=0.02)
    said = AspectResult("", p=0.3)
    spent = said.spends, replace(said, chance=0.001).spends, replace(said, sides=1).spends
    assert spent == (0.3, 0.6, 0.6)
    assert math.isnan(replace(said, chance=0.001, p=0.9).spends)
