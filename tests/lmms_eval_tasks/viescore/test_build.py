"""`pairbench build viescore`."""

import json
import shutil

import pytest
from PIL import Image

from lmms_eval_tasks.viescore.museum import read_museum
from lmms_eval_tasks.viescore.outputs import read_prompt_table
from lmms_eval_tasks.viescore.tasks import TASKS
from tests.files import pairbench
from tests.museums import write_ratings, write_task


def build(*arguments):
    return pairbench("build", "viescore", *arguments)


def images(folder, names):
    folder.mkdir(parents=True)
    for name in names:
        Image.new("RGB", (4, 4)).save(folder / name)
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
    done = build(
        "--outputs", f"mine={mine}", "--outputs", f"other={other}", "--prompts", prompts,
        "--out", out,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert f"mine: 2 of 3 prompts have an image by name ({mine})" in done.stdout
    assert "prompts without an image: 1 (c)" in done.stdout
    assert "images without a prompt, left out: 1 (x.png)" in done.stdout
    assert "t2i: no human ratings; mean scores will be reported" in done.stdout
    assert f"Next: VIESCORE_DATA={out} lmms-eval --model ... --tasks viescore_t2i" in done.stdout
    found = read_museum(out, TASKS["t2i"])
    assert [(i.sample, i.image_model) for i in found.images] == [
        ("a", "mine"), ("a", "other"), ("b", "mine"), ("b", "other"), ("c", "other"),
    ]  # fmt: skip
    assert found.prompts["a"] == "A red car, parked"


WAYS = {
    "number": (["0000.png", "0001.png", "0002.png"], "by the number at the end"),
    "words and number": (["img_00.png", "img_01.png", "img_02.png"], "by the number at the end"),
    "prompt": (["a_red_car_parked.png", "Two-dogs.png", "a hat.png"], "by the prompt"),
}


@pytest.mark.parametrize(("names", "how"), WAYS.values(), ids=WAYS)
def test_own_images_by_number_or_prompt(names, how, tmp_path):
    file = tmp_path / "prompts.csv"
    file.write_text('prompt\n"A red car, parked"\nTwo dogs\nA hat\n')
    mine = images(tmp_path / "mine", names)
    done = build("--outputs", f"m={mine}", "--prompts", file, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert f"m: 3 of 3 prompts have an image {how}" in done.stdout
    found = read_museum(tmp_path / "out", TASKS["t2i"])
    assert [i.text for i in found.images] == ["A red car, parked", "Two dogs", "A hat"]


def test_own_edits_need_their_inputs(prompts, tmp_path):
    mine = images(tmp_path / "mine", ["a.png", "b.png", "c.png"])
    arguments = ["--outputs", f"m={mine}", "--prompts", prompts, "--task", "tie"]
    out = tmp_path / "out"
    done = build(*arguments, "--out", out)
    assert done.exit_code == 1
    assert "no folder input with the image that was edited" in done.stderr
    inputs = images(tmp_path / "inputs", ["a.png", "b.png", "c.png"])
    done = build(*arguments, "--out", out, "--input", inputs, "--link")
    assert done.exit_code == 0, done.output
    assert len(read_museum(out, TASKS["tie"]).images) == 3
    assert (out / TASKS["tie"].folder / "input" / "a.png").is_symlink()


def test_two_tokens_are_two_concepts(prompts, tmp_path):
    folders = [images(tmp_path / n, ["a.png", "b.png", "c.png"]) for n in ("m", "one", "two")]
    done = build(
        "--outputs", f"m={folders[0]}", "--prompts", prompts, "--task", "mcic",
        "--token", folders[1], "--token", folders[2], "--out", tmp_path / "out",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    [concepts] = read_museum(tmp_path / "out", TASKS["mcic"]).images[0].conditions
    assert [file.parent.name for file in concepts] == ["token1", "token2"]


@pytest.fixture
def download(tmp_path):
    """A clone of the museum's site, two tasks of it, and one of ImagenHub with ratings."""
    site = tmp_path / "site"
    for task in ("tie", "t2i"):
        write_task(site / "Museum", task)
    raters = tmp_path / "imagenhub" / "eval" / "human_ratings" / "Text-Guided_IE"
    raters.mkdir(parents=True)
    write_ratings(raters)
    for file in raters.iterdir():
        file.rename(raters / f"Text-Guided_IE_{file.name}")
    return site


def test_a_download_is_laid_out(download, tmp_path):
    out = tmp_path / "out"
    done = build("--museum", download, "--ratings", tmp_path / "imagenhub", "--out", out)
    assert done.exit_code == 0, done.output
    assert "not in" in done.stdout
    assert "mie, sdig, sdie, mcic, cig" in done.stdout
    found = read_museum(out, TASKS["tie"])
    assert len(found.images) == 8
    assert found.ratings["A"].values.shape == (4, 3, 3)
    assert "t2i: no human ratings" in done.stdout
    again = build("--museum", download, "--out", out)
    assert again.exit_code == 0, again.output


def test_a_museum_is_checked_where_it_is(download, tmp_path):
    before = sorted(download.rglob("*"))
    (download / "Museum" / TASKS["tie"].folder / "B" / "sample_1.png").unlink()
    done = build("--museum", download)
    assert done.exit_code == 0, done.output
    assert "tie: B has no image for 1 (sample_1.jpg)" in done.stdout
    assert len(before) - 1 == len(list(download.rglob("*")))
    shutil.rmtree(download / "Museum" / TASKS["tie"].folder / "input")
    done = build("--museum", download)
    assert done.exit_code == 1
    assert "error: tie: " in done.stderr


def test_two_museums_in_one_download_are_told_apart(download, tmp_path):
    write_task(download / "Aquarium", "tie")
    done = build("--museum", download)
    assert done.exit_code == 1
    assert "are both of task tie: name one above" in done.stderr
    assert build("--museum", download / "Museum").exit_code == 0


def test_own_images_on_the_prompts_of_a_museum(download, tmp_path):
    mine = images(tmp_path / "mine", [f"{sample}.png" for sample in range(4)])
    done = build(
        "--museum", download, "--task", "tie", "--image-models", "B",
        "--outputs", f"mine={mine}", "--out", tmp_path / "out",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert read_museum(tmp_path / "out", TASKS["tie"]).image_models == ("B", "mine")


ERRORS = {
    "nothing": ([], "name a download"),
    "no out": (["--outputs", "m={mine}", "--prompts", "{prompts}"], "need --out FOLDER"),
    "no name": (["--outputs", "{mine}"], "must be NAME=FOLDER"),
    "reserved": (["--outputs", "input={mine}"], "must be NAME=FOLDER"),
    "path": (["--outputs", "../m={mine}"], "must be NAME=FOLDER"),
    "no folder": (
        ["--outputs", "m=/nowhere", "--prompts", "{prompts}", "--out", "{out}"],
        "/nowhere: no such folder of images",
    ),
    "no prompts": (["--outputs", "m={mine}", "--out", "{out}"], "need --prompts FILE"),
    "no outputs": (["--prompts", "{prompts}"], "add --outputs NAME=FOLDER"),
    "task": (["--museum", "{mine}", "--task", "video"], "unknown task 'video'"),
    "no museum": (["--museum", "{mine}"], "no task's folder with dataset_lookup.json"),
    "nothing matches": (
        ["--outputs", "m={mine}", "--prompts", "{prompts}", "--out", "{out}"],
        "has no image of a uid|m: 0 of 3 prompts",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), ERRORS.values(), ids=ERRORS)
def test_errors_say_what_to_do(arguments, message, prompts, tmp_path):
    places = {"mine": images(tmp_path / "mine", ["x.png"]), "prompts": prompts}
    done = build(*[a.format(**places, out=tmp_path / "out") for a in arguments])
    assert done.exit_code == 1
    assert any(part in done.output for part in message.split("|")), done.output
    assert "Traceback" not in done.output


def test_another_file_of_the_same_size_does_not_pass_for_the_one_that_is_there(prompts, tmp_path):
    arguments = ["--prompts", prompts, "--out", tmp_path / "out"]
    for colour in ("red", "blue"):
        mine = images(tmp_path / colour, ["a.bmp"])
        Image.new("RGB", (4, 4), colour).save(mine / "a.bmp")
        done = build("--outputs", f"m={mine}", *arguments)
    assert done.exit_code == 1
    assert "a.bmp is there already and is not" in done.stderr


def test_a_prompt_of_several_lines_stays_as_it_is(tmp_path):
    file = tmp_path / "prompts.csv"
    file.write_text('uid,prompt\r\n1,"a cat\r\non a mat"\r\n2,a dog\u2028at sea\r\n', newline="")
    assert read_prompt_table(file, TASKS["t2i"]) == {
        "1": "a cat\non a mat",
        "2": "a dog\u2028at sea",
    }


TABLES = {
    "no text": ("p.csv", "uid,category\na,b\n", "no text in column 'prompt'"),
    "twice": ("p.csv", "uid,prompt\na,b\na.png,c\n", "the uid 'a.png' is empty or of an earlier"),
    "no uid": ("p.csv", "prompt,uid\na,\n", "the uid '' is empty"),
    "short row": ("p.csv", "prompt,uid\na\n", "the uid '' is empty"),
    "empty": ("p.csv", "uid,prompt\n", "no prompts in it"),
    "list": ("p.json", "[1]", "one JSON object, uid -> {prompt}, is expected"),
    "broken": ("p.json", "{", "cannot be read as .json"),
}


@pytest.mark.parametrize(("name", "text", "message"), TABLES.values(), ids=TABLES)
def test_a_bad_table_of_prompts_is_named(name, text, message, tmp_path):
    (tmp_path / name).write_text(text)
    mine = images(tmp_path / "mine", ["a.png"])
    out = tmp_path / "out"
    done = build("--outputs", f"m={mine}", "--prompts", tmp_path / name, "--out", out)
    assert done.exit_code == 1
    assert message in done.output


@pytest.mark.parametrize("suffix", ["json", "jsonl", "tsv"])
def test_prompts_in_other_forms(suffix, tmp_path):
    texts = {
        "json": json.dumps({"a": {"prompt": "one"}}),
        "jsonl": json.dumps({"id": "a", "text": "one"}),
        "tsv": "name\tPrompt\na\tone\n",
    }
    (tmp_path / f"p.{suffix}").write_text(texts[suffix])
    mine = images(tmp_path / "mine", ["a.png"])
    arguments = ["--outputs", f"m={mine}", "--prompts", tmp_path / f"p.{suffix}"]
    done = build(*arguments, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert read_museum(tmp_path / "out", TASKS["t2i"]).prompts == {"a": "one"}


def test_other_prompts_are_never_overwritten(prompts, tmp_path):
    mine = images(tmp_path / "mine", ["a.png"])
    arguments = ["--outputs", f"m={mine}", "--prompts", prompts, "--out", tmp_path / "out"]
    assert build(*arguments).exit_code == 0
    prompts.write_text("uid,prompt\na,other\n")
    done = build(*arguments)
    assert done.exit_code == 1
    assert "is there already, with other prompts; choose another folder" in done.output
