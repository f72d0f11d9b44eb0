"""inspect: what a model graded, beside what a person did."""

from tests.pairbench_ext.stacks.tools.files import scored


def test_graders_beside_a_reviewer(tmp_path):
    samples = [
        {"id": i, "epoch": 1, "input": "?", "target": "a bicycle", "output": {"completion": "Two."},
         "scores": {"model_graded_qa": {"value": "CI"[i % 2]},
                    "human_review": {"value": "CI"[i % 4 > 0]}}}
        for i in range(12)
    ]  # fmt: skip
    numbers, _ = scored(tmp_path, {"version": 2, "eval": {"model": "m"}, "samples": samples})
    assert numbers["model_graded_qa"]["accuracy"] == 0.75
