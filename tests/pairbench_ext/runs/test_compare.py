import pytest
from scipy.stats import binom

from pairbench_ext.core.findings import as_json
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.compare import compare, compare_shared
from pairbench_ext.runs.compare_finding import compare_finding
from pairbench_ext.runs.order import best_first
from pairbench_ext.runs.ranking_finding import ranked_groups, ranking_finding
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.statistics.seeds import draw, generator
from tests.files import judges_in, judges_of, write_lines


def vote(item, named, truth=0, order="fwd", repeat=0, **more):
    """A logged vote of VL-RewardBench for the answer shown first (1) or second (2)."""
    trial = {"benchmark": "vl_rewardbench", "item": item, "source": "povid", "repeats": [repeat]}
    trial |= {"order": order, "truth": truth, **more}
    return {"trial": trial, "filtered_resps": f"Overall Judgment: Answer {named} is better."}


def votes(right, repeats=1, items=range(60)):
    """Votes on pairs of which `right(item, repeat)` says whether the better one is named."""
    for item in items:
        for repeat in range(repeats):
            order = ("fwd", "rev")[draw(2, 0, item, repeat)]
            better = 1 + ((item % 2) ^ (order == "rev"))
            named = better if right(item, repeat) else 3 - better
            yield vote(f"i{item}", named, item % 2, order, repeat)


TRUTH = {"identical": (10, 10), "transformed": (6, 10), "different": (1, 1)}


def ratings(noise, seed, rows=40):
    rng = generator(seed, "ratings")
    for row in range(rows):
        for pair, truths in TRUTH.items():
            for condition, truth in zip(("sens", "inv"), truths, strict=True):
                for order in ("fwd", "rev"):
                    value = int(min(10, max(1, round(truth + rng.normal(0, noise)))))
                    trial = {"benchmark": "pairbench", "row": row, "pair": pair, "template": 0}
                    trial |= {"condition": condition, "order": order, "truth": truth}
                    yield {"trial": trial, "filtered_resps": f"Score: {value}"}


def compared(folder, **how):
    return compare(judges_in(folder), **how)


def test_strict_accuracy_of_one_vote_is_mcnemars_test(tmp_path):
    write_lines(tmp_path / "a" / "samples_t.jsonl", votes(lambda item, _: item % 3 > 0))
    write_lines(tmp_path / "b" / "samples_t.jsonl", votes(lambda item, _: item % 4 > 1))
    [comparison] = compared(tmp_path, numbers=["overall_accuracy_strict"]).every
    first = [item for item in range(60) if item % 3 > 0 and not item % 4 > 1]
    second = [item for item in range(60) if item % 4 > 1 and not item % 3 > 0]
    n, fewer = len(first) + len(second), min(len(first), len(second))
    expected = 2 * binom.cdf(fewer, n, 0.5) - binom.pmf(fewer, n, 0.5)
    assert comparison.p == pytest.approx(expected, rel=1e-12)
    assert comparison.result.method == "McNemar, mid-p"
    assert comparison.difference == pytest.approx((len(first) - len(second)) / 60)
    assert comparison.ci95.low < comparison.difference < comparison.ci95.high
    [turned] = compared(tmp_path, numbers=["overall_accuracy_strict"], baseline="a").every
    assert (turned.a, turned.b, turned.difference) == ("b", "a", -comparison.difference)


def test_intervals_do_not_depend_on_the_order_of_lines(tmp_path):
    """A harness on several ranks logs documents in another order."""
    for name, share in (("a", 3), ("b", 4)):
        rows = list(votes(lambda item, _, share=share: item % share > 0))
        write_lines(tmp_path / "one" / name / "samples_t.jsonl", rows)
        write_lines(tmp_path / "two" / name / "samples_t.jsonl", [*rows[::2], *rows[1::2]])
    asked = ["coverage", "first_position_rate", "vote_accuracy", "overall_accuracy_strict"]
    made = [as_json(compared(tmp_path / ranks, numbers=asked)) for ranks in ("one", "two")]
    assert made[0]["rankings"] == made[1]["rankings"]
    assert made[0]["comparisons"] == made[1]["comparisons"]


def test_nothing_to_compare_is_said(tmp_path):
    write_lines(tmp_path / "a" / "samples_t.jsonl", votes(lambda *_: True))
    write_lines(tmp_path / "b" / "samples_u.jsonl", votes(lambda *_: True))
    with pytest.raises(RecordError, match="no two judges ran the same task: a has t; b has u"):
        compared(tmp_path)
    write_lines(tmp_path / "b" / "samples_t.jsonl", ratings(1, 0))
    message = "the samples of a belong to 'vl_rewardbench', those of b to 'pairbench'"
    with pytest.raises(RecordError, match=message):
        compared(tmp_path)


