from collections import Counter

import numpy as np
import pytest

from lmms_eval_tasks.preference.votes import word_count
from lmms_eval_tasks.vl_rewardbench.demo import read_preferences
from lmms_eval_tasks.vl_rewardbench.groups import GROUPS, SOURCES, group_of, source_of

PAIRS = read_preferences()
ERROR_TYPES = ("existence", "counting", "attribute", "recognition", "reasoning")


def better(pair):
    return pair["response"][pair["human_ranking"].index(0)]


def worse(pair):
    return pair["response"][pair["human_ranking"].index(1)]


def first_is_better(pair):
    return pair["human_ranking"] == [0, 1]


def words_more(pair):
    """By how many words the better answer is longer."""
    return word_count(better(pair)) - word_count(worse(pair))


def test_every_group_source_and_error_type_occurs():
    assert Counter(pair["error_type"] for pair in PAIRS) == dict.fromkeys(ERROR_TYPES, 6)
    assert Counter(group_of(pair["id"]) for pair in PAIRS) == {
        "general": 8,
        "hallucination": 16,
        "reasoning": 6,
    }
    assert {source_of(pair["id"]) for pair in PAIRS} == set(SOURCES)
    for pair in PAIRS:
        assert (group_of(pair["id"]) == "reasoning") == (pair["error_type"] == "reasoning")


@pytest.mark.parametrize("group", GROUPS)
def test_neither_position_nor_length_tells_the_better_answer(group):
    pairs = [pair for pair in PAIRS if group_of(pair["id"]) == group]
    assert sum(map(first_is_better, pairs)) * 2 == len(pairs)
    signs = Counter(int(np.sign(words_more(pair))) for pair in pairs)
    assert signs[1] == signs[-1]
    assert signs[0] <= 2
