"""The authors' outputs for three pairs, before JPEG; made by running their published functions."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from lmms_eval_tasks.subtlebench.visual import authors

VECTORS = Path(__file__).parents[3] / "vectors/subtle/images"
PAIRS = ("p1_same_size", "p2_different_sizes", "p5_identical")


def opened(name):
    with Image.open(VECTORS / f"{name}.png") as image:
        image.load()
    return image


def pixels(image):
    assert image.mode == "RGB"
    return np.asarray(image)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("strategy", ["concat", "overlap", "subtract"])
def test_pairs_are_those_of_the_authors(pair, strategy):
    made = getattr(authors, strategy)(opened(f"{pair}_in1"), opened(f"{pair}_in2"))
    np.testing.assert_array_equal(pixels(made), pixels(opened(f"{pair}_{strategy}")))


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("number", [1, 2])
def test_grids_are_those_of_the_authors(pair, number):
    made = authors.grid(opened(f"{pair}_in{number}"))
    np.testing.assert_array_equal(pixels(made), pixels(opened(f"{pair}_grid{number}")))


def test_differences_are_truncated_in_single_precision():
    """Every possible difference under every possible largest one, against floats."""
    black = np.zeros((1, 766, 3), np.uint8)
    levels = np.arange(766)
    every = np.stack([levels // 3, (levels + 1) // 3, (levels + 2) // 3], -1).astype(np.uint8)[None]
    for largest in range(1, 766):
        one, other = black[:, : largest + 1], every[:, : largest + 1]
        grey = np.mean(np.abs(one.astype(np.float32) - other.astype(np.float32)), axis=2)
        expected = (grey / grey.max() * 255).astype(np.uint8)
        made = authors.subtract(Image.fromarray(one), Image.fromarray(other))
        np.testing.assert_array_equal(pixels(made)[..., 0], expected, str(largest))


def test_hidden_colours_show():
    hidden = Image.new("RGBA", (4, 4), (200, 0, 0, 0))
    white = Image.new("RGB", (4, 4), "white")
    assert authors.concat(hidden, white).getpixel((0, 0)) == (200, 0, 0)
    assert authors.overlap(hidden, white).getpixel((0, 0)) == (227, 127, 127)
    assert authors.subtract(hidden, white).getpixel((0, 0)) == (255, 255, 255)
