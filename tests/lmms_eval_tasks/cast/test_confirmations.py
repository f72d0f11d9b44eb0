import numpy as np
import pytest

from lmms_eval_tasks.cast.confirmations import (
    Confirmation,
    ConfirmationTable,
    Generation,
    Incomplete,
)
from pairbench_ext.core.fields import from_mapping
from pairbench_ext.core.records import RecordError
from pairbench_ext.statistics.seeds import generator

FULL = [
    Confirmation(pair, generated, position, evaluated, prompt, value, swapped)
    for pair in (2, 11, "a")
    for generated, evaluated in (("text", "both"), ("image", "text"))
    for position in (1, 4)
    for prompt, value in (("yes/no", 1), ("true/false", None), ("both/one", 0))
    for swapped in (False, True)
]
LISTS = [Generation(2, "text", 5), Generation("b", "both", 0)]
ONE = FULL[0]


def table(*more):
    return ConfirmationTable([*FULL, *LISTS, *more])


def changed(record, **fields):
    return type(record)(**{**record.__dict__, **fields})


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_outcomes_does_not_matter(seed):
    given = [*FULL, *LISTS]
    shuffled = [given[i] for i in generator(seed, "shuffle").permutation(len(given))]
    other, full = ConfirmationTable(shuffled), table()
    assert other.rows == full.rows
    assert other.generations.rows == full.generations.rows
    assert other.pairs == full.pairs == (2, 11, "a", "b")


def test_columns_say_where_each_confirmation_belongs():
    full = table()
    assert full.positions == (1, 4)
    assert len(full) == len(FULL) == 72
    assert full.shape == (4, 3, 3, 2, 3)
    assert full.swapped[:24].tolist() == [False] * 12 + [True] * 12
    pair, generated, evaluated, position, prompt = (place.tolist() for place in full.places)
    assert pair == [0] * 24 + [1] * 24 + [2] * 24
    here = list(zip(generated, evaluated, position, prompt, strict=True))
    cells = {(0, 2, at, asked) for at in (0, 1) for asked in range(3)}
    cells |= {(1, 0, at, asked) for at in (0, 1) for asked in range(3)}
    assert set(here[:12]) == set(here[12:24]) == cells
    by_prompt = dict(zip(prompt, zip(full.confirmed, full.usable, strict=True), strict=True))
    assert by_prompt == {0: (True, True), 1: (False, True), 2: (False, False)}


def test_lists_that_were_asked_for_once_more_or_not_answered_do_not_count():
    full = table(Generation("c", "text", 3, swapped=True), Generation("d", "text", None))
    assert [(one.pair, one.statements) for one in full.generations.rows] == [(2, 5), ("b", 0)]
    assert full.pairs == table().pairs


def test_incomplete_documents_are_counted_once():
    one = Incomplete("a", "text", False)
    assert table(one, one, Incomplete("a", "text", True)).incomplete == {
        one,
        one._replace(swapped=True),
    }


def test_an_empty_table():
    empty = ConfirmationTable([])
    assert (len(empty), empty.pairs, empty.positions, empty.shape) == (0, (), (), (0, 3, 3, 0, 3))
    assert len(empty.swapped) == len(empty.usable) == len(empty.generations) == 0


def test_an_exact_duplicate_counts_once():
    doubled = table(*FULL[:9], LISTS[0])
    assert (len(doubled), len(doubled.generations)) == (72, 2)


@pytest.mark.parametrize("value", [0, None])
def test_a_conflicting_value_is_named(value):
    message = (
        "pair 2, swapped False, generated 'text', evaluated 'both', position 1, prompt 'yes/no' "
        "occurs twice, differently"
    )
    with pytest.raises(ValueError, match=message):
        table(changed(ONE, value=value))


def test_a_conflicting_number_of_statements_is_named():
    with pytest.raises(ValueError, match="pair 2, generated 'text' occurs twice, differently"):
        table(Generation(2, "text", 4))


def test_an_own_and_a_swapped_statement_differ():
    one = Confirmation("a", "text", 1, "text", "yes/no", 1, False)
    both = ConfirmationTable([one, changed(one, swapped=True, value=0)])
    assert both.confirmed.tolist() == [True, False]


def test_pair_1_and_pair_text_1_differ():
    pairs = ConfirmationTable([changed(ONE, pair="1"), changed(ONE, pair=1)])
    assert pairs.pairs == (1, "1")


def test_numpy_scalars_are_numbers():
    one = changed(ONE, pair=np.int64(4), position=np.int32(1), value=np.int64(1))
    assert len(ConfirmationTable([one, changed(one, pair=4)])) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pair": 1.5}, r"'pair' must be a whole number or a text, not 1\.5"),
        ({"pair": True}, "'pair' must be .* not True"),
        ({"generated": "video"}, "'generated' must be 'text', .* not 'video'"),
        ({"position": 0}, "'position' must be a whole number 1 or more, not 0"),
        ({"position": "1"}, "'position' must be .* not '1'"),
        ({"evaluated": None}, "no field 'evaluated'"),
        ({"prompt": "yes"}, "'prompt' must be 'yes/no', .* not 'yes'"),
        ({"value": 2}, "'value' must be 0, 1 or null, not 2"),
        ({"value": True}, "'value' must be .* not True"),
        ({"swapped": 1}, "'swapped' must be true or false, not 1"),
    ],
    ids=str,
)
def test_a_malformed_confirmation_is_named(change, message):
    with pytest.raises(RecordError, match=f"a row: .*{message}"):
        from_mapping(Confirmation, {**ONE.__dict__, **change}, "a row")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pair": None}, "no field 'pair'"),
        ({"generated": "x"}, "'generated' must be 'text', .* not 'x'"),
        ({"statements": -1}, "'statements' must be a whole number 0 or more or null, not -1"),
    ],
    ids=str,
)
def test_a_malformed_list_is_named(change, message):
    with pytest.raises(RecordError, match=f"a row: .*{message}"):
        from_mapping(Generation, {**LISTS[0].__dict__, **change}, "a row")
