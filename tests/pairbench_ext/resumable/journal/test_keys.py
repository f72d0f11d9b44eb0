import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pairbench_ext.resumable.journal.keys import (
    Origin,
    answer_key,
    before_shown,
    is_greedy,
    model_digest,
    model_facts,
    request_facts,
)

GREEDY = {"temperature": 0, "max_new_tokens": 16}
DRAWN = {"temperature": 0.7, "max_new_tokens": 16}


def noise(seed=0, size=(16, 12), mode="RGB"):
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 4), np.uint8)
    return Image.fromarray(pixels, "RGBA").convert(mode)


ONE, OTHER = noise(1), noise(2)


def model_of(*facts):
    return model_digest(model_facts(*facts))


MODEL = model_of("a.Model", {"pretrained": "org/name"}, "1")


def message(*items):
    return [{"role": "user", "content": list(items)}]


def text(words):
    return {"type": "text", "text": words}


def picture(image):
    return {"type": "image", "url": image}


def key(**changes):
    given = {
        "model": MODEL,
        "origin": Origin("task", "test", 3),
        "text": "Which?",
        "settings": GREEDY,
        "shown": [ONE, OTHER],
        "hints": {},
        "draw": 0,
        **changes,
    }
    draw, model = given.pop("draw"), given.pop("model")
    request = request_facts(**given)
    hashed = before_shown(model, request)
    hashed.update(request.shown)
    return answer_key(hashed.digest(), draw)


def test_a_key_is_32_digits_and_the_same_each_time():
    assert key() == key()
    assert len(key()) == 32
    assert int(key(), 16) >= 0


@pytest.mark.parametrize(
    "changes",
    [
        {"model": model_of("a.Model", {"pretrained": "org/other"}, "1")},
        {"origin": Origin("task", "test", 4)},
        {"origin": Origin("task", "test", 3, 1)},
        {"text": "Which? "},
        {"settings": {**GREEDY, "max_new_tokens": 17}},
        {"settings": {**GREEDY, "until": ["\n"]}},
        {"shown": [OTHER, ONE]},
        {"shown": [ONE]},
        {"shown": [ONE, ONE]},
        {"shown": [ONE, OTHER.transpose(Image.Transpose.FLIP_LEFT_RIGHT)]},
        {"shown": None},
        {"hints": {"task_type": "video"}},
        {"draw": 1},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_what_changes_a_key(changes):
    assert key(**changes) != key()


@pytest.mark.parametrize(
    "changes",
    [
        {"shown": (ONE.copy(), OTHER.copy())},
        {"settings": dict(reversed(GREEDY.items()))},
        {"settings": {"temperature": 0.0, "max_new_tokens": 16}},
        {"origin": Origin("renamed", "test", 3)},
        {"origin": Origin("task", "val", 3)},
    ],
    ids=["copies", "order of settings", "0 and 0.0", "name of a task", "name of a split"],
)
def test_what_does_not(changes):
    assert key(**changes) == key()


@pytest.mark.parametrize("settings", [DRAWN, {}, {"do_sample": True, "temperature": 0}])
def test_tasks_that_draw_share_no_draw(settings):
    other = key(settings=settings, origin=Origin("renamed", "test", 3))
    assert key(settings=settings) != other


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"temperature": 0}, True),
        ({"temperature": 0.0, "do_sample": False}, True),
        ({"do_sample": False}, True),
        ({"do_sample": False, "temperature": None}, True),
        ({"temperature": 0.2}, False),
        ({"temperature": 0.2, "do_sample": False}, False),
        ({"temperature": 0, "do_sample": True}, False),
        ({"temperature": None}, False),
        ({}, False),
    ],
    ids=str,
)
def test_greedy_only_if_the_settings_say_so(settings, expected):
    assert is_greedy(settings) is expected


CHAT = message(text("first"), picture(ONE), text("second"), picture(OTHER))


@pytest.mark.parametrize(
    "messages",
    [
        message(text("first"), picture(OTHER), text("second"), picture(ONE)),
        message(picture(ONE), text("first"), text("second"), picture(OTHER)),
        message(text("firstsecond"), picture(ONE), text(""), picture(OTHER)),
        [{"role": "system", "content": "Look."}, *CHAT],
        [{**CHAT[0], "role": "assistant"}],
    ],
    ids=["images swapped", "text moved", "text joined", "a system prompt", "another role"],
)
def test_messages_count_with_their_order(messages):
    assert key(shown=messages) != key(shown=CHAT)


def test_messages_are_compared_by_content():
    again = message(text("first"), picture(ONE.copy()), text("second"), picture(OTHER.copy()))
    assert key(shown=again) == key(shown=CHAT)


def test_words_are_never_taken_for_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = [{"role": "user", "content": "yes"}, {"role": "user", "content": [text("yes")]}]
    before = key(text="yes", shown=shown, settings={**GREEDY, "until": ["yes"]})
    for name in ("yes", "user", "text"):
        Path(name).write_text("a file")
    assert key(text="yes", shown=shown, settings={**GREEDY, "until": ["yes"]}) == before


@pytest.mark.parametrize(
    "arguments",
    [
        {"batch_size": 8},
        {"device": "cuda:1", "device_map": "auto"},
        {"num_concurrent": 64, "max_retries": 2, "timeout": 5},
    ],
    ids=str,
)
def test_arguments_that_do_not_change_answers(arguments):
    plain = model_of("a.Model", {"pretrained": "x"}, "1")
    assert model_of("a.Model", {"pretrained": "x", **arguments}, "1") == plain


@pytest.mark.parametrize(
    ("name", "arguments", "version"),
    [
        ("b.Model", {"pretrained": "x"}, "1"),
        ("a.Model", {"pretrained": "x", "min_pixels": 784}, "1"),
        ("a.Model", {"pretrained": "x", "not_known_to_us": 1}, "1"),
        ("a.Model", {}, "1"),
        ("a.Model", {"pretrained": "x"}, "2"),
    ],
)
def test_what_makes_another_model(name, arguments, version):
    assert model_of(name, arguments, version) != model_of("a.Model", {"pretrained": "x"}, "1")


def test_a_checkpoint_that_was_trained_further_is_another_model(tmp_path):
    weights = tmp_path / "checkpoint" / "model.safetensors"
    weights.parent.mkdir()
    weights.write_bytes(b"0000")
    arguments = {"pretrained": str(weights.parent)}
    before = model_of("a.Model", arguments, "1")
    assert model_of("a.Model", arguments, "1") == before
    found = weights.stat()
    weights.write_bytes(b"0001")
    os.utime(weights, ns=(found.st_atime_ns, found.st_mtime_ns + 1))
    assert model_of("a.Model", arguments, "1") != before
