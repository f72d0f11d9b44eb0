import collections

import pytest

from lmms_eval_tasks.pairbench.pairs import TRUTH
from lmms_eval_tasks.pairbench.tasks import TASKS
from lmms_eval_tasks.pairbench.trials import PairTrials
from pairbench_ext.core.benchmark import Task
from tests.conftest import image_rows, write_split

PER_LEAF = {"": 24, "_all_prompts": 120, "_authors": 24}  # trials of two rows


@pytest.fixture
def rotate(pairbench_data):
    return {"config": "coco", "features": ["rotate"], "data": str(pairbench_data)}


def test_the_papers_setting(rotate):
    trials = list(PairTrials(rotate))
    assert len(trials) == 2 * 3 * 2 * 2  # rows, pairs, conditions, orders
    assert {tuple(trial) for trial in trials} == {tuple(trials[0])}
    for trial in trials:
        assert trial["truth"] == TRUTH[trial["pair"]][trial["condition"]]
        shown = (trial["first"], trial["second"])
        column = {"identical": "img2", "transformed": "img3", "irrelevant": "img4"}[trial["pair"]]
        assert shown == (("img1", column) if trial["order"] == "fwd" else (column, "img1"))


def test_both_orders_and_conditions_of_a_pair_share_a_template(rotate):
    templates = collections.defaultdict(set)
    for trial in PairTrials(rotate):
        templates[trial["row"], trial["pair"]].add(trial["template"])
    assert all(len(drawn) == 1 for drawn in templates.values())


def test_the_authors_draw_a_template_for_each_condition(rotate):
    """Their notebook: one draw per condition, row and pair, shared by both orders."""
    rows = {"data": rotate["data"], "config": "wu_img_text", "features": ["spatial"]}
    entry = {**rows, "subset": "a", "image_text": True, "asking": "authors"}
    templates = collections.defaultdict(set)
    for seed in range(20):
        for trial in PairTrials({**entry, "seed": seed}):
            templates[seed, trial["row"], trial["pair"], trial["condition"]].add(trial["template"])
    assert all(len(drawn) == 1 for drawn in templates.values())
    by_pair = collections.defaultdict(set)
    for (*pair, _), drawn in templates.items():
        by_pair[tuple(pair)] |= drawn
    assert {len(drawn) for drawn in by_pair.values()} == {1, 2}


@pytest.mark.parametrize("name", ["image{}", "Image {}", "IMG_{}"])
@pytest.mark.parametrize("listed", [None, ((1, 2), (1, 4))])
def test_columns_may_be_called_image1(name, listed, tmp_path):
    columns = {f"img{k}": name.format(k) for k in range(1, 5)}
    write_split(tmp_path, "coco", "rotate", image_rows(2).rename_columns(columns))
    pairs = listed and [[name.format(column) for column in pair] for pair in listed]
    entry = {"config": "coco", "features": ["rotate"], "data": str(tmp_path), "pairs": pairs}
    kinds = {trial["kind"]: {trial["first"], trial["second"]} for trial in PairTrials(entry)}
    assert kinds["irrelevant"] == {"img1", "img4"}
    assert len(kinds) == (2 if listed else 3)
    trials = PairTrials(entry)
    assert len(trials.ask(trials[0]).images()) == 2


def test_all_24_leaves_of_the_paper_are_found_in_a_copy(pairbench_data, monkeypatch):
    monkeypatch.setenv("PAIRBENCH_DATA", str(pairbench_data))
    tasks = [task for task in TASKS if isinstance(task, Task) and "data" not in task.entry]
    splits = set()
    for task in tasks:
        trials = PairTrials(task.entry)
        assert len(trials) == PER_LEAF[task.folder[6:]]
        splits.add((trials.entry.config, trials.split))
    assert len(tasks) == len(PER_LEAF) * 24
    assert len(splits) == 24
