"""HELM: annotations of an instance are a judge's ratings."""

from tests.pairbench_ext.stacks.tools.files import scored


def test_annotations_of_instances(tmp_path):
    rows = [
        {"instance": {"id": f"id{i}", "input": {"text": "?"}}, "request": {},
         "annotations": {"gpt": {"score": i % 5 + 1, "prompt_text": "..."}}}
        for i in range(10)
    ]  # fmt: skip
    numbers, _ = scored(tmp_path, rows)
    assert numbers["gpt"]["rating"] == 3
    assert numbers["gpt"]["judgments"] == 10
