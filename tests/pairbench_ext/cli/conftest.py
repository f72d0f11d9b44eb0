import pytest

from tests.pairbench_ext.test_comparing import votes, write


@pytest.fixture
def judges(tmp_path):
    for name, wrong in (("good", 7), ("fair", 3), ("bad", 2)):
        right = lambda item, repeat, wrong=wrong: (item + repeat) % wrong > 0  # noqa: E731
        write(tmp_path / name / "1_samples_vl_rewardbench_k5.jsonl", votes(right, repeats=3))
    return [tmp_path / name for name in ("good", "fair", "bad")]
