"""Recorded judgments of real models against numbers that were computed independently."""

from collections import Counter

import pytest

from lmms_eval_tasks.viescore.correlations import (
    ALL_TASKS,
    averages,
    human_correlations,
    rankings,
    rater_correlations,
)
from lmms_eval_tasks.viescore.paper import DIGITS, HUMAN, RATER_ORDERS, compare, printed_numbers
from lmms_eval_tasks.viescore.ratings import read_all_ratings
from lmms_eval_tasks.viescore.recorded import metric_names, read_judgments, read_metric
from lmms_eval_tasks.viescore.scores import ASPECTS, judges_scores, kind_of

JUDGES = ("gpt4v_0shot", "llava_0shot", "cogvlm_0shot")
METRICS = ("CLIP_I", "CLIP_Score", "DINO", "LPIPS")
MEANS = {"fisher": "fisher", "authors": "notebook"}  # ours, as the independent numbers call it


@pytest.fixture(scope="module")
def humans(recorded):
    return read_all_ratings(recorded / "human")


@pytest.fixture(scope="module")
def scores(recorded):
    judged = {
        judge: judges_scores(read_judgments(recorded / "answers" / judge), guesses="keep")
        for judge in JUDGES
    }
    return judged | {m: read_metric(recorded / "answers/autometrics", m) for m in METRICS}


@pytest.fixture(scope="module")
def oracle(expected):
    return expected["backbones"] | expected["autometrics"]


@pytest.mark.parametrize("name", [*JUDGES, *METRICS])
def test_every_correlation(scores, humans, oracle, name):
    found = human_correlations(scores[name], humans)
    assert len(found) == 9 * sum(map(len, oracle[name]["per_model"].values()))
    for one in found:
        wanted = oracle[name]["per_model"][one.task][one.image_model][one.aspect]
        assert one.n == wanted["n"]
        assert one.value == pytest.approx(wanted["exact"][one.statistic], abs=1e-9)


@pytest.mark.parametrize("name", [*JUDGES, *METRICS])
def test_every_correlation_with_the_papers_ties(scores, humans, oracle, name):
    for one in human_correlations(scores[name], humans, rater_orders=RATER_ORDERS):
        wanted = oracle[name]["per_model"][one.task][one.image_model][one.aspect]["paper"]
        assert one.value == pytest.approx(wanted[one.statistic], abs=1e-9)


def of_task(averaged, task):
    return averaged["across"] if task == ALL_TASKS else averaged["task"][task]


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("name", [*JUDGES, *METRICS])
def test_every_average(scores, humans, oracle, name, mean):
    found = averages(human_correlations(scores[name], humans), mean)
    for (task, aspect, statistic), value in found.items():
        wanted = of_task(oracle[name]["averages"], task)[aspect]["exact"][statistic]
        assert value == pytest.approx(wanted[MEANS[mean]]["skip"], abs=1e-9)


@pytest.mark.parametrize("name", [*JUDGES, *METRICS])
def test_averages_as_the_paper_rounds_them(scores, humans, oracle, name):
    correlations = human_correlations(scores[name], humans, rater_orders=RATER_ORDERS)
    spearman = (one for one in correlations if one.statistic == "spearman")
    found = averages(spearman, "authors", DIGITS)
    assert len(found) == 3 * (len(oracle[name]["per_model"]) + 1)
    for (task, aspect, _), value in found.items():
        wanted = of_task(oracle[name]["paper_rounded_averages"], task)[aspect]
        assert value == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("name", JUDGES)
def test_rankings_of_judges(scores, humans, oracle, name):
    found = rankings(scores[name], humans)
    assert [one.task for one in found] == sorted(oracle[name]["ranking"])
    for one in found:
        wanted = oracle[name]["ranking"][one.task]
        assert one.judge == pytest.approx(wanted["judge_mean_O"], abs=1e-9)
        assert one.human == pytest.approx(wanted["human_mean_O_all_uids"], abs=1e-9)
        assert one.footrule == wanted["vs_all"]["footrule"]
        assert one.rho == pytest.approx(wanted["vs_all"]["rho"], abs=1e-9)


@pytest.mark.parametrize("name", METRICS)
def test_rankings_of_metrics(scores, humans, oracle, name):
    for one in rankings(scores[name], humans):
        wanted = oracle[name]["ranking"][one.task]
        assert one.judge == pytest.approx(wanted["mean"], abs=1e-9)
        assert one.footrule == wanted["footrule"]
        assert one.rho == pytest.approx(wanted["rho"], abs=1e-9)


@pytest.mark.parametrize("mean", MEANS)
def test_raters_with_each_other(scores, humans, expected, mean):
    judged = {key: humans[key] for key in scores["gpt4v_0shot"]}
    correlations = rater_correlations(judged, mean=mean)
    assert len(correlations) == 29 * 9
    for one in correlations:
        wanted = expected["human_human"][one.task][one.image_model][one.aspect]
        assert one.n == wanted["n"]
        value = wanted["exact"][one.statistic]["loo_avg"][MEANS[mean]]["skip"]
        assert one.value == pytest.approx(value, abs=1e-9)
    for (task, aspect, statistic), value in averages(correlations, mean).items():
        wanted = expected["human_human_averages"][statistic][aspect][MEANS[mean]]
        assert value == pytest.approx(of_task(wanted, task), abs=1e-9)


