import json
import shutil

import pytest

from lmms_eval_tasks.viescore.museum import read_museum
from lmms_eval_tasks.viescore.tasks import TASKS, find_task
from pairbench_ext.core.left_out import LeftOut
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from tests.museums import uid, write_image, write_ratings, write_task

TIE = TASKS["tie"]


def test_images_are_sample_by_sample(tmp_path):
    folder = write_task(tmp_path, "tie", samples=2)
    found = read_museum(tmp_path, TIE)
    assert [(i.sample, i.image_model) for i in found.images] == [
        (uid(s), m) for s in (0, 1) for m in ("A", "B")
    ]
    assert found.images[0].file == folder / "A" / "sample_0.png"
    assert found.images[0].conditions == ((folder / "input" / "sample_0.png",),)
    assert found.images[2].text.startswith("tie text 1")
    assert found.missing.sentences() == []


@pytest.mark.parametrize(
    "name", ["ImagenHub_Text-Guided_IE", "Text-Guided_IE", "Exp_Text-Guided_IE", "tie"]
)
def test_the_task_is_found_by_any_of_its_names(name, tmp_path):
    write_task(tmp_path, "tie").rename(tmp_path / name)
    assert len(read_museum(tmp_path, TIE).images) == 8


def test_images_that_are_missing_are_counted(tmp_path):
    folder = write_task(tmp_path, "tie")
    write_ratings(folder)
    for sample in (1, 2):
        (folder / "B" / f"sample_{sample}.png").unlink()
    write_image(tmp_path, "tie", "B", 9)
    write_image(tmp_path, "tie", "B", 3)
    (folder / "C").mkdir()
    shutil.copy(folder / "B" / "sample_3.png", folder / "C" / "sample_3.PNG")
    found = read_museum(tmp_path, TIE)
    assert len(found.images) == 7
    assert found.missing.sentences() == [
        "B has no image for 2 (sample_1.jpg, sample_2.jpg)",
        "C has no image for 3 (sample_0.jpg, sample_1.jpg, sample_2.jpg)",
        "B has files that belong to no uid: 1 (sample_9.png)",
        "C has images without human ratings: 1 (sample_3.jpg)",
    ]


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>"], ids=["empty", "a page"])
def test_a_file_that_is_no_image_is_named_before_the_run(content, tmp_path):
    folder = write_task(tmp_path, "tie")
    for name in ("input", "B"):
        (folder / name / "sample_2.png").write_bytes(content)
    with pytest.raises(
        SourceError, match=r"B/sample_2\.png is no .*input/sample_2\.png is no read"
    ):
        read_museum(tmp_path, TIE)
    left_out = LeftOut()
    museum = read_museum(tmp_path, TIE, left_out=left_out)
    assert len(left_out) == 2
    assert {image.sample for image in museum.images} == {f"sample_{k}.jpg" for k in (0, 1, 3)}


def test_an_image_without_what_it_was_made_from_is_left_out(tmp_path):
    folder = write_task(tmp_path, "tie")
    (folder / "input" / "sample_1.png").unlink()
    left_out = LeftOut()
    museum = read_museum(tmp_path, TIE, left_out=left_out)
    assert left_out == [f"{folder / 'input'} has no image for 'sample_1.jpg'"]
    assert {image.sample for image in museum.images} == {f"sample_{k}.jpg" for k in (0, 2, 3)}


def test_a_uid_without_a_prompt_is_left_out(tmp_path):
    folder = write_task(tmp_path, "tie")
    prompts = json.loads((folder / "dataset_lookup.json").read_text())
    (folder / "dataset_lookup.json").write_text(json.dumps({**prompts, "sample_2.jpg": None}))
    left_out = LeftOut()
    museum = read_museum(tmp_path, TIE, left_out=left_out)
    assert "'sample_2.jpg': no text in field" in left_out[0]
    assert {image.sample for image in museum.images} == {f"sample_{k}.jpg" for k in (0, 1, 3)}


