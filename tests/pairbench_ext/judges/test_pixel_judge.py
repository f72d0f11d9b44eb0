import json
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image, ImageFilter

from lmms_eval_tasks.build.photos import load_photos
from lmms_eval_tasks.subtlebench import prompts
from pairbench_ext.judges.pixel_judge import PixelJudge
from pairbench_ext.synthetic.questions.kinds import pair
from pairbench_ext.synthetic.shapes import render


@pytest.fixture(scope="module")
def photos():
    return {photo.name: photo.image for photo in load_photos(160)}


def ask(prompt, images, **doc):
    judge = PixelJudge()
    judge.task_dict = {"task": {"test": [doc]}}
    request = SimpleNamespace(args=(prompt, {}, lambda _: images, 0, "task", "test"), doc_id=0)
    [reply] = judge.answer([request])
    return reply


def rate(images, **doc):
    """The judge's reply, and its scores if it has some."""
    reply = ask("prompt", images, **{"aspect": "SC", "n": 2, **doc})
    return reply, json.loads(reply)["score"] if reply.startswith("{") else None


def noisy(image, amount):
    noise = np.random.default_rng(0).normal(0, amount, (*image.size[::-1], 3))
    return Image.fromarray(np.clip(np.asarray(image) + noise, 0, 255).astype(np.uint8))


def test_an_unchanged_image_was_not_edited(photos):
    assert rate([photos["cat"], photos["cat"]])[1] == [0, 10]


def test_quality_falls_with_blur_and_with_noise(photos):
    image = photos["astronaut"]
    blurred = image.filter(ImageFilter.GaussianBlur(4))
    good, blur, noise = (rate([x], aspect="PQ")[1] for x in (image, blurred, noisy(image, 15)))
    assert blur[0] < good[0] - 2
    assert noise[1] < good[1] - 2


# Right answers of one who knows what has changed, but not how; and of one who knows nothing.
@pytest.mark.parametrize(
    ("kind", "least"),
    [("quantity", 0.9), ("hue", 0.9), ("existence", 0.5), ("attribute", 0.4), ("spatial", 0.4)],
)
def test_the_option_that_names_the_pixels_that_differ(kind, least):
    right = 0
    for number in range(40):
        drawn = pair(kind, number)
        options = [drawn.answer, *drawn.distractors]
        position = number % len(options)
        options[0], options[position] = options[position], options[0]
        prompt = prompts.render("standard", drawn.question, options).user
        right += ask(prompt, [render(drawn.first), render(drawn.second)]) == "ABCD"[position]
    assert least <= right / 40