def test_human_means(humans, expected):
    for key, ratings in humans.items():
        wanted = expected["human_means"][key.task][key.image_model]
        assert len(ratings) == wanted["n_uids"]
        for aspect, mean in zip(ASPECTS, ratings.values.mean(axis=(0, 1)), strict=True):
            assert mean == pytest.approx(wanted[aspect], abs=1e-9)


@pytest.fixture(scope="module")
def comparisons(scores, humans):
    """Every printed number beside the recorded one, once."""
    found = {}
    for name, one in scores.items():
        for comparison in compare(name, one, humans):
            if comparison.printed.judge != HUMAN or name == "gpt4v_0shot":
                found[comparison.printed] = comparison
    return list(found.values())


def verdicts(comparisons):
    return dict(Counter(one.verdict for one in comparisons))


def test_printed_correlations_are_reproduced(comparisons):
    # 720 are printed, 570 of them of judges that are recorded here.
    correlations = [one for one in comparisons if one.printed.table not in (4, 5)]
    assert verdicts(correlations) == {"reproduced": 551, "averages a misprint": 7, "differs": 12}
    assert all(one.printed.note for one in correlations if one.verdict == "differs")


def test_every_human_correlation_is_reproduced(comparisons):
    humans = [one for one in comparisons if one.printed.judge == HUMAN]
    assert verdicts(humans) == {"reproduced": 261 + 21 + 3 + 2}  # Tables 7, 2-3, 1, 4


def test_humans_are_compared_over_the_papers_image_models_whatever_was_judged(scores, humans):
    found = [one for one in compare("LPIPS", scores["LPIPS"], humans) if one.printed.judge == HUMAN]
    assert verdicts(found) == {"reproduced": 287}
    few = {key: humans[key] for key in scores["LPIPS"]}
    found = [one for one in compare("LPIPS", scores["LPIPS"], few) if one.printed.judge == HUMAN]
    assert verdicts(found) == {"reproduced": 14 * 9 + 3 * 3 + 1, "not recorded": 15 * 9 + 4 * 3 + 4}


def test_what_the_paper_should_have_printed(comparisons):
    computed = {one.printed[:6]: one.computed for one in comparisons}
    key = (2, "gpt4v_0shot", "ImagenHub_Text-Guided_IE", "")
    assert [computed[(*key, aspect, "spearman")] for aspect in ASPECTS] == [0.2715, 0.4298, 0.2468]
    misprints = {one.printed[1:4] for one in comparisons if one.verdict == "differs"}
    assert misprints == {
        ("gpt4v_0shot", "ImagenHub_Text-Guided_IE", "InstructPix2Pix"),
        ("gpt4v_0shot", "ImagenHub_Text-Guided_IE", "Prompt2prompt"),
        ("gpt4v_0shot", "ImagenHub_Control-Guided_IG", "ControlNet"),
        ("gpt4v_0shot", "ImagenHub_Control-Guided_IG", "UniControl"),
        ("LPIPS", "ImagenHub_Text-Guided_IE", "SDEdit"),
        ("CLIP_Score", "ImagenHub_Text-Guided_IG", ""),  # rho of Table 5
    }


def test_printed_rankings_of_judges_are_reproduced(comparisons):
    judges = [one for one in comparisons if one.printed.table == 5 and one.printed.judge in JUDGES]
    assert verdicts(judges) == {"reproduced": 2 * 2 * 7}


def test_the_paper_understates_how_far_judges_are_from_humans(scores, humans):
    judged = {key: humans[key] for key in scores["gpt4v_0shot"]}
    fisher = averages(rater_correlations(judged), "fisher")
    values = [fisher[ALL_TASKS, aspect, "spearman"] for aspect in ASPECTS]
    assert [f"{value:.3f}" for value in values] == ["0.683", "0.548", "0.650"]


def test_most_answers_of_cogvlm_are_guesses(recorded):
    outcomes = read_judgments(recorded / "answers/cogvlm_0shot")
    assert Counter(map(kind_of, outcomes)) == {"judged": 88, "guess": 6306}
    assert sum(outcome["outside"] for outcome in outcomes) == 10
    assert sum(map(len, judges_scores(outcomes).values())) == 0


def test_the_metrics_are_found(recorded):
    assert metric_names(recorded / "answers/autometrics") == METRICS


def test_every_table_is_there():
    counts = Counter(one.table for one in printed_numbers())
    assert sum(counts.values()) - counts[4] - counts[5] == 720
    assert counts == {
        1: 33,
        2: 54,
        3: 81,
        4: 6,
        5: 54,
        6: 174,
        7: 261,
        8: 15,
        9: 42,
        10: 30,
        11: 30,
    }
