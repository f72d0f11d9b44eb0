"""MMRB2's code: the place that was chosen, in both orders."""

from tests.pairbench_ext.stacks.tools.files import scored


def test_both_orders_of_a_pair(tmp_path):
    def said(letter):
        return [{"judgement": letter, "evaluator": "judge-x", "metadata": {}}]

    rows = {f"pair{i}": {"forward": said("A"), "reverse": said("A" if i % 4 == 0 else "B")}
            for i in range(12)}  # fmt: skip
    numbers, _ = scored(tmp_path, rows)
    assert numbers["judge-x"]["position_consistency"] == 0.75
    assert numbers["judge-x"]["first_position_rate"] == (12 + 3) / 24
