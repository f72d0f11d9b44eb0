"""Argilla: responses are people's, suggestions a model's."""

from tests.pairbench_ext.stacks.tools.files import scored


def test_suggestions_beside_responses(tmp_path):
    rows = [
        {
            "id": f"r{i}", "fields": {"prompt": "p"},
            "suggestions": {"preference": {"value": "response-1", "agent": "judge-x"}},
            "responses": {"preference": [
                {"value": "response-2" if i % 4 == 0 else "response-1", "user_id": "u1"}]},
        }
        for i in range(12)
    ]  # fmt: skip
    numbers, _ = scored(tmp_path, rows)
    assert numbers["judge-x"]["accuracy"] == 0.75


def test_flat_records(tmp_path):
    rows = [
        {"id": f"r{i}", "status": "completed", "prompt": "p", "quality.responses": [i % 5 + 1, 3],
         "quality.responses.users": ["u1", "u2"], "quality.suggestion": i % 5 + 1,
         "quality.suggestion.agent": "judge-x"}
        for i in range(12)
    ]  # fmt: skip
    numbers, said = scored(tmp_path, rows)
    assert "people: u1, u2" in said
    assert numbers["judge-x"]["pearson"] > 0.99