DEMOS = {
    "vl_rewardbench_demo_both": "Overall Judgment: Answer {} is better.",
    "viescore_demo_mie": '{{"score": [{}, {}], "reasoning": ""}}',
    "pairbench_demo_rotate": "Score: {}",
}


@pytest.mark.parametrize("task", DEMOS)
def test_a_judge_does_not_differ_from_itself_by_any_headline_number(task, tmp_path):
    answers = "12" if "Answer" in DEMOS[task] else "2468"
    trials = open_task(task)
    replies = [
        DEMOS[task].format(*(answers[draw(len(answers), 0, n, k)] for k in (0, 1)))
        for n in range(len(trials))
    ]
    for judge in "ab":
        trials.write(tmp_path / judge, replies)
    comparisons = compared(tmp_path).every
    assert comparisons
    for comparison in comparisons:
        assert comparison.difference == comparison.only_a == comparison.only_b == 0
        assert comparison.p == 1


def test_judges_for_whom_different_answers_are_right_are_refused(tmp_path):
    write_lines(tmp_path / "a" / "samples_t.jsonl", ratings(0, 0))
    rows = list(ratings(0, 0))
    rows[5]["trial"]["truth"] = 3
    write_lines(tmp_path / "b" / "samples_t.jsonl", rows)
    with pytest.raises(RecordError, match=r"t: question .* is 6.0 for a, 3.0 for b.*different"):
        compared(tmp_path)


def test_what_is_not_the_headline_waits_for_it(tmp_path):
    """A group's mean, then its tasks; a task's headline, then its other numbers."""
    names = [
        f"pairbench_coco_{t}"
        for t in ("colorjitter", "rotate", "gaussianblur", "perspective", "elastic")
    ]
    for judge, noise in (("good", 1.0), ("same", 1.0)):
        for seed, name in enumerate(names):
            rows = list(ratings(noise, seed + 100 * (judge == "same")))
            write_lines(tmp_path / judge / f"1_samples_{name}.jsonl", rows)
    comparisons = compared(tmp_path).every
    [headline] = [comparison for comparison in comparisons if comparison.headline]
    assert (headline.task, headline.number) == ("pairbench_coco", "mmscore")
    assert headline.p_holm == headline.p > 0.05
    assert len(comparisons) == 3 * 6
    assert all(comparison.p_holm >= headline.p for comparison in comparisons)
    named = compared(tmp_path, numbers=["relaxsym", "mmscore"]).every
    assert {result.number for result in named if result.headline} == {"relaxsym", "mmscore"}
    assert {result.task for result in named if result.headline} == {"pairbench_coco"}


def test_the_first_screen_rests_on_the_tests_that_are_printed(tmp_path):
    """Its mean over two benchmarks is one test of their family, not of a family of its own."""
    for judge, wrong in (("good", 0), ("bad", 5)):
        rows = votes(lambda item, _, wrong=wrong: item >= wrong)
        write_lines(tmp_path / judge / "1_samples_t.jsonl", rows)
        said = ({"item": f"q{n}", "truth": 0, "recorded": int(n < wrong)} for n in range(60))
        recorded(tmp_path / judge, "pair", said)
    shown = as_json(compare_finding(compared(tmp_path, headlines_alone=True)))
    each, other, mean = shown["comparisons"]
    assert mean["task"] == "mean of t, judgments"
    assert mean["p"] < each["p"] == other["p"] < 0.1
    assert mean["p_holm"] == pytest.approx(3 * mean["p"])
    [first] = [row for row in shown["tables"][0]["rows"] if row["judge"] == "good"]
    assert first["best"] == ("best" if mean["p_holm"] <= 0.05 else "tied")
    [printed] = [t for t in shown["tables"] if t["name"] == "differences"]
    rows = {row["task"]: row["cells"]["p_holm"]["value"] for row in printed["rows"]}
    assert rows == {c["task"]: c["p_holm"] for c in shown["comparisons"]}


