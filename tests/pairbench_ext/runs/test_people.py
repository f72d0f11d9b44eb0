import json
from dataclasses import asdict

import numpy as np
import pytest

from lmms_eval_tasks.viescore.correlations import averages, human_correlations, rater_correlations
from lmms_eval_tasks.viescore.ratings import read_all_ratings
from lmms_eval_tasks.viescore.recorded import read_judgments
from lmms_eval_tasks.viescore.scores import judges_scores, raters_scores
from lmms_eval_tasks.viescore.tasks import TASKS
from pairbench_ext.core.table import OutcomeTable
from pairbench_ext.runs.people import beside_people
from pairbench_ext.runs.scoring import read_run
from pairbench_ext.runs.side_by_side import side_by_side, tasks_of
from pairbench_ext.stacks.records.labels import people_labels
from pairbench_ext.statistics.seeds import draw
from tests.conftest import SHARED
from tests.files import judges_in, write_lines
from tests.pairbench_ext.runs.test_compare import ratings
from tests.studies import rating

RECORDED = SHARED / "data/viescore"


def beside(folder, ratings=()):
    sides = side_by_side(judges_in(folder))
    return beside_people(sides, people_labels(ratings, tasks_of(sides)))


def rated(rater, row, pair, condition, score):
    judgment = rating(rater, row, condition, score, kind=pair, feature="rotate", config="birds")
    return {"rater": rater, **asdict(judgment.key), "kind": judgment.kind, "score": score}


def write_study(folder, judge, file, rows=20):
    """A judge's samples of a data set, and the ratings of three people for the same pairs."""
    kinds = ("identical", "transformed", "irrelevant")
    samples = [row for row in ratings(1, 0, rows=rows) if row["trial"]["pair"] != "different"]
    for row in samples:
        row["trial"] |= {"config": "birds", "split": "rotate"}
    write_lines(folder / judge / "samples_pairbench_birds_rotate.jsonl", samples)
    people = [
        rated(rater, row, kind, condition, 1 + draw(10, 0, rater, row, kind))
        for rater in ("anna", "ben", "cleo")
        for row in range(rows)
        for kind in kinds
        for condition in ("sens", "inv")
    ]
    write_lines(file, people)
    return samples, people


def test_a_rating_study_is_found_pair_by_pair(tmp_path):
    file = tmp_path / "ratings.jsonl"
    samples, people = write_study(tmp_path / "judges", "j", file)
    results = beside(tmp_path / "judges", ratings=[file])
    assert [result.part for result in results.every] == ["inv", "sens"]
    sens = results.every[1]
    assert sens.people == ("anna", "ben", "cleo")
    assert (
        sens.numbers.items == 40
    )  # identical and transformed; nobody asked the judge about others
    by_pair = {}
    for row in samples:
        trial = row["trial"]
        if trial["condition"] == "sens":
            value = int(row["filtered_resps"].split()[-1])
            by_pair.setdefault((trial["row"], trial["pair"]), []).append(value)
    means = [np.mean(values) for values in by_pair.values()]
    assert sens.base_rates["judge"]["mean"] == pytest.approx(np.mean(means))
    assert all(len(values) == 2 for values in by_pair.values())  # both orders are one opinion
    anna = [
        row["score"]
        for row in people
        if row["rater"] == "anna" and row["condition"] == "sens" and row["kind"] != "irrelevant"
    ]
    assert sens.base_rates["anna"]["mean"] == pytest.approx(np.mean(anna))


def recorded_rows(table, humans, folder):
    """Recorded verdicts on images that were judged in both aspects, as logged samples."""
    kind = next(task for task in TASKS.values() if folder in task.folder_names)
    for key, scores in judges_scores(table).items():
        rated = humans[key].of(scores.samples).tolist() if key.task == folder else []
        for sample, values, raters in zip(scores.samples, scores.values, rated, strict=False):
            for aspect, value in zip(("SC", "PQ"), values.tolist(), strict=False):
                trial = {
                    "benchmark": "viescore", "task": kind.name, "image_model": key.image_model,
                    "sample": sample, "aspect": aspect, "ratings": [r[:2] for r in raters],
                }  # fmt: skip
                reply = {"score": [10 * value] * kind.sub_scores_of(aspect)}
                yield {"trial": trial, "filtered_resps": json.dumps(reply)}


@pytest.mark.skipif(not RECORDED.is_dir(), reason="needs the recorded judgments of VIEScore")
def test_recorded_judgments_have_the_correlations_of_their_own_benchmark(tmp_path):
    humans = read_all_ratings(RECORDED / "human")
    folder = "ImagenHub_Multi-Concept_IC"
    recorded = read_judgments(RECORDED / "answers/gpt4v_0shot")
    file = tmp_path / "gpt4v" / "samples_viescore_mcic.jsonl"
    write_lines(file, recorded_rows(recorded, humans, folder))
    table = OutcomeTable(read_run(file).outcomes)
    rated = raters_scores(table)
    expected = averages(human_correlations(judges_scores(table), rated))
    ceiling = averages(rater_correlations(rated))
    for result in beside(tmp_path).every:
        place = "mcic", result.part, "spearman"
        assert result.numbers.items == len(table) / 2 > 200
        assert result.numbers.correlations.with_mean == pytest.approx(expected[place], abs=1e-9)
        assert result.numbers.correlations.ceiling == pytest.approx(ceiling[place], abs=1e-9)
        assert result.numbers.correlations.with_others < result.numbers.correlations.ceiling
        assert result.numbers.alt_test.passes is False
