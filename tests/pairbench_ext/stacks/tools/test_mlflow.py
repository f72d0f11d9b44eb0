"""MLflow: assessments of a trace are of people or of judges."""

from tests.pairbench_ext.stacks.tools.files import scored


def test_assessments_of_a_trace(tmp_path):
    def assessment(kind, who, value):
        return {"assessment_name": "ok", "source": {"source_type": kind, "source_id": who},
                "feedback": {"value": value}}  # fmt: skip

    rows = [
        {"trace_id": f"t{i}", "assessments": [
            assessment("HUMAN", "ann", "yes" if i % 2 else "no"),
            assessment("LLM_JUDGE", "gpt-4o", "yes" if i % 4 else "no")]}
        for i in range(20)
    ]  # fmt: skip
    numbers, _ = scored(tmp_path, rows)
    assert numbers["gpt-4o"]["accuracy"] == 0.75