def test_judges_beside_a_baseline_are_better_or_worse_than_that_one(tmp_path):
    """Other pairs are not tested, so there are no ranks and no best judge."""
    for judge, modulus in (("bad", 2), ("base", 4), ("good", 60)):
        rows = votes(lambda item, _, modulus=modulus: item % modulus > 0)
        write_lines(tmp_path / judge / "samples_t.jsonl", rows)
    shown = compare_finding(compared(tmp_path, baseline="base"))
    assert shown.says[-1] == (
        "Compared with base: significantly better: good; significantly worse: bad."
    )
    assert not any(row.rank or row.best for row in shown.tables[0].rows)


def recorded(folder, kind, rows):
    """Recorded judgments; a row has the fields of a trial, and what was said as `recorded`."""
    trials = ({"benchmark": f"judgments_{kind}", "extracted": True, **row} for row in rows)
    lines = [
        {"doc_id": n, "input": "", "target": "", "filtered_resps": [""], "trial": trial}
        for n, trial in enumerate(trials)
    ]
    write_lines(folder / "samples_judgments.jsonl", lines)


def test_an_item_counts_once_however_often_it_was_answered(tmp_path):
    """Judge a answers the easy half five times, judge b once; both are as good on every item."""
    lost = 0
    for seed in range(10):
        for judge, times in (("a", 5), ("b", 1)):
            rng = generator(seed, "answers", judge)
            rows = (
                {"item": f"q{item}", "repeat": repeat, "truth": item % 2}
                | {"recorded": (item % 2) ^ (rng.random() > (0.95 if item < 50 else 0.55))}
                for item in range(100)
                for repeat in range(times if item < 50 else 1)
            )
            recorded(tmp_path / str(seed) / judge, "pair", rows)
        found = compared(tmp_path / str(seed), numbers=["accuracy"])
        [comparison] = found.every
        lost += comparison.differs
        first, second = (found.rankings[0].values[judge].value for judge in "ab")
        assert comparison.difference == pytest.approx(first - second)
        assert comparison.uneven == 50
        assert comparison.result.method == "Gaffke, mid-p"  # McNemar's is of one answer each
    assert lost <= 2  # 10 of 10 where every answer counts


def test_judges_are_ordered_and_marked_on_the_items_of_all(tmp_path):
    """Judge alpha was also asked 400 easy items: over its own items alone it looks better."""
    for judge, items, right in (("alpha", 600, 0.6), ("beta", 200, 0.8)):
        rows = (
            {"item": f"q{n}", "truth": 0, "recorded": int(n < 200 and n % 100 >= 100 * right)}
            for n in range(items)
        )
        recorded(tmp_path / judge, "pair", rows)
    ranking = compared(tmp_path).rankings[0]
    assert (list(ranking.values), ranking.best, ranking.items) == (["beta", "alpha"], "beta", 200)
    assert [value.value for value in ranking.values.values()] == pytest.approx([0.8, 0.6])
    own, items = ranking.own["alpha"]
    assert (own.value, items) == (pytest.approx(520 / 600), 600)
    assert list(ranking.own) == ["alpha"]
    assert [judge.name for judge in best_first(judges_in(tmp_path))] == ["beta", "alpha"]


def test_a_number_without_a_better_end_ranks_nobody(tmp_path):
    for judge, above in (("high", 2), ("low", 0)):
        rows = ({"item": f"q{n}", "truth": n % 7, "recorded": n % 7 + above} for n in range(60))
        recorded(tmp_path / judge, "rating", rows)
    found = compared(tmp_path, numbers=["rating"])
    [comparison], [ranking] = found.every, found.rankings
    assert comparison.differs
    assert (comparison.difference, ranking.best, found.headlines) == (pytest.approx(2), None, [])
    shown = compare_finding(found)
    assert "Judges are not ranked by rating: neither more nor less is better." in shown.says
    assert not any(row.rank for row in shown.tables[0].rows)


def test_a_misspelt_number_is_an_error_beside_a_right_one(tmp_path):
    for judge in "ab":
        write_lines(tmp_path / judge / "samples_t.jsonl", votes(lambda item, _: item % 3 > 0))
    with pytest.raises(RecordError, match=r"number vote_acuracy.*did you mean 'vote_accuracy'"):
        compared(tmp_path, numbers=["vote_accuracy", "vote_acuracy"])


def test_each_criterion_has_numbers_of_its_own(tmp_path):
    for judge, sign in (("a", 1), ("b", -1)):
        rows = [
            {"item": f"q{n}", "aspect": aspect, "truth": n % 9, "recorded": turned * (n % 9)}
            for n in range(50)
            for aspect, turned in (("clear", 1), ("true", sign))
        ]
        recorded(tmp_path / judge, "rating", rows)
    found = compared(tmp_path, numbers=["spearman"])
    differences = {c.task: round(c.difference, 3) for c in found.every}
    assert differences == {"judgments (clear)": 0, "judgments (true)": 2}
    assert [len(run.table) for run in found.judges[1].runs.values()] == [50, 50]
    groups = ranked_groups(compare_shared(found.judges))
    values = {ranked.group.criterion: ranked.values["b"].value for ranked in groups}
    assert values == {"clear": pytest.approx(1), "true": pytest.approx(-1)}  # 0 is nobody's


