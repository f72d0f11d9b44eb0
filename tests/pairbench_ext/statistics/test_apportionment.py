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
