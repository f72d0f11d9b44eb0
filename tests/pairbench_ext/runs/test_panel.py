import krippendorff
import numpy as np
import pytest
from scipy.stats import binom
from sklearn.metrics import cohen_kappa_score

from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.panel import MAJORITY, MEAN, MEDIAN, WEIGHTED, panel
from pairbench_ext.runs.scoring import read_run
from pairbench_ext.statistics.seeds import draw, generator
from tests.files import judges_in, pairbench, write_lines
from tests.pairbench_ext.runs.test_compare import ratings, votes


def together(folder, **how):
    return panel(judges_in(folder), **how)


def right_with(share, seed):
    """Right with a probability, each judge on items of its own."""
    return lambda item, repeat: draw(1000, seed, "right", item, repeat) < 1000 * share


def write_judges(folder, shares, items=200, repeats=1):
    for name, share in shares.items():
        rows = votes(right_with(share, sum(map(ord, name))), repeats, range(items))
        write_lines(folder / name / "samples_t.jsonl", rows)


def test_three_equal_independent_judges_are_better_together(tmp_path):
    write_judges(tmp_path, {"a": 0.8, "b": 0.8, "c": 0.8}, items=500)
    panels = together(tmp_path)
    [task] = panels.tasks
    right = {name: [right_with(0.8, ord(name))(n, 0) for n in range(500)] for name in "abc"}
    majority = np.sum(list(right.values()), axis=0) >= 2
    values = {name: value.value for name, value in task.values["vote_accuracy"].items()}
    assert values[MAJORITY] == pytest.approx(majority.mean())
    assert majority.mean() == pytest.approx(0.8**3 + 3 * 0.8**2 * 0.2, abs=0.04)
    assert task.effective.votes == pytest.approx(3, rel=0.12)
    assert task.unusable == task.ties == task.side.left_out == {}
    wrong = np.sum(list(right.values()), axis=0) == 0
    assert task.missed == tuple(sorted(f"i{n}" for n in np.flatnonzero(wrong)))
    assert len(panels.comparisons) == 6  # two panels with three judges
    for comparison in panels.comparisons:
        assert comparison.differs
        assert comparison.difference > 0.05


def test_the_test_against_the_best_single_judge_is_mcnemars(tmp_path):
    write_judges(tmp_path, {"best": 0.9, "fair": 0.6, "weak": 0.55})
    panels = together(tmp_path)
    [task] = panels.tasks
    assert task.best["vote_accuracy"].picked == {"best": 10}
    assert task.best["vote_accuracy"].value == task.values["vote_accuracy"]["best"].value
    assert task.best["vote_accuracy"].in_hindsight == "best"
    right = {
        name: np.array([right_with(share, sum(map(ord, name)))(n, 0) for n in range(200)])
        for name, share in (("best", 0.9), ("fair", 0.6), ("weak", 0.55))
    }
    majority = np.sum(list(right.values()), axis=0) >= 2
    gained, lost = (majority & ~right["best"]).sum(), (~majority & right["best"]).sum()
    comparison = next(c for c in panels.comparisons if (c.a, c.b) == (MAJORITY, "best"))
    fewer, n = min(gained, lost), gained + lost
    assert comparison.p == pytest.approx(2 * binom.cdf(fewer, n, 0.5) - binom.pmf(fewer, n, 0.5))
    assert comparison.result.method == "McNemar, mid-p"
    weighted = task.values["vote_accuracy"][WEIGHTED].value
    assert weighted == pytest.approx(right["best"].mean(), abs=0.03)  # it outweighs both others


def said_by(folder):
    """What a judge of 200 items says of each."""
    outcomes = {v.item: v for v in read_run(folder / "samples_t.jsonl").outcomes}
    return [outcomes[f"i{n}"].option for n in range(200)]


def test_agreement_is_scikit_learns(tmp_path):
    write_judges(tmp_path, {"a": 0.8, "b": 0.7})
    [task] = together(tmp_path).tasks
    [pair] = task.pairs
    by_judge = [said_by(tmp_path / name) for name in "ab"]
    right = [[x == n % 2 for n, x in enumerate(answers)] for answers in by_judge]
    assert pair.agreement == np.mean(np.array(by_judge[0]) == by_judge[1])
    assert pair.kappa == pytest.approx(cohen_kappa_score(*by_judge))
    alpha = krippendorff.alpha(by_judge, level_of_measurement="nominal")
    assert task.alpha == pair.alpha == pytest.approx(alpha)
    assert pair.error_consistency == pytest.approx(cohen_kappa_score(*right))
    assert pair.error_correlation == pytest.approx(np.corrcoef(*np.array(right, float))[0, 1])
    assert pair.same_error == 1  # there are two options
    assert task.kappa == pytest.approx(pair.kappa)


def test_copies_of_a_judge_are_one_vote(tmp_path):
    for name in "abcd":
        write_lines(tmp_path / name / "samples_t.jsonl", votes(right_with(0.7, 1)))
    panels = together(tmp_path)
    [task] = panels.tasks
    assert task.effective.votes == pytest.approx(1)
    assert task.effective.interval == pytest.approx((1, 1))
    assert {pair.kappa for pair in task.pairs} == {1}
    assert {c.difference for c in panels.comparisons} == {0}
    assert {c.p for c in panels.comparisons} == {1}