def test_smoothness_controllability_and_consistency_have_intervals(tmp_path):
    """As the numbers themselves; none of smoothness with fewer than thirty rows."""
    for name, noise in (("a", 1), ("b", 3)):
        write_lines(tmp_path / name / "samples_t.jsonl", ratings(noise, 0, rows=120))
        write_lines(tmp_path / name / "samples_few.jsonl", ratings(noise, 0, rows=20))
    judges = judges_in(tmp_path)
    for judge in judges:
        for task, run in judge.runs.items():
            for name in ("smoothness", "controllability"):
                value, (low, high) = run.value(run.benchmark.number(name))
                assert value == pytest.approx(run.numbers[name])
                assert (low < value < high) == (task == "t")
    [comparison] = [c for c in compare(judges, numbers=["smoothness"]).every if c.task == "t"]
    assert comparison.ci95.low < comparison.difference < comparison.ci95.high < 0
    write_lines(tmp_path / "v" / "samples_v.jsonl", both_orders())
    [votes_of] = judges_of(tmp_path / "v")[0].runs.values()
    value, (low, high) = votes_of.value(votes_of.benchmark.number("position_consistency"))
    assert value == pytest.approx(0.75)
    assert 0.6 < low < value < high < 0.88


def both_orders():
    for item in range(80):
        for order in ("fwd", "rev"):
            place = 0 if item % 4 == 0 else (item % 2) ^ (order == "rev")
            yield vote(f"i{item}", place + 1, item % 2, order)


def without_ties(noise, seed):
    """The ratings of a judge whose numbers are all different, as a reward model's are."""
    for row in ratings(noise, seed):
        spread = generator(seed, "ties", *map(str, row["trial"].values())).random()
        value = float(row["filtered_resps"].removeprefix("Score: ")) * 0.9 + 0.1 * spread
        yield {**row, "filtered_resps": f"Score: {value:.6f}"}


def test_judges_with_and_without_ties_are_compared_by_what_does_not_punish_them(tmp_path):
    """Both order everything as the truth does; tau-b of the one without ties is at most .74."""
    write_lines(tmp_path / "ties" / "samples_t.jsonl", ratings(0, 0))
    write_lines(tmp_path / "none" / "samples_t.jsonl", without_ties(0, 1))
    found = compared(tmp_path)
    main = found.rankings[0]
    assert (main.number, main.best) == ("mmscore_d", None)
    assert [value.value for value in main.values.values()] == pytest.approx([1, 1])
    [alone] = compared(tmp_path, numbers=["mmscore"]).every
    assert abs(alone.difference) > 0.15  # what the paper's number says
    said = " ".join(ranking_finding(found).notes)
    assert "Judges are compared by Somers' D given the truth, not by MMScore" in said
    assert "Ratings of none hardly ever tie" in said
    assert "at most 0.74" in said  # the mean of .67 and .82
    write_lines(tmp_path / "none" / "samples_t.jsonl", ratings(1, 1))
    assert compared(tmp_path).rankings[0].number == "mmscore"


def test_mmscore_counts_each_item_once(tmp_path):
    """Both rate half of the rows well, half at random; one rated the good half three times."""
    for judge, times in (("a", 3), ("b", 1)):
        rows = []
        for place, row in enumerate(ratings(0, 0)):
            good, trial = row["trial"]["row"] < 20, row["trial"]
            value = trial["truth"] if good else 1 + draw(10, 0, place)
            for template in range(times if good else 1):
                reply = {"filtered_resps": f"Score: {value}"}
                rows.append({"trial": {**trial, "template": template}, **reply})
        write_lines(tmp_path / judge / "samples_t.jsonl", rows)
    found = compared(tmp_path, numbers=["mmscore", "relaxsym"])
    assert [c.difference for c in found.every] == pytest.approx([0, 0], abs=1e-9)
    assert found.every[0].uneven == 60
    first, second = (found.rankings[0].values[judge].value for judge in "ab")
    assert first == pytest.approx(second)
    assert found.rankings[0].own["a"].value.value > first + 0.05
