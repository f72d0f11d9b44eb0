"""Evaluations in processes of their own: killed, restarted, on several ranks."""

import json
import time
from pathlib import Path

import pytest

from pairbench_ext.judges.blind_judge import BlindJudge
from pairbench_ext.resumable import entries
from pairbench_ext.statistics import seeds
from tests import judges
from tests.commands import lmms_eval
from tests.evaluations import shared, wait_for_lines
from tests.stock_tasks import write_stock_tasks

TASKS = ("mme", "ovo_forward")
BLOCK = 4


@pytest.fixture(scope="module")
def evaluations():
    return shared()


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Enough requests to be killed several times on the way."""
    return write_stock_tasks(tmp_path_factory.mktemp("many"), 24)


def lines_of(log):
    """What was asked, by process, in its order."""
    asked = {}
    for line in log.read_text().splitlines():
        pid, *what = json.loads(line)
        asked.setdefault(pid, []).append(tuple(what))
    return asked


def check_nothing_was_asked_twice(log, in_flight):
    """But for what a killed process had asked and not yet recorded: at most its last block."""
    seen = set()
    for asked in lines_of(log).values():
        assert not seen & set(asked)
        seen |= set(asked[:-in_flight])


def kill_once(evaluations, job, rng, ranks=1):
    """Start a run and kill it at some point of its first requests."""
    log = Path(job["with"]["log"])
    before = log.read_bytes().count(b"\n") if log.exists() else 0
    stalling = {**job["with"], "pause": 0.002, "stall_after": 8}  # it must not end by itself
    pids = evaluations.start(ranks=ranks, **{**job, "with": stalling})
    wait_for_lines(log, before + int(rng.integers(1, 9)))
    time.sleep(rng.uniform(0, 0.005))
    evaluations.kill(pids)


def test_killed_at_random_points(many, tmp_path, evaluations):
    rng = seeds.generator(6)
    log = tmp_path / "log"
    job = {"model": "Asked", "tasks": TASKS, "folder": str(many), "out": str(tmp_path / "out")}
    bare = evaluations.run(**job)
    job |= {"journal": str(tmp_path / "journal"), "block": BLOCK, "with": {"log": str(log)}}
    for _ in range(2):
        kill_once(evaluations, job, rng)
    assert evaluations.run(**job) == bare
    check_nothing_was_asked_twice(log, BLOCK)
    assert len(set().union(*lines_of(log).values())) == 72
    log.unlink()
    assert evaluations.run(**job) == bare
    assert not log.exists(), "a run after a finished one asked something"


def test_ranks_with_models_of_their_own_share_what_is_missing(many, tmp_path, evaluations):
    """All that rank 1 had recorded is lost: rank 0 asks half of it, and nothing is asked twice."""
    log, journal = tmp_path / "log", tmp_path / "journal"
    job = {"model": "Asked", "tasks": TASKS, "folder": str(many), "out": str(tmp_path / "out")}
    bare = evaluations.run(**job)
    job |= {"journal": str(journal), "block": BLOCK, "lockstep": False, "with": {"log": str(log)}}
    assert evaluations.run(**job, ranks=2) == bare
    (journal / "rank-00001.sqlite").unlink()
    log.unlink()
    assert evaluations.run(**job, ranks=2) == bare
    by_rank = [[one[:2] for one in asked if one[0] == "mme"] for asked in lines_of(log).values()]
    assert [len(asked) for asked in by_rank] == [6, 6]
    assert not set(by_rank[0]) & set(by_rank[1])
    log.unlink()
    assert evaluations.run(**job, ranks=1) == bare
    assert not log.exists(), "an answer to a request of another rank was not recorded"


def test_the_command_line_on_two_ranks(task_manager, tmp_path):
    """The stock command, as a user runs it, gives what the bare base gives in one process.

    Orders of one item are asked by different ranks; a judge of places is half right.
    """
    name = "vl_rewardbench_demo_both"
    bare = judges.evaluate(BlindJudge("first"), name, task_manager)
    journal = tmp_path / "journal"
    results, samples = lmms_eval(
        [
            *("--model", "resumable", "--tasks", name, "--batch_size", 4),
            *(
                "--model_args",
                f"base=blind_judge,policy=first,journal={tmp_path / 'journal'},block=8",
            ),
        ],
        tmp_path,
        ranks=2,
    )
    results["samples"] = samples
    numbers = [judges.numbers(run, name) for run in (results, bare)]
    assert numbers[0].keys() <= numbers[1].keys()  # the command line prints some
    assert all(judges.same(value, numbers[1][metric]) for metric, value in numbers[0].items())
    replies = {sample["doc_id"]: [sample["filtered_resps"]] for sample in samples[name]}
    assert replies == {s["doc_id"]: s["filtered_resps"] for s in bare["samples"][name]}
    assert len([*entries(journal)]) == len(replies) == 60
    assert [row["score"] for row in samples[name] if "score" in row] == [0.5] * 30
