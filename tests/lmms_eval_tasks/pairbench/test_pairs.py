import pytest

from lmms_eval_tasks.pairbench.pairs import find_pairs
from pairbench_ext.core.sources import LeftOut, SourceError

COLUMNS = ["img1", "img2", "img3", "img4", "img5"]


def test_what_a_pair_is_is_not_guessed_it_is_left_out(warned):
    left_out, pair = LeftOut(), ("img3", "img4")
    listed = (("img1", "img2"), pair)
    [known] = find_pairs(COLUMNS, listed, None, f"coco{pair}", left_out=left_out)
    assert known == ("identical", "img1", "img2", "identical")
    [reason] = left_out
    assert f"whether the pair {pair} is identical" in reason
    assert "left out; set 'pairs' and 'kinds'" in reason
    assert reason in warned[0]
    with pytest.raises(SourceError, match=r"whether the pair \('img\d', 'img\d'\) is identical"):
        find_pairs(COLUMNS, (pair,), None, "coco")


LISTED = tuple(("img1", f"img{k}") for k in range(2, 6))
WITH_ITSELF = (("img1", "img1"), *LISTED[:3])


@pytest.mark.parametrize(
    ("listed", "kinds"),
    [
        (LISTED, ("identical", "transformed", "irrelevant", "transformed")),
        (None, ("identical", "transformed", "irrelevant", "transformed")),
        (WITH_ITSELF, ("identical", "transformed", "transformed", "irrelevant")),
    ],
)
def test_the_fourth_pair_of_whatsup_is_what_table_9_counts(listed, kinds, warned):
    pairs = find_pairs(COLUMNS, listed, None, f"wu{listed}", positions=True)
    assert tuple(pair.kind for pair in pairs) == kinds
    assert sorted(kinds).count("transformed") == 2
    said = [line for line in warned if "Table 9" in line]
    assert len(said) == (3 if listed == WITH_ITSELF else 1)
    assert "set 'pairs' and 'kinds' in the task's settings" in said[0]
    find_pairs(COLUMNS, listed, None, f"wu{listed}", positions=True)  # another leaf of the group
    assert [line for line in warned if "Table 9" in line] == said
