"""A museum of images: what is found in it, what is left out, and how one is laid out."""

import json
import shutil

import pytest
from PIL import Image

from lmms_eval_tasks.viescore.museum import read_museum
from lmms_eval_tasks.viescore.tasks import TASKS
from lmms_eval_tasks.viescore.trials import JudgmentTrials
from pairbench_ext.core.sources import SourceError
from tests.files import pairbench
from tests.museums import CONDITIONS, write_image, write_ratings, write_task

TIE = TASKS["tie"]


@pytest.mark.parametrize("name", ["ImagenHub_Text-Guided_IE", "Text-Guided_IE", "tie"])
def test_the_task_and_its_ratings_are_found_by_any_of_its_names(name, tmp_path):
    write_task(tmp_path, "tie").rename(tmp_path / name)
    ratings = tmp_path / "tie"
    ratings.mkdir(exist_ok=True)
    write_ratings(ratings)
    museum = read_museum(tmp_path, TIE)
    assert len(museum.images) == 8
    assert {len(image.ratings) for image in museum.images} == {3}


def test_images_that_are_missing_are_counted(tmp_path):
    folder = write_task(tmp_path, "tie")
    for sample in (1, 2):
        (folder / "B" / f"sample_{sample}.png").unlink()
    write_image(tmp_path, "tie", "B", 9)
    (folder / "C").mkdir()
    shutil.copy(folder / "B" / "sample_3.png", folder / "C" / "sample_3.PNG")
    museum = read_museum(tmp_path, TIE)
    assert len(museum.images) == 7
    assert museum.missing == (
        "B has no image for 2 (sample_1.jpg, sample_2.jpg)",
        "B has files that belong to no uid: 1 (sample_9.png)",
        "C has no image for 3 (sample_0.jpg, sample_1.jpg, sample_2.jpg)",
    )


def test_two_images_of_one_uid_are_refused(tmp_path):
    (write_task(tmp_path, "tie") / "A" / "sample_0.jpg").touch()
    with pytest.raises(SourceError, match="are images of the same uid: keep one"):
        read_museum(tmp_path, TIE)


def test_a_uid_leads_nowhere_else(tmp_path):
    folder = write_task(tmp_path, "tie")
    (tmp_path / "secret.png").touch()
    prompts = json.loads((folder / "dataset_lookup.json").read_text())
    prompts["../../secret.png"] = {"instruction": "x"}
    (folder / "dataset_lookup.json").write_text(json.dumps(prompts))
    museum = read_museum(tmp_path, TIE)
    assert all(image.file.is_relative_to(folder) for image in museum.images)
    assert "A has no image for 1 (../../secret.png)" in museum.missing


def test_image_models_can_be_chosen(tmp_path):
    write_task(tmp_path, "tie")
    with pytest.raises(SourceError, match=r"no image model 'Z', only 2 \(A, B\)"):
        read_museum(tmp_path, TIE, ["A", "Z"])
    assert {image.image_model for image in read_museum(tmp_path, TIE, ["B"]).images} == {"B"}


def build(*arguments, status=None):
    return pairbench("build", "viescore", *arguments, status=status)


def images(folder, names):
    folder.mkdir(parents=True)
    for number, name in enumerate(names):
        Image.new("RGB", (4, 4), (number, 0, 0)).save(folder / name)
    return folder


@pytest.fixture
def prompts(tmp_path):
    file = tmp_path / "prompts.csv"
    file.write_text('uid,prompt\na,"A red car, parked"\nb,Two dogs\nc,A hat\n')
    return file


