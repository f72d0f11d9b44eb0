"""A part of the items: the same for every model, nested, and with the shares of all."""

from collections import Counter
from itertools import groupby

import numpy as np
import pytest

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Task
from pairbench_ext.core.limit_items import KEY, VARIABLE, Sampled, limit_of
from pairbench_ext.core.sources import SourceError
from pairbench_ext.harness.documents import TrialDocs
from pairbench_ext.runs.compare import compare
from pairbench_ext.statistics.seeds import draw
from tests.files import json_of, judges_of, pairbench, score_file, write_lines
from tests.judges import CannedJudge, evaluate, numbers
from tests.pairbench_ext.runs.test_compare import vote

DEMOS = {
    task.name: (benchmark, dict(task.entry))
    for benchmark in registry.every_benchmark()
    for task in benchmark.tasks
    if isinstance(task, Task) and str(task.entry.get("data")).startswith(("demo", "synthetic"))
}
ONE_OF_EACH = (
    "cast_demo", "pairbench_demo_rotate", "subtlebench_demo", "viescore_demo_cig",
    "vl_rewardbench_demo", "vl_rewardbench_demo_both",
)  # fmt: skip


def trials_of(name, limit=None):
    benchmark, entry = DEMOS[name]
    return benchmark.trials({**entry, **({KEY: limit} if limit else {})})


def without_note(trial):
    return {key: value for key, value in trial.items() if key != KEY}


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_parts_are_nested_and_of_whole_items(name):
    every = trials_of(name)
    units = [every.unit_of(request)[0] for request in every.requests]
    of_unit = {}
    for unit, trial in zip(units, every, strict=True):
        of_unit.setdefault(unit, []).append(trial)
    few, more, all_of_them = (trials_of(name, limit) for limit in (2, 3, 10**6))
    assert [without_note(trial) for trial in more][: len(few)] == [without_note(t) for t in few]
    assert [without_note(t) for t in all_of_them][: len(more)] == [without_note(t) for t in more]
    assert len(all_of_them) == len(every)
    assert len(few) < len(more) < len(every)
    in_order = [unit for unit, _ in groupby([units[number] for number, _ in more.drawn])]
    assert len(in_order) == 3
    expected = [trial for unit in in_order for trial in of_unit[unit]]
    assert [without_note(trial) for trial in more] == expected == [without_note(t) for t in more[:]]
    assert more[0][KEY] == few[0][KEY] | {"items": 3}
    assert all(trial[KEY]["of"] == len(of_unit) for trial in more)


@pytest.mark.parametrize("limit", [0, -3, 2.5, "two", True, [3]])
def test_what_is_no_number_of_items_is_refused(limit, monkeypatch):
    with pytest.raises(SourceError, match="'limit_items' must be a number of items"):
        limit_of({KEY: limit})
    monkeypatch.setenv(VARIABLE, str(limit))
    with pytest.raises(SourceError, match=VARIABLE):
        limit_of({})
    benchmark, entry = DEMOS["vl_rewardbench_demo"]
    assert VARIABLE in TrialDocs(benchmark, benchmark.trials(entry)).failure


# Of 100 items, 70 are of povid and 30 of mathverse.
SIZES = {"povid": 70, "mathverse": 30}
RIGHT = {"povid": [1, 1, 0, 1, 1, 1], "mathverse": [0, 1, 0, 0]}


def votes(right=RIGHT, note=True):
    for source, hits in right.items():
        for number, hit in enumerate(hits):
            sampled = {KEY: Sampled(10, 100)._asdict()} if note else {}
            yield vote(f"{source}{number}", 2 - hit, **{"source": source, **sampled})


def test_a_run_of_a_part_says_so(tmp_path):
    file = tmp_path / "x_samples_vl_rewardbench.jsonl"
    write_lines(file, votes())
    run = score_file(registry.benchmark_of("vl_rewardbench"), file)
    hits = [*RIGHT["povid"], *RIGHT["mathverse"]]
    assert run.numbers["vote_accuracy"] == pytest.approx(np.mean(hits))
    assert run.numbers["items"] == 10
    assert "10 of 100 items" in " ".join(run.remarks())
    assert "10 of 100 items" in pairbench("score", "vl_rewardbench", file).output
    [document] = json_of("score", "vl_rewardbench", file)["runs"]
    assert (document["items"], document["of_items"]) == (10, 100)


def test_a_part_has_the_share_of_every_stratum():
    every = trials_of("vl_rewardbench_demo")
    strata = Counter(dict(map(every.unit_of, every.requests)).values())
    for limit in range(1, sum(strata.values())):
        part = trials_of("vl_rewardbench_demo", limit)
        drawn = Counter(dict(map(part.unit_of, (part.requests[n] for n, _ in part.drawn))).values())
        for stratum, size in strata.items():
            assert abs(drawn[stratum] - limit * size / sum(strata.values())) < 1


def test_a_part_is_compared_with_a_run_of_all_on_the_part(tmp_path):
    every = {name: [int(n % 3 > 0) for n in range(size)] for name, size in SIZES.items()}
    write_lines(tmp_path / "part" / "x_samples_vl_rewardbench.jsonl", votes())
    write_lines(tmp_path / "whole" / "x_samples_vl_rewardbench.jsonl", votes(every, note=False))
    results = compare(judges_of(tmp_path / "part", tmp_path / "whole"), numbers=["vote_accuracy"])
    [comparison] = results.every
    assert (comparison.items, comparison.only_a, comparison.only_b) == (10, 0, 90)

    def mean(right):
        return np.mean([hit for name, hits in right.items() for hit in hits[: len(RIGHT[name])]])

    assert comparison.difference == pytest.approx(mean(RIGHT) - mean(every))
    assert comparison.ci95[0] < comparison.difference < comparison.ci95[1]
    [ranking] = results.rankings
    assert ranking.values["part"].value == pytest.approx(mean(RIGHT))
    hits = every["povid"] + every["mathverse"]
    assert ranking.own["whole"].value.value == pytest.approx(np.mean(hits))


def test_the_harness_and_score_give_the_same(task_manager, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "10")
    task = "vl_rewardbench_demo_both"

    def answer(doc):
        better = 1 + (doc["truth"] ^ (doc["order"] == "rev"))
        right = draw(3, 0, doc["item"]) > 0 or (doc["order"] == "rev" and draw(2, 1, doc["item"]))
        return f"Overall Judgment: Answer {better if right else 3 - better} is better."

    results = evaluate(CannedJudge(answer), task, task_manager)
    given = numbers(results, task)
    samples = results["samples"][task]
    assert len(samples) == 20
    file = tmp_path / f"now_samples_{task}.jsonl"
    write_lines(file, [{k: s[k] for k in ("filtered_resps", "trial")} for s in samples])
    for name, value in score_file(registry.benchmark_of("vl_rewardbench"), file).numbers.items():
        assert given[name] == pytest.approx(value, nan_ok=True), name
