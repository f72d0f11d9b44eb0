"""The tasks for the harness itself give the same numbers as the plugin's, reply by reply."""

import json
import re
import shutil
from pathlib import Path

import pytest
from lmms_eval.tasks import TaskManager

from pairbench_ext.harness.plugin import tasks_dir
from pairbench_ext.statistics.seeds import draw
from tests.judges import PromptChatJudge, PromptJudge, evaluate, numbers

TASKS = Path(__file__).parents[2] / "contrib/lmms_eval/tasks"


@pytest.fixture
def contributed(tmp_path):
    """A task manager over a contributed folder whose data are read from a local folder."""

    def index(name, data):
        folder = shutil.copytree(TASKS / name, tmp_path / "tasks" / name)
        for file in folder.glob("*yaml"):
            text = re.sub(r"(?m)^dataset_path: .*$", f"dataset_path: {data}", file.read_text())
            file.write_text(text)
        return TaskManager(include_defaults=False, include_path=str(folder))

    return index


@pytest.fixture
def plugin(tmp_path):
    """A task manager over the plugin's folder whose tasks read replies by a rule."""

    def index(name, rule):
        folder = shutil.copytree(Path(tasks_dir()) / name, tmp_path / "plugin" / name)
        entries = json.loads((folder / "sources.json").read_text())
        ruled = {
            task: [{**entry, "rule": rule} for entry in rows] for task, rows in entries.items()
        }
        (folder / "sources.json").write_text(json.dumps(ruled))
        return TaskManager(include_defaults=False, include_path=str(folder))

    return index


def both(judge, answer, task, managers):
    """The numbers of the contributed task, and of the plugin's, of the same judge."""
    runs = []
    for manager in managers:
        asked = judge(answer)
        runs.append((numbers(evaluate(asked, task, manager), task), len(asked.shown)))
    (theirs, asked), (ours, asked_by_us) = runs
    assert asked == asked_by_us
    return theirs, ours


def expect_same(theirs, ours, names):
    """Equal numbers, under the names that each has for them."""
    assert {name: theirs[name] for name in names} == pytest.approx(
        {name: ours[names[name]] for name in names}, abs=1e-12, nan_ok=True
    )


# What VL-RewardBench's judges say, by a draw from what they are shown.
VERDICTS = (
    "Overall Judgment: Answer 1 is better.",
    "Therefore, while Answer 1 is better in style,\n**Answer 2** is slightly better.",
    "Overall Judgment: Answer 2 is the better one.",  # not as their pattern wants it
    "Overall Judgment: Answer X is better.",
    "",
)


def mixed(replies):
    """A judge that says one of the replies; which, is drawn from the whole prompt."""
    return lambda prompt: replies[draw(len(replies), 0, prompt.partition("Answer 1")[2] or prompt)]


VOTES = {
    "vlreward_overall_accuracy": "overall_accuracy",
    "vlreward_macro_accuracy": "macro_accuracy",
    "vlreward_general_accuracy": "general",
    "vlreward_hallucination_accuracy": "hallucination",
    "vlreward_reasoning_accuracy": "reasoning",
    "vlreward_vote_accuracy": "vote_accuracy",
    "vlreward_position_consistency": "position_consistency",
    "vlreward_coverage": "coverage",
}


@pytest.mark.parametrize(
    ("task", "judge"),
    [("vl_rewardbench_both", PromptChatJudge), ("vl_rewardbench_k5", PromptJudge)],
)
@pytest.mark.parametrize("replies", [VERDICTS, VERDICTS[:2], VERDICTS[:1], VERDICTS[-1:]], ids=len)
def test_vl_rewardbench(task, judge, replies, contributed, plugin, vlrb_data, monkeypatch):
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))
    managers = contributed("vl_rewardbench", vlrb_data), plugin("vl_rewardbench", "authors")
    theirs, ours = both(judge, mixed(replies), task, managers)
    expect_same(theirs, ours, VOTES)
    assert theirs["vlreward_decided"] * ours["items"] == pytest.approx(ours["items_decided"])
