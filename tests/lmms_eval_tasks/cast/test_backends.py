"""The two protocols, on a real architecture and on two processes."""

import os

from tests.commands import lmms_eval
from tests.judges import SightedJudge, evaluate, numbers, same
from tests.lmms_eval_tasks.cast import similarity_judge


def by_document(samples):
    return {sample["doc_id"]: sample["trial"] for sample in samples}


def test_two_processes_find_what_one_finds_in_both_protocols(
    cast_data, tmp_path, task_manager, monkeypatch
):
    """One process asks one by one, two in rounds and in batches of 16."""
    monkeypatch.setenv("CAST_DATA", str(cast_data))
    one = evaluate(SightedJudge(similarity_judge.answer), "cast", task_manager)
    plugins = similarity_judge.install(tmp_path / "plugins")
    tasks = ("cast", "cast_rounds")
    two, samples = lmms_eval(
        [
            *("--model", "resumable", "--model_args", f"base={similarity_judge.NAME}"),
            *("--tasks", ",".join(tasks)),
        ],
        tmp_path,
        ranks=2,
        CAST_DATA=str(cast_data),
        PYTHONPATH=os.pathsep.join(filter(None, [str(plugins), os.environ.get("PYTHONPATH")])),
    )
    expected = numbers(one, "cast")
    assert 0 < expected["swapped_rate"] < 1
    assert 0 < expected["coverage"] < 1
    for task in tasks:
        order = [sample["doc_id"] for sample in samples[task]]
        assert order == [*range(0, 24, 2), *range(1, 24, 2)]  # or this test would show nothing
        assert by_document(samples[task]) == by_document(one["samples"]["cast"])
        found = numbers(two, task)
        assert len(found) > 5
        assert all(same(value, expected[name]) for name, value in found.items())
