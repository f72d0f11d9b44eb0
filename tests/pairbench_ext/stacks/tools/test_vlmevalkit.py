"""VLMEvalKit: a file that a judge scored has its ratings."""

from tests.pairbench_ext.stacks.tools.files import scored


def test_scores_of_a_judge_are_ratings(tmp_path):
    rows = [
        {"index": i, "question": f"q{i}", "answer": "two cats", "prediction": "cats",
         "log": "Succeed", "score": i % 5 / 4}
        for i in range(10)
    ]  # fmt: skip
    numbers, _ = scored(tmp_path, rows)
    assert numbers["file"]["rating"] == 0.5
    assert numbers["file"]["judgments"] == 10
