"""Edits that people see and a judge takes for the input (Section 5.2, Figure 5)."""

import json

import pytest
from PIL import Image

from lmms_eval_tasks.viescore.demo import demo_museum
from lmms_eval_tasks.viescore.missed_edits import (
    Edit,
    misses,
    most_representative,
    says_nothing_differs,
)
from pairbench_ext.stacks.plain import open_task
from tests.files import pairbench

NOTHING = "The two images are identical."
DONE = "The square was recoloured as asked, and nothing else was touched."


def invoke(*arguments):
    return pairbench("viescore", "errors", *arguments)


def edit(people, score, rationale=NOTHING, sample="a", model="m"):
    return Edit("tie", model, sample, people, (score, 9.0), rationale)


#: As GPT-4v and LLaVA were recorded to say it, and what must not be taken for that.
SAID = {
    "The two images provided are identical, and there is no cutlery in either image.": True,
    "There is no discernible difference between them.": True,
    "No changes have been made to the second image.": True,
    "The second image is unchanged.": True,
    "The image has not been edited.": True,
    "The image hasn't been altered in any way.": True,
    "These are the exact same picture.": True,
    "Both are the same image.": True,
    "Berries are clearly visible; the rest of the scene is as it was.": False,
    "A humanoid robot appears instead of a robot tiger.": False,
    "The chocolate was changed to berries, but not very well.": False,
    "The same style is kept.": False,
    "": False,
}


@pytest.mark.parametrize(("said", "nothing"), SAID.items())
def test_what_a_rationale_says(said, nothing):
    assert says_nothing_differs(said) is nothing


def test_shares_by_hand():
    edits = [
        edit(1.0, 0.0),  # missed
        edit(0.5, 2.0, sample="b"),  # missed: people's mean is 0.5, the score 2
        edit(0.5, 2.0, DONE, sample="c"),  # rated low for another reason
        edit(0.5, 3.0, sample="d"),  # says so, and does not mean it
        edit(1 / 3, 0.0, sample="e"),  # people did not find it successful, nor failed
        edit(0.0, 0.0, sample="f"),  # rightly: control
        edit(0.0, 9.0, DONE, sample="g"),
    ]
    found = misses(edits)
    assert (found.missed.value, found.missed.n) == (2 / 4, 4)
    assert (found.low.value, found.low.n) == (3 / 4, 4)
    assert (found.control.value, found.control.n) == (1 / 2, 2)
    low, high = found.missed.interval
    assert 0 <= low < found.missed.value < high <= 1
    nothing = misses([edit(1 / 3, 0.0)])
    assert nothing.missed.value != nothing.missed.value  # NaN
    assert nothing.missed.n == 0


def test_the_surest_come_first_and_one_of_each_input():
    edits = [
        edit(0.5, 0.0),
        edit(1.0, 0.0, model="n"),
        edit(2 / 3, 0.0, sample="b"),
        edit(1.0, 9.0),
    ]
    assert [(one.sample, one.image_model) for one in most_representative(edits)] == [
        ("a", "n"), ("b", "m"),
    ]  # fmt: skip


def reply(scores, rationale):
    return json.dumps({"score": scores, "reasoning": rationale})


@pytest.fixture
def samples(tmp_path):
    """A judge that finds nothing changed in what "careful" made, and everything right elsewhere."""
    task = open_task("viescore_demo_mie")
    replies = [
        reply([0, 10], NOTHING)
        if trial.scalars["image_model"] == "careful"
        else reply([9, 9], DONE)
        for trial in task
    ]
    return task.write(tmp_path / "judge", replies)


