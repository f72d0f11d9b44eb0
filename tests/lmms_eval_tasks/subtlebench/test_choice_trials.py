"""What is asked: selections, orders of options, and what is wrong with an entry or its data."""

import pytest

from lmms_eval_tasks.subtlebench.build import build_subtle
from lmms_eval_tasks.subtlebench.choices import ChoiceTrials
from lmms_eval_tasks.subtlebench.scenes import SyntheticRows
from lmms_eval_tasks.subtlebench.tasks import CHOICE_TASKS
from pairbench_ext.core.benchmark import dialogue
from tests.lmms_eval_tasks.subtlebench.conftest import row, write_data

ROWS_OF = {
    "state": [2, 3],
    "viewpoint": [6, 7],
    "natural": [0, 3, 6, 7, 8],
    "industrial": [2],
    "swapped": [1, 1, 2, 2, 3, 3, 4, 4, 6, 6, 7, 7, 8, 8],
}


def asked_first(trial, trials):
    return dialogue(trials.ask(trial), []).following


@pytest.fixture
def asked(subtlebench_data):
    return lambda **entry: list(ChoiceTrials({"data": str(subtlebench_data), **entry}))


@pytest.mark.parametrize("task", ROWS_OF)
def test_a_row_has_its_name_and_options_wherever_it_is_asked(task, asked):
    [entry] = [each.entry for each in CHOICE_TASKS if each.name == f"subtlebench_{task}"]
    whole, found = asked(), asked(**entry)
    assert [trial["row"] for trial in found] == ROWS_OF[task]
    assert [trial for trial in found if trial["order"] == "fwd"] == [
        whole[row] for row in dict.fromkeys(ROWS_OF[task])
    ]


def test_the_order_of_options_depends_on_the_name_and_the_seed_alone(tmp_path):
    rows = [row("spatial", "natural", "x", k, "right", ["a", "b", "c"]) for k in range(200)]
    data = write_data(tmp_path, rows)
    trials = list(ChoiceTrials({"data": str(data)}))
    others = list(ChoiceTrials({"data": str(data), "seed": 1}))
    write_data(tmp_path, rows[::-1])
    again = list(ChoiceTrials({"data": str(data)}))
    assert {t["item"]: t["options"] for t in again} == {t["item"]: t["options"] for t in trials}
    assert [t["options"] for t in trials] != [t["options"] for t in others]
    counts = [sum(trial["truth"] == letter for trial in trials) for letter in "ABCD"]
    assert min(counts) > 30  # of 50 expected
    assert len({tuple(trial["options"]) for trial in trials}) == 24


def test_scenes_on_disk_are_asked_as_scenes_drawn_here(tmp_path):
    axes = {"size": [40], "brightness": [0.05, 0.2]}
    build_subtle(SyntheticRows("control_color", 1, 5, axes), tmp_path / "scenes")
    on_disk = ChoiceTrials({"data": str(tmp_path / "scenes"), "seed": 5})
    drawn = ChoiceTrials(
        {"data": "synthetic", "set": "control_color", "n": 1, "seed": 5, "axes": axes}
    )
    assert list(on_disk) == list(drawn)
    assert [trial["cell"] for trial in drawn] == [
        {"size": 40, "brightness": brightness} for brightness in axes["brightness"]
    ]
    shown = [asked_first(trials[1], trials).images() for trials in (on_disk, drawn)]
    assert [image.tobytes() for image in shown[0]] == [image.tobytes() for image in shown[1]]


def test_one_image_alone_is_shown_and_named_and_either_of_them():
    entry = {"data": "synthetic", "set": "control_color", "n": 2}
    both, one = ChoiceTrials(entry), ChoiceTrials({**entry, "shows": "one"})
    shown = set()
    for with_both, alone in zip(both, one, strict=True):
        assert {**with_both, "shown": alone["shown"]} == alone
        request, whole = asked_first(alone, one), asked_first(with_both, both)
        (image,), images = request.content[0](), whole.content[0]()
        place = ["first", "second"].index(alone["shown"])
        assert image.tobytes() == images[place].tobytes() != images[1 - place].tobytes()
        note = f" (Only the {alone['shown']} image is shown.)"
        assert request.content[1].replace(note, "") == whole.content[1] != request.content[1]
        shown.add(alone["shown"])
    assert shown == {"first", "second"}
