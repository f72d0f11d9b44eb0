import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from lmms_eval_tasks.subtlebench.visual import authors
from lmms_eval_tasks.subtlebench.visual.grid import grid
from lmms_eval_tasks.subtlebench.visual.highlight import highlight
from lmms_eval_tasks.subtlebench.visual.overlap import overlap
from lmms_eval_tasks.subtlebench.visual.strategies import STRATEGIES, shown
from lmms_eval_tasks.subtlebench.visual.subtract import subtract
from pairbench_ext.core.visual.aligned import rgb
from pairbench_ext.core.visual.concat import concat

ALL = [(name, variant) for name, variants in STRATEGIES.items() for variant in variants]
MODES = (
    *(
        "1",
        "L",
        "P",
        "RGB",
        "RGBA",
        "LA",
        "La",
        "RGBa",
        "RGBX",
        "PA",
        "CMYK",
        "YCbCr",
        "LAB",
        "HSV",
    ),
    *("I", "F", "I;16", "I;16L", "I;16B", "I;16N"),
)
BYTES = {
    "1": 1,
    "La": 2,
    "LA": 2,
    "PA": 2,
    "RGB": 3,
    "YCbCr": 3,
    "LAB": 3,
    "HSV": 3,
    "RGBA": 4,
    "RGBa": 4,
    "RGBX": 4,
    "CMYK": 4,
    "I": 4,
    "F": 4,
} | {m: 2 for m in MODES if ";" in m}


@st.composite
def pictures(draw):
    """Any bytes as an image of any mode, of up to 12 pixels a side."""
    mode = draw(st.sampled_from(MODES))
    size = draw(st.tuples(st.integers(1, 12), st.integers(1, 12)))
    seed = draw(st.integers(0, 99))
    count = size[0] * size[1] * BYTES.get(mode, 1)
    data = np.random.default_rng(seed).integers(0, 256, count, dtype=np.uint8).tobytes()
    return Image.frombytes(mode, size, data)


def noise(size, seed):
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    return Image.fromarray(pixels)


def state(image):
    return image.mode, image.size, image.tobytes(), dict(image.info)


@pytest.mark.parametrize(("name", "variant"), ALL, ids=["-".join(one) for one in ALL])
@given(first=pictures(), second=pictures())
@settings(max_examples=40, deadline=None)
def test_any_two_images_give_rgb_and_stay_as_they_are(name, variant, first, second):
    before = state(first), state(second)
    images = shown(name, first, second, variant)
    assert [image.mode for image in images] == ["RGB"] * len(images)
    for image in images:
        image.paste((1, 2, 3), (0, 0, *image.size))  # what a caller draws stays with the caller
    assert (state(first), state(second)) == before
    if name == "concat":
        assert images[0].height == min(first.height, second.height)
    elif name in ("none", "grid"):
        assert [image.size for image in images] == [first.size, second.size]
    elif variant == "paper":
        sizes = [first.size, second.size, *[first.size] * (len(images) - 2)]
        assert [image.size for image in images] == sizes


ONE, OTHER = noise((24, 16), 1), noise((20, 18), 2)
ORIGINALS = [ONE, OTHER]


@pytest.mark.parametrize(
    ("name", "variant", "expected"),
    [
        ("none", "paper", ORIGINALS),
        ("none", "authors", ORIGINALS),
        ("grid", "paper", [grid(ONE), grid(OTHER)]),
        ("grid", "authors", [authors.grid(ONE), authors.grid(OTHER)]),
        ("concat", "paper", [concat(ONE, OTHER)]),
        ("concat", "authors", [authors.concat(ONE, OTHER)]),
        ("overlap", "paper", [*ORIGINALS, overlap(ONE, OTHER)]),
        ("overlap", "authors", [*ORIGINALS, authors.overlap(ONE, OTHER)]),
        ("subtract", "paper", [*ORIGINALS, subtract(ONE, OTHER)]),
        ("subtract", "authors", [*ORIGINALS, authors.subtract(ONE, OTHER)]),
        ("highlight", "paper", [*ORIGINALS, *highlight(ONE, OTHER)]),
    ],
)
def test_what_is_shown_in_which_order(name, variant, expected):
    images = shown(name, ONE, OTHER, variant)
    assert [image.size for image in images] == [image.size for image in expected]
    assert [image.tobytes() for image in images] == [image.tobytes() for image in expected]


def test_originals_are_shown_as_one_sees_them():
    deep = Image.fromarray(np.full((3, 4), 257 * 80, np.uint16))
    assert shown("subtract", deep, deep)[0].tobytes() == rgb(deep).tobytes()
