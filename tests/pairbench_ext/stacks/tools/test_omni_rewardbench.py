"""OmniRewardBench's code: the preference is people's, the reply the judge's."""

from tests.pairbench_ext.stacks.tools.files import scored


def test_the_preference_is_not_the_judges(tmp_path):
    rows = [
        {"id": i, "criteria": "shape", "criteria_preference": "A", "model1": "a", "model2": "b",
         "predicted": None, "gpt-4o_raw_response": "[[A]]" if i % 4 else "[[B]]"}
        for i in range(12)
    ]  # fmt: skip
    numbers, _ = scored(tmp_path, rows)
    assert numbers["gpt-4o"]["accuracy"] == 0.75