def test_ties_unusable_replies_and_missing_items_are_counted(tmp_path):
    rows = list(votes(lambda *_: True, items=range(40)))
    wrong = list(votes(lambda *_: False, items=range(5, 45)))
    for row in wrong[:3]:
        row["filtered_resps"] = "I cannot say."
    for name, samples in {"a": rows, "b": wrong, "c": rows, "d": wrong}.items():
        write_lines(tmp_path / name / "samples_t.jsonl", samples)
    [task] = together(tmp_path).tasks
    assert task.questions == 35
    assert {name: x.questions for name, x in task.side.left_out.items()} == dict.fromkeys("abcd", 5)
    assert task.side.left_out["a"].named[0].startswith("i0")
    assert task.unusable == {"b": 3, "d": 3}
    assert task.ties == {MAJORITY: 32}  # three are decided by a and c
    right = task.values["vote_accuracy"][MAJORITY].value * 35 - 3
    assert 6 < right < 26  # of 32 coins, but for one in 10,000
    assert task.values["vote_accuracy"][WEIGHTED].value == 1  # b and d are not heard
    assert task.weights["b"] == 0


def test_two_judges_get_no_verdict(tmp_path):
    for name, right in (("a", lambda *_: True), ("b", lambda *_: False)):
        write_lines(tmp_path / name / "samples_t.jsonl", list(votes(right, items=range(40))))
    panels = together(tmp_path)
    assert panels.comparisons == ()
    assert panels.tasks[0].panels == ()
    shown = pairbench("panel", tmp_path / "a", tmp_path / "b").output
    assert "No panel: two judges have no majority." in shown
    assert "significantly" not in shown


def test_a_number_that_panels_lack_is_undefined(tmp_path):
    """A panel's tie is of one kind; the four votes of GenAI-Bench have two."""
    rows = [
        {"item": f"s{n}", "source": "s", "truth": 0, "vote": "leftvote", "response": "[[A>B]]"}
        if n % 2
        else {"item": f"s{n}", "source": "s", "truth": -1, "vote": "tievote"}
        | {"response": "[[A=B=Bad]]"}
        for n in range(20)
    ]
    for name in "abc":
        write_lines(tmp_path / name / "samples_genai_bench_both.jsonl", rows)
    [task] = together(tmp_path, numbers=["accuracy"]).tasks
    values = {name: value.value for name, value in task.values["accuracy"].items()}
    assert values.pop("a") == 0.5
    assert np.isnan(values[MAJORITY])


def test_ratings_are_averaged(tmp_path):
    for seed, name in enumerate("abc"):
        write_lines(tmp_path / name / "samples_pairbench_coco_rotate.jsonl", ratings(3, seed, 30))
    panels = together(tmp_path)
    [task] = panels.tasks
    assert task.side.kind == "rating"
    assert task.missed is None
    assert task.panels == (MEAN, MEDIAN)
    values = task.values["mmscore"]
    assert values[MEAN].value > max(values[name].value for name in "abc")
    scores = {
        name: [int(row["filtered_resps"].split()[-1]) for row in ratings(3, seed, rows=30)]
        for seed, name in enumerate("ab")
    }
    assert task.pairs[0].kappa == pytest.approx(
        cohen_kappa_score(scores["a"], scores["b"], weights="quadratic", labels=range(1, 11))
    )
    assert all(comparison.difference > 0 for comparison in panels.comparisons)
    assert 2 < task.effective.votes <= 3.1


def test_where_judges_cannot_be_put_together_it_is_said(tmp_path):
    row = {
        "trial": {"benchmark": "cast", "pair": 0, "step": "generate", "generated": "text"},
        "filtered_resps": "1. Both are outside.",
    }
    for name in "ab":
        write_lines(tmp_path / name / "samples_cast.jsonl", [row])
    with pytest.raises(RecordError, match="its own statements"):
        together(tmp_path)
    write_judges(tmp_path, {"a": 0.8, "b": 0.7})
    write_lines(tmp_path / "a" / "samples_u.jsonl", votes(lambda *_: True))
    panels = together(tmp_path)
    assert [result.side.name for result in panels.tasks] == ["t"]
    assert "its own statements" in panels.not_possible["cast"]
    assert panels.not_possible["u"] == "only a has it"


def test_a_task_that_could_not_be_asked_costs_no_other(tmp_path):
    write_judges(tmp_path, {"a": 0.8, "b": 0.7, "c": 0.6}, items=20)
    for task, names in {"u": "bc", "v": "c"}.items():
        for name in "abc":
            rows = list(votes(lambda *_: True, items=range(5)))
            unasked = {"benchmark": "vl_rewardbench", "asked": False, "left_out": ["no split"]}
            unbuilt = [{"trial": unasked, "filtered_resps": ""}]
            write_lines(
                tmp_path / name / f"samples_{task}.jsonl", unbuilt if name in names else rows
            )
    panels = together(tmp_path)
    by_task = {result.side.name: result for result in panels.tasks}
    assert by_task["t"].side.names == ("a", "b", "c")
    assert by_task["v"].side.names == ("a", "b")
    assert by_task["v"].side.unmeasured == ("c",)
    assert "no sample of b, c has a result" in panels.not_possible["u"]


def test_ties_fall_alike_in_whatever_order_the_rows_are(tmp_path):
    for order in ("sorted", "shuffled"):
        for number, judge in enumerate("abcd"):
            rows = list(votes(right_with(0.7 + 0.02 * number, number), items=range(100)))
            if order == "shuffled":
                generator(number, "rows").shuffle(rows)
            write_lines(tmp_path / order / judge / "samples_t.jsonl", rows)
    first, second = (together(tmp_path / order) for order in ("sorted", "shuffled"))
    assert first.tasks[0].ties[MAJORITY] > 10
    assert first.tasks[0].values == second.tasks[0].values
    tests = [[(x.a, x.b, x.difference, x.p) for x in each.comparisons] for each in (first, second)]
    assert tests[0] == tests[1]