def test_logged_samples(samples, tmp_path):
    done = invoke(samples.parent, "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    found = document["by_image_model"]
    assert found["mie/careful"]["missed"]["value"] == 1
    assert found["mie/hasty"]["missed"]["value"] == found["mie/careless"]["missed"]["value"] == 0
    counts = [one["missed"]["n"] for one in found.values()]
    assert document["by_task"]["all"]["missed"]["n"] == sum(counts)
    assert len(document["missed"]) == found["mie/careful"]["missed"]["n"]
    assert "taken for the input, by image model" in invoke(samples).output


def test_of_how_many_samples_the_shares_are_is_said(samples):
    lines = samples.read_text().splitlines(keepends=True)
    asked = len(lines)
    rows = [json.loads(line) for line in lines[: asked // 2]]
    aspects = [row["trial"]["aspect"] for row in rows]
    rows[aspects.index("SC")]["filtered_resps"] = ["no numbers"]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    samples.write_text(text + '{"doc_id": 9')
    done = invoke(samples)
    assert done.exit_code == 0, done.output
    said = done.stderr.replace("\n", " ")
    assert f"{samples}: only {asked // 2} of {asked} samples" in said
    assert "the file ends in the middle of a sample" in said
    assert f"{samples}: left out, for want of scores in the reply: 1" in said


def test_samples_of_two_runs_are_refused(samples, tmp_path):
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / samples.name
    other.write_bytes(samples.read_bytes())
    done = invoke(samples, other)
    assert done.exit_code == 1
    assert "both judge mie, " in done.output
    assert "give the samples of one run" in done.output


def test_the_picture(samples, tmp_path):
    path = tmp_path / "figure_5.png"
    options = ("--museum", demo_museum(), "--sheet", path, "--pairs", 3)
    done = invoke(samples, *options)
    assert done.exit_code == 0, done.output
    assert "3 missed edits" in done.output
    with Image.open(path) as image:
        assert image.width > image.height / 2
    assert "is there already" in invoke(samples, *options).output
    assert invoke(samples, *options, "--overwrite").exit_code == 0
    missing = invoke(samples, "--museum", tmp_path, "--sheet", tmp_path / "x.png")
    assert missing.exit_code == 1
    assert not (tmp_path / "x.png").exists()


def test_recorded_judgments(tmp_path):
    answers, human = tmp_path / "answers", tmp_path / "human"
    for folder in (answers, human):
        (folder / "ImagenHub_Text-Guided_IE").mkdir(parents=True)
    recorded = {
        "a.jpg": {"SC": [0, 0], "SC_reasoning": NOTHING},
        "b.jpg": {"SC": ["9", "8"], "SC_reasoning": DONE},
        "c.jpg": {"SC": [0, 0], "SC_reasoning": "guess_if_cannot_parse | identical"},
        "d.jpg": {"SC": "none", "SC_reasoning": NOTHING},
    }
    (answers / "ImagenHub_Text-Guided_IE/MagicBrush.json").write_text(json.dumps(recorded))
    rows = "".join(f"{name}\t[1, 1]\n" for name in recorded)
    for number in (1, 2):
        file = human / f"ImagenHub_Text-Guided_IE/rater{number}.tsv"
        file.write_text(f"uid\tMagicBrush\n{rows}")
    done = invoke("--answers", answers, "--human", human, "--json")
    assert done.exit_code == 0, done.output
    missed = json.loads(done.stdout)["by_task"]["tie"]["missed"]
    assert (missed["value"], missed["n"]) == (1 / 2, 2)  # guesses and what has no scores are out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give logged samples, or --answers DIR with --human DIR"),
        (["--answers", "x"], "give logged samples, or --answers DIR with --human DIR"),
        (["nowhere.jsonl"], "nowhere.jsonl: no such file or folder"),
        (["x.jsonl", "--sheet", "y.png"], "--sheet needs the images"),
    ],
)
def test_mistakes_are_one_sentence(arguments, said):
    done = invoke(*arguments)
    assert done.exit_code == 1
    assert said in done.output


def test_samples_without_edits_are_refused(tmp_path):
    task = open_task("viescore_demo_cig")
    path = task.write(tmp_path, [reply([9, 9], DONE) for _ in range(6)])
    done = invoke(path)
    assert done.exit_code == 1
    assert f"{path}: no edits (mie, tie, sdie)" in done.output