def test_own_images_by_name(prompts, tmp_path):
    mine = images(tmp_path / "mine", ["a.png", "b.webp", "x.png"])
    other = images(tmp_path / "other", ["a.jpg", "b.jpg", "c.jpg"])
    out = tmp_path / "out"
    arguments = ["--outputs", f"mine={mine}", "--outputs", f"other={other}", "--out", out]
    done = build(*arguments, "--prompts", prompts, status=0)
    assert "mine has no image for 1 (c)" in done.stdout
    assert "images without a prompt are left out: 1 (x.png)" in done.stdout
    assert f"Next: VIESCORE_DATA={out} lmms-eval --model ... --tasks viescore_t2i" in done.stdout
    museum = read_museum(out, TASKS["t2i"])
    assert [(i.sample, i.image_model) for i in museum.images] == [
        ("a", "mine"), ("a", "other"), ("b", "mine"), ("b", "other"), ("c", "other"),
    ]  # fmt: skip
    assert build(*arguments, "--prompts", prompts).exit_code == 0  # again
    Image.new("RGB", (9, 9)).save(mine / "a.png")
    assert "already exists and differs from" in build(*arguments, status=1).stderr


def test_own_images_by_the_number_at_the_end(tmp_path):
    file = tmp_path / "prompts.csv"
    file.write_text('prompt\n"A red car, parked"\nTwo dogs\nA hat\n', encoding="utf-16")
    mine = images(tmp_path / "mine", ["img_00.png", "img_01.png", "img_02.png"])
    build("--outputs", f"m={mine}", "--prompts", file, "--out", tmp_path / "out", status=0)
    museum = read_museum(tmp_path / "out", TASKS["t2i"])
    assert [i.text for i in museum.images] == ["A red car, parked", "Two dogs", "A hat"]


def test_own_images_with_what_they_were_made_from(prompts, tmp_path):
    names = ["a.png", "b.png", "c.png"]
    mine, *tokens = (images(tmp_path / folder, names) for folder in ("m", "one", "two"))
    arguments = ["--outputs", f"m={mine}", "--prompts", prompts, "--task", "mcic"]
    done = build(*arguments, "--out", tmp_path / "none", status=1)
    assert "no folder input or token1 and token2" in done.stderr
    both = ["--token", tokens[0], "--token", tokens[1]]
    done = build(*arguments, *both, "--out", tmp_path / "out", status=0)
    [concepts] = read_museum(tmp_path / "out", TASKS["mcic"]).images[0].conditions
    assert [file.parent.name for file in concepts] == ["token1", "token2"]


def test_own_images_on_the_prompts_of_a_museum(tmp_path):
    write_ratings(write_task(tmp_path / "museum", "tie"))
    mine = images(tmp_path / "mine", [f"{sample}.png" for sample in range(4)])
    out = tmp_path / "museum"
    build("--outputs", f"mine={mine}", "--task", "tie", "--out", out, status=0)
    assert {i.image_model for i in read_museum(out, TIE).images} == {"A", "B", "mine"}


@pytest.mark.parametrize("how", ["variable", "entry"])
@pytest.mark.parametrize("task", ["sdie", "t2i"])
def test_models_that_take_one_image_get_all_in_one(how, task, viescore_data, monkeypatch):
    """Section 3.2: the inputs and the image to rate, side by side, from left to right."""
    apart = JudgmentTrials({"task": task})
    asked = [(trial, apart.ask(trial)) for trial in apart]
    shown = [(request.texts, request.images()) for _, request in asked]
    assert not any("merged" in trial for trial, _ in asked)
    entry = {"task": task}
    if how == "variable":
        monkeypatch.setenv("VIESCORE_MERGED", "1")
    else:
        entry["merged"] = True
    merged = JudgmentTrials(entry)
    for trial, (texts, images) in zip(merged, shown, strict=True):
        request = merged.ask(trial)
        [one] = request.images()
        assert (request.texts, trial["merged"]) == (texts, True)
        assert len(images) == (1 + len(CONDITIONS[task]) if trial["aspect"] == "SC" else 1)
        assert one.size == (8 * len(images), 6)
        middles = [one.getpixel((8 * place + 4, 3)) for place in range(len(images))]
        assert middles == [image.getpixel((4, 3)) for image in images]


def test_whether_images_are_merged_is_0_or_1(viescore_data, monkeypatch):
    monkeypatch.setenv("VIESCORE_MERGED", "yes")
    trials = JudgmentTrials({"task": "tie"})
    with pytest.raises(SourceError, match="VIESCORE_MERGED must be 0 or 1, not 'yes'"):
        trials[0]
