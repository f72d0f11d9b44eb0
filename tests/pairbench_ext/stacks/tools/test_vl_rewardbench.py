"""Logs of VL-RewardBench's authors: `ranking` is people's."""

import pytest

from tests.pairbench_ext.stacks.tools.files import scored


@pytest.mark.parametrize("name", ["ranking", "human_ranking"])
def test_the_ranking_is_peoples(name, tmp_path):
    rows = [
        {"id": f"RLHF-V-{i}", "query": "?", "response": ["one", "two more"], name: [0, 1],
         "meta": {"filtering model": "judge-x", "random_number": turned,
                  "filter_choice": f"Answer {1 + (turned ^ (i % 4 == 0))} is better."}}
        for i in range(12)
        for turned in (0, 1)
    ]  # fmt: skip
    numbers, _ = scored(tmp_path, rows)
    assert numbers["judge-x"]["accuracy"] == 0.75
    assert numbers["judge-x"]["first_position_rate"] == 0.5
