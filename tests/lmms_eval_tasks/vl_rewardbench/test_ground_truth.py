"""Table 19: two answers beside the right one, of the pairs that have one."""

import json

from lmms_eval_tasks.preference.trials import Pair
from lmms_eval_tasks.vl_rewardbench.benchmark import VoteTrials
from tests.conftest import REPOSITORY

GOLDEN = json.loads((REPOSITORY / "tests/goldens/vl_rewardbench_table_19.json").read_text())


def test_the_prompt_is_that_of_the_paper():
    pair = Pair("a", GOLDEN["query"], tuple(GOLDEN["response"]), "mmmu", 0, ("image",))
    pair = pair._replace(ground_truth=GOLDEN["ground_truth"])
    trials = VoteTrials({"variant": "ground_truth"})
    picture, text = trials.show(pair, {"row": 5, "order": "rev"}).content
    assert callable(picture)
    assert text == GOLDEN["prompt"]
