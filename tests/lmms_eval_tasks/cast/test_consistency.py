from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.cast import consistency
from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS
from pairbench_ext.statistics.seeds import draw
from tests.lmms_eval_tasks.cast.tables import answered, confirmations_of


# Table 3, "Avg." of the rows Bunny and LLaVA1.5 RLAIF: each prompt weighs the same.
@pytest.mark.parametrize(
    ("shares", "average"), [((97, 99, 84), 0.93), ((22, 89, 35), 0.49), ((54, 100, 74), 0.76)]
)
def test_averages_are_the_papers(shares, average):
    limits = dict(zip(PROMPTS, shares, strict=True))
    full = answered(lambda r: int(r.pair < limits[r.prompt]), 100, positions=1, swapped=[False])
    np.testing.assert_allclose(consistency.matrix(confirmations_of(full)), average, atol=0.005)


@given(st.integers(0, 2**32), st.integers(1, 4))
def test_numbers_follow_from_the_records_one_by_one(seed, positions):
    full = answered(
        lambda r: (0, 1, 1, None)[draw(4, seed, *map(str, astuple(r)[:5]), int(r.swapped))],
        pairs=3,
        positions=positions,
    )
    matrix = consistency.matrix(confirmations_of(full))
    for i in range(3):
        for j in range(3):
            here = [
                row
                for row in full
                if (row.generated, row.evaluated) == (MODALITIES[i], MODALITIES[j])
                and not row.swapped
                and row.position <= 3
                and row.value is not None
            ]
            shares = [[row.value for row in here if row.prompt == prompt] for prompt in PROMPTS]
            expected = np.mean([np.mean(share) for share in shares if share])
            assert matrix[i, j] == pytest.approx(expected)


def test_pooled_as_by_the_authors_an_unusable_reply_is_not_confirmed():
    """Their "both" of both/one is the mean over the three modalities: here 1, 1 and 0."""

    def said(record):
        if record.prompt == "both/one":
            return int(record.evaluated != "both")
        return 1 if record.position < 3 else None

    replies = answered(said, 2, swapped=[False])
    plain, theirs = confirmations_of(replies), confirmations_of(replies, "authors")
    assert consistency.matrices_by_prompt(theirs) == pytest.approx(
        np.array([np.full((3, 3), 2 / 3), [[1, 1, 2 / 3]] * 3, np.full((3, 3), 2 / 3)])
    )
    assert consistency.matrices_by_prompt(plain) == pytest.approx(
        np.array([np.ones((3, 3)), [[1, 1, 0]] * 3, np.ones((3, 3))])
    )
