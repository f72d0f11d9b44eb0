"""Samples of a task of lmms-eval that is none of ours."""

from tests.pairbench_ext.stacks.tools.files import scored


def test_replies_against_the_target(tmp_path):
    rows = [
        {"doc_id": i, "target": "A" if i % 4 else "B", "input": "?", "filtered_resps": ["A"]}
        for i in range(12)
    ]
    numbers, _ = scored(tmp_path, rows)
    assert numbers["file"]["accuracy"] == 0.75
