from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.statistics.apportionment import nested_order

NAMES = st.one_of(st.integers(0, 10**6), st.text(max_size=6))
STRATA = st.dictionaries(NAMES, st.integers(0, 6), min_size=1, max_size=80)


@given(STRATA)
def test_every_beginning_has_the_strata_s_shares_within_one_item(strata):
    order = nested_order(strata)
    assert Counter(order) == Counter(dict.fromkeys(strata, 1))
    sizes, taken = Counter(strata.values()), Counter()
    for k, name in enumerate(order, start=1):
        taken[strata[name]] += 1
        for stratum, size in sizes.items():
            quota = k * size
            assert quota // len(strata) <= taken[stratum] <= -(-quota // len(strata))


@given(STRATA, st.randoms())
def test_the_order_of_the_data_does_not_matter(strata, random):
    shuffled = list(strata.items())
    random.shuffle(shuffled)
    assert nested_order(dict(shuffled)) == nested_order(strata)


@given(STRATA, st.text(min_size=7, max_size=9), st.integers(0, 6))
def test_a_row_more_moves_no_other_past_another_of_its_stratum(strata, name, stratum):
    more = {**strata, name: stratum}
    for one in set(strata.values()):
        before = [x for x in nested_order(strata) if strata[x] == one]
        after = [x for x in nested_order(more) if more[x] == one and x != name]
        assert after == before


def test_the_order_is_the_same_in_every_process():
    names = ("a", "b", "cc", "dd", "e", "ff")
    assert nested_order({name: len(name) for name in names}) == ["e", "dd", "b", "ff", "a", "cc"]
