"""What a model is sent: the paper's prompt after the image, and what the authors' code sends.

The golden prompts are what the authors' `prompt.py` and the line of `inference_hf.py` that takes
out `<image>` made of questions and answers written here.
"""

import json

import pytest

from lmms_eval_tasks.preference.trials import Pair
from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARK, VoteTrials
from pairbench_ext.core.sources import SourceError
from tests.conftest import REPOSITORY

GOLDEN = json.loads((REPOSITORY / "tests" / "goldens" / "vl_rewardbench_authors.json").read_text())


def shown(trials, golden):
    item = Pair("a", golden["query"], tuple(golden["response"]), "povid", 0, ("image",))
    return trials.show(item, {"row": 0, "order": golden["order"]}).content


@pytest.mark.parametrize("golden", GOLDEN, ids=range(len(GOLDEN)))
def test_the_authors_variant_is_what_their_code_sends(golden, vlrb_data):
    text, picture = shown(VoteTrials({"data": str(vlrb_data), "variant": "authors"}), golden)
    assert text == golden["prompt"]
    assert callable(picture)


@pytest.mark.parametrize("golden", GOLDEN, ids=range(len(GOLDEN)))
def test_otherwise_the_same_words_follow_the_image(golden, vlrb_data):
    picture, text = shown(VoteTrials({"data": str(vlrb_data)}), golden)
    assert callable(picture)
    assert text == golden["prompt"].removeprefix(" ")


def test_votes_orders_and_decoding_of_the_authors_task_are_those_of_k5():
    tasks = {task.name: task for task in BENCHMARK.tasks}
    authors, ours = tasks["vl_rewardbench_authors"], tasks["vl_rewardbench_k5"]
    assert authors.entry == {**ours.entry, "variant": "authors"}
    assert authors.decoding == ours.decoding
    settings = authors.decoding.settings
    assert (settings["temperature"], settings["top_p"], settings["max_new_tokens"]) == (
        0.2,
        0.2,
        2048,
    )


def test_an_unknown_variant_is_named(vlrb_data):
    trials = VoteTrials({"data": str(vlrb_data), "variant": "other"})
    with pytest.raises(SourceError, match=r"'variant' must be .*, not 'other'"):
        len(trials)
