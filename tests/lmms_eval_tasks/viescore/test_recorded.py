"""The authors' recorded judgments against independent numbers, and against the paper's tables."""

import csv
from collections import Counter

import pytest

from lmms_eval_tasks.viescore.correlations import (
    ALL_TASKS,
    averages,
    human_correlations,
    rankings,
    rater_correlations,
)
from lmms_eval_tasks.viescore.published import PUBLISHED
from lmms_eval_tasks.viescore.ratings import read_all_ratings
from lmms_eval_tasks.viescore.recorded import read_judgments, read_metric
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
def correlations(scores, humans):
    return {name: human_correlations(scores[name], humans) for name in scores}


@pytest.fixture(scope="module")
def oracle(expected):
    return expected["backbones"] | expected["autometrics"]


@pytest.mark.parametrize("name", [*JUDGES, *METRICS])
def test_every_correlation(correlations, oracle, name):
    assert len(correlations[name]) == 9 * sum(map(len, oracle[name]["per_model"].values()))
    for known in correlations[name]:
        wanted = oracle[name]["per_model"][known.task][known.image_model][known.aspect]
        assert known.n == wanted["n"]
        assert known.value == pytest.approx(wanted["exact"][known.statistic], abs=1e-9)


def of_task(averaged, task):
    return averaged["across"] if task == ALL_TASKS else averaged["task"][task]


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("name", [*JUDGES, *METRICS])
def test_every_average(correlations, oracle, name, mean):
    for (task, aspect, statistic), value in averages(correlations[name], mean).items():
        wanted = of_task(oracle[name]["averages"], task)[aspect]["exact"][statistic]
        assert value == pytest.approx(wanted[MEANS[mean]]["skip"], abs=1e-9)


@pytest.mark.parametrize("name", [*JUDGES, *METRICS])
def test_rankings(scores, humans, oracle, name):
    for ranking in rankings(scores[name], humans):
        wanted = oracle[name]["ranking"][ranking.task]
        means = wanted["mean"] if name in METRICS else wanted["judge_mean_O"]
        assert ranking.judge == pytest.approx(means, abs=1e-9)
        of_all = wanted if name in METRICS else wanted["vs_all"]
        assert ranking.footrule == of_all["footrule"]
        assert ranking.rho == pytest.approx(of_all["rho"], abs=1e-9)


@pytest.mark.parametrize("mean", MEANS)
def test_raters_with_each_other(scores, humans, expected, mean):
    known = rater_correlations({key: humans[key] for key in scores["gpt4v_0shot"]}, mean=mean)
    assert len(known) == 29 * 9
    for rater in known:
        wanted = expected["human_human"][rater.task][rater.image_model][rater.aspect]
        value = wanted["exact"][rater.statistic]["loo_avg"][MEANS[mean]]["skip"]
        assert (rater.n, rater.value) == (wanted["n"], pytest.approx(value, abs=1e-9))
    for (task, aspect, statistic), value in averages(known, mean).items():
        wanted = expected["human_human_averages"][statistic][aspect][MEANS[mean]]
        assert value == pytest.approx(of_task(wanted, task), abs=1e-9)


def test_human_means(humans, expected):
    for key, ratings in humans.items():
        wanted = expected["human_means"][key.task][key.image_model]
        assert len(ratings) == wanted["n_uids"]
        for aspect, mean in zip(ASPECTS, ratings.values.mean(axis=(0, 1)), strict=True):
            assert mean == pytest.approx(wanted[aspect], abs=1e-9)


def printed():
    """The correlations of Tables 1 to 11: judge, task and image model, number, value and note."""
    with (PUBLISHED.folder / "tables.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["number"].startswith("spearman"):
                judge = "_".join(filter(None, (row["model"], row["setting"])))
                yield judge, row["part"], row["number"], float(row["value"]), row["note"]


def by_part(correlations):
    """Spearman's correlations and their averages by the authors, named as in the tables."""
    named = {
        (f"{known.task}/{known.image_model}", f"spearman_{known.aspect.lower()}"): known.value
        for known in correlations
        if known.statistic == "spearman"
    }
    for (task, aspect, statistic), value in averages(correlations, "authors").items():
        if statistic == "spearman":
            named["" if task == ALL_TASKS else task, f"spearman_{aspect.lower()}"] = value
    return named


def test_the_papers_tables_follow(correlations, scores, humans):
    """The paper breaks ties by the last bit of a sum, which changes 0.02 at most.

    What does not follow from the judgments at all has a note that says why.
    """
    of_raters = rater_correlations({k: humans[k] for k in scores["gpt4v_0shot"]}, mean="authors")
    known = {name: by_part(judged) for name, judged in correlations.items()}
    known["human"] = by_part(of_raters)
    differences = [
        (abs(known[judge][part, number] - value), judge, note)
        for judge, part, number, value, note in printed()
        if (part, number) in known.get(judge, ())
    ]
    assert len(differences) > 350
    assert max(difference for difference, _, note in differences if not note) < 0.02
    assert max(difference for difference, judge, _ in differences if judge == "human") < 6e-5
    exact = Counter(difference < 6e-5 for difference, _, note in differences if not note)
    assert exact[True] / exact.total() > 0.85


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