def test_ratings_of_one_image_twice_are_named(tmp_path):
    folder = write_task(tmp_path, "tie")
    write_ratings(folder)
    for file in folder.glob("rater*.tsv"):
        file.write_text(file.read_text().replace("sample_1.jpg", "sample_0.png"))
    with pytest.raises(RecordError, match="two rows of 'sample_0' but for its suffix"):
        read_museum(tmp_path, TIE)


def test_all_that_is_wrong_is_one_error(tmp_path):
    folder = write_task(tmp_path, "sdie")
    (folder / "token").rename(folder / "elsewhere")
    for sample in (0, 2):
        (folder / "input" / f"sample_{sample}.png").unlink()
    for file in (folder / "A").iterdir():
        file.rename(file.with_name(f"my_{file.name}"))
    with pytest.raises(SourceError) as error:
        read_museum(tmp_path, TASKS["sdie"])
    message = str(error.value)
    assert "no folder token with the token subject; A has no image of a uid" in message
    assert "A has no image of a uid in dataset_lookup.json, only 4 (my_sample_0.png" in message


def test_inputs_are_needed_for_judged_samples_only(tmp_path):
    folder = write_task(tmp_path, "tie")
    for name in ("input", "A", "B"):
        (folder / name / "sample_3.png").unlink()
    assert len(read_museum(tmp_path, TIE).images) == 6


LOOKUPS = {
    "absent": (None, "cannot be read .*prompts by uid are expected"),
    "not JSON": ("{", "not JSON"),
    "a list": ("[]", "one JSON object with prompts by uid"),
    "no text": ('{"sample_0.jpg": {"category": "x"}}', "no text in field 'instruction'"),
    "one uid twice": (
        '{"a.jpg": {"prompt": "x"}, "a.png": {"prompt": "y"}}',
        "two uids are 'a' but for their suffix",
    ),
}


@pytest.mark.parametrize(("text", "message"), LOOKUPS.values(), ids=LOOKUPS)
def test_prompts_that_cannot_be_used_are_named(text, message, tmp_path):
    file = write_task(tmp_path, "tie") / "dataset_lookup.json"
    file.unlink() if text is None else file.write_text(text)
    with pytest.raises(SourceError, match=message):
        read_museum(tmp_path, TIE)


def test_a_uid_leads_nowhere_else(tmp_path):
    folder = write_task(tmp_path, "tie")
    (tmp_path / "secret.png").touch()
    prompts = json.loads((folder / "dataset_lookup.json").read_text())
    prompts["../../secret.png"] = {"instruction": "x"}
    (folder / "dataset_lookup.json").write_text(json.dumps(prompts))
    found = read_museum(tmp_path, TIE)
    assert all(image.file.is_relative_to(folder) for image in found.images)
    assert found.missing.images["A"] == ("../../secret.png",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.rename(f.with_name("x")), "has no folder 'ImagenHub_Text-Guided_IE'"),
        (lambda f: (f / "A" / "sample_0.jpg").touch(), "are images of the same uid: keep one"),
        (lambda f: [(f / n).rename(f / f"_{n}") for n in "AB"], "has no folder of an image model"),
    ],
)
def test_what_cannot_be_told_is_an_error(change, message, tmp_path):
    change(write_task(tmp_path, "tie"))
    with pytest.raises(SourceError, match=message):
        read_museum(tmp_path, TIE)


def test_an_image_model_that_is_not_there_is_named(tmp_path):
    write_task(tmp_path, "tie")
    with pytest.raises(SourceError, match=r"no image model 'Z', only 2 \(A, B\)"):
        read_museum(tmp_path, TIE, ["A", "Z"])
    assert read_museum(tmp_path, TIE, ["B"]).image_models == ("B",)


def test_texts_are_cleaned_as_the_authors_do():
    assert TASKS["sdig"].clean("a <token> dog") == "a dog"
    assert TASKS["sdie"].clean("wolf_plushie") == "wolf plushie"
    assert TASKS["tie"].clean("a_b <token> c") == "a_b <token> c"


def test_an_unknown_task_is_named():
    with pytest.raises(ValueError, match="unknown task 'video'; known: t2i, mie"):
        find_task("video")
