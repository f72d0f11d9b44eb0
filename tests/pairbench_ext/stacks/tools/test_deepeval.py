"""deepeval: each metric of a case is a criterion."""

from tests.pairbench_ext.stacks.tools.files import scored


def test_metrics_are_criteria(tmp_path):
    rows = [
        {"name": f"case {i}", "input": "?", "metricsData": [
            {"name": "Faithfulness", "score": i / 10, "evaluationModel": "gpt-4o"},
            {"name": "Relevancy", "score": 1.0, "evaluationModel": "gpt-4o"}]}
        for i in range(10)
    ]  # fmt: skip
    numbers, said = scored(tmp_path, rows)
    assert "criteria Faithfulness, Relevancy" in said
    assert numbers["gpt-4o"]["judgments"] == 10
