"""What VLMEvalKit is shown, without VLMEvalKit: rows, keys, the order of parts, pictures."""

import base64
import io

import pytest
from PIL import Image, ImageChops

from pairbench_ext.core.requests import Request
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.stacks.plain.tasks import number_of
from pairbench_ext.stacks.vlmevalkit.dataset import message, rows

TASK = "vl_rewardbench_demo_both"


class Trial:
    """A trial that shows what it is told to."""

    task, number = "some", 3

    def __init__(self, *parts, system=""):
        self.first_request = Request(parts, system=system)


def spoken(parts):
    """Texts and the places of pictures, as one text."""
    texts = (
        None if part.get("type") == "image" else part.get("value", part.get("text"))
        for part in parts
    )
    return "".join("<picture>" if text is None else text for text in texts)


def picture(colour):
    return lambda: [Image.new("RGB", (4, 3), colour)]


def test_rows_have_a_key_of_their_own_and_the_texts():
    task = open_task(TASK)
    made = rows(task)
    assert len({row["index"] for row in made}) == len(made) == len(task)
    assert [number_of(row["index"]) for row in made] == list(range(len(task)))
    assert made == rows(open_task(TASK))
    assert made[0]["question"] == "".join(task[0].first_request.texts)


@pytest.mark.parametrize("name", [TASK, "pairbench_demo_rotate", "subtlebench_demo"])
def test_a_message_is_what_the_chat_api_is_shown(name, tmp_path):
    trial = open_task(name)[1]
    expected = trial.messages[-1]["content"]
    parts = message(trial, tmp_path)
    system = [f"{part['text']}\n\n" for turn in trial.messages[:-1] for part in turn["content"]]
    assert spoken(parts) == spoken([*({"text": text} for text in system), *expected])
    urls = [part["image_url"]["url"] for part in expected if part["type"] == "image_url"]
    files = [part["value"] for part in parts if part["type"] == "image"]
    assert len(files) == len(urls) > 0
    for file, url in zip(files, urls, strict=True):
        shown = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))
        assert ImageChops.difference(Image.open(file), shown).getbbox() is None


def test_texts_that_vlmevalkit_would_open_are_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cat").touch()
    for text in ("cat", "https://a.b/c.png", "data:image/png;base64,AAAA"):
        [part, _] = message(Trial(text, picture("red")), tmp_path)
        assert part["value"].strip() == text
        assert part["value"].startswith("\n")
    [part, _] = message(Trial("a dog", picture("red")), tmp_path)
    assert part["value"].rstrip() == "a dog"
