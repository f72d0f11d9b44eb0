"""Label Studio: annotations are people's, predictions a model's."""

from tests.pairbench_ext.stacks.tools.files import scored


def test_pairs_that_people_and_a_model_compared(tmp_path):
    def result(side):
        return [{"type": "pairwise", "from_name": "cmp", "value": {"selected": side}}]

    rows = [
        {
            "id": i, "data": {"prompt": "Which is sharper?"},
            "annotations": [{"completed_by": 7, "result": result("left")}],
            "predictions": [{"model_version": "judge-x", "score": 0.7,
                             "result": result("left" if i % 4 else "right")}],
        }
        for i in range(12)
    ]  # fmt: skip
    numbers, said = scored(tmp_path, rows)
    assert "read as tasks of Label Studio" in said
    assert numbers["judge-x"]["accuracy"] == 0.75
