from dataclasses import astuple, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.cast import consistency
from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS
from pairbench_ext.statistics.seeds import draw
from tests.lmms_eval_tasks.cast.tables import Confirmation, Generation, confirmations_of

NAN = float("nan")


def answered(value, *, pairs=2, positions=3, swapped=(False, True)):
    """All that CAST asks, answered by a function of the confirmation without its value."""
    records = [
        Confirmation(pair, generated, position, evaluated, prompt, None, other)
        for pair in range(pairs)
        for generated in MODALITIES
        for position in range(1, positions + 1)
        for evaluated in MODALITIES
        for prompt in PROMPTS
        for other in swapped
    ]
    return [replace(record, value=value(record)) for record in records]


def table(value, **size):
    return confirmations_of(answered(value, **size))


def consistent(record):
    return int(not record.swapped)


def image_blind(record):
    """Sees nothing in images, so it denies there what it took from the text, and says yes else."""
    return int(record.evaluated != "image" or record.generated == "image")


def by_prompt(record):
    return {"yes/no": 1, "both/one": 0, "true/false": record.position == 1}[record.prompt] * 1


CANNED = {
    "consistent": (consistent, np.ones((3, 3)), np.zeros((3, 3))),
    "yes-sayer": (lambda record: 1, np.ones((3, 3)), np.ones((3, 3))),
    "no-sayer": (lambda record: 0, np.zeros((3, 3)), np.zeros((3, 3))),
    "image-blind": (
        image_blind,
        [[1, 0, 1], [1, 1, 1], [1, 0, 1]],
        [[1, 0, 1], [1, 1, 1], [1, 0, 1]],
    ),
    "text-blind": (
        lambda record: int(record.evaluated != "text" or record.generated == "text"),
        [[1, 1, 1], [0, 1, 1], [0, 1, 1]],
        [[1, 1, 1], [0, 1, 1], [0, 1, 1]],
    ),
    # (1 + 0 + 1/3) / 3
    "depends on the prompt": (by_prompt, np.full((3, 3), 4 / 9), np.full((3, 3), 4 / 9)),
    "never usable": (lambda record: None, np.full((3, 3), NAN), np.full((3, 3), NAN)),
}  # fmt: skip


@pytest.mark.parametrize(("value", "own", "swapped"), CANNED.values(), ids=CANNED)
def test_the_matrix_of_a_canned_model(value, own, swapped):
    full = table(value)
    np.testing.assert_allclose(consistency.matrix(full), own)
    np.testing.assert_allclose(consistency.matrix(full, swapped=True), swapped)


# Table 3, "Avg." of the rows Bunny and LLaVA1.5 RLAIF: each prompt weighs the same.
@pytest.mark.parametrize(
    ("shares", "average"), [((97, 99, 84), 0.93), ((22, 89, 35), 0.49), ((54, 100, 74), 0.76)]
)
def test_averages_are_the_papers(shares, average):
    limits = dict(zip(PROMPTS, shares, strict=True))
    full = table(lambda r: int(r.pair < limits[r.prompt]), pairs=100, positions=1, swapped=[False])
    np.testing.assert_allclose(consistency.matrix(full), average, atol=0.005)


def test_every_prompt_weighs_the_same_however_many_replies_are_usable():
    """Pooled over replies it would be 4/5."""
    full = table(
        lambda r: None if r.prompt != "yes/no" and r.position > 1 else int(r.prompt != "both/one"),
    )
    np.testing.assert_allclose(consistency.matrix(full), 2 / 3)


def test_strict_counts_unusable_replies_as_not_confirmed():
    full = table(lambda r: None if r.position == 3 else 1)
    np.testing.assert_allclose(consistency.matrix(full), 1)
    np.testing.assert_allclose(consistency.matrix(full, strict=True), 2 / 3)


def test_only_the_first_statements_count():
    full = table(lambda r: int(r.position <= 2), positions=5)
    for top, value in ((1, 1), (2, 1), (3, 2 / 3), (5, 2 / 5), (None, 2 / 5)):
        np.testing.assert_allclose(consistency.matrix(full, top=top), value)
        np.testing.assert_allclose(consistency.within_modality(full, top), value)
    np.testing.assert_allclose(
        consistency.by_position(full), [[1] * 3, [1] * 3, [0] * 3, [0] * 3, [0] * 3]
    )


def test_statements_per_generation():
    counts = [Generation(0, "text", 5), Generation(1, "text", 0), Generation(0, "both", 3)]
    means = consistency.statements_per_generation(confirmations_of(counts))
    np.testing.assert_array_equal(means, [2.5, NAN, 3])


def test_an_empty_table_has_no_numbers():
    empty = confirmations_of([])
    assert np.isnan(consistency.matrix(empty)).all()
    assert consistency.by_position(empty).shape == (0, 3)
    assert np.isnan(consistency.coverage(empty))
    assert np.isnan(consistency.coverage_by_prompt(empty)).all()
    assert np.isnan(consistency.statements_per_generation(empty)).all()


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

    replies = answered(said, swapped=[False])
    plain, theirs = confirmations_of(replies), confirmations_of(replies, "authors")
    assert consistency.matrices_by_prompt(theirs) == pytest.approx(
        np.array([np.full((3, 3), 2 / 3), [[1, 1, 2 / 3]] * 3, np.full((3, 3), 2 / 3)])
    )
    assert consistency.matrices_by_prompt(plain) == pytest.approx(
        np.array([np.ones((3, 3)), [[1, 1, 0]] * 3, np.ones((3, 3))])
    )
    assert consistency.coverage_by_prompt(theirs) == pytest.approx(
        consistency.coverage_by_prompt(plain)
    )


def test_pooling_follows_the_rule_unless_it_is_chosen():
    rows = [replace(row, rule="authors") for row in answered(consistent, pairs=1)]
    assert confirmations_of(rows).by_authors
    assert not confirmations_of(rows, "paper").by_authors
    assert not confirmations_of([]).by_authors
    assert not confirmations_of([replace(rows[0], rule="paper"), *rows[1:]]).by_authors
