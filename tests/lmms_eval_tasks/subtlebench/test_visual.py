"""The ways of showing two images: against the authors' outputs, other libraries and by hand."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image
from skimage.measure import label, regionprops

from lmms_eval_tasks.subtlebench.visual import WAYS, regions, shown

# The authors' outputs for three pairs, before JPEG; made by running their published functions.
VECTORS = Path(__file__).parents[2] / "vectors/subtle/images"
PAIRS = ("p1_same_size", "p2_different_sizes", "p5_identical")
ALL = [(variant, name) for variant, ways in WAYS.items() for name in ways]
MODES = {
    "1": 1, "L": 1, "P": 1, "RGB": 3, "RGBA": 4, "LA": 2, "La": 2, "RGBa": 4, "RGBX": 4, "PA": 2,
    "CMYK": 4, "YCbCr": 3, "LAB": 3, "HSV": 3, "I": 4, "F": 4, "I;16": 2, "I;16B": 2,
}  # fmt: skip
DIFFERENCES = st.tuples(st.integers(1, 14), st.integers(1, 14)).flatmap(
    lambda shape: arrays.arrays(np.uint16, shape, elements=st.integers(0, 765))
)


def opened(name):
    with Image.open(VECTORS / f"{name}.png") as image:
        image.load()
    return image


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("way", ["concat", "overlap", "subtract", "grid"])
def test_the_authors_variant_is_what_their_code_makes(pair, way):
    images = shown(way, opened(f"{pair}_in1"), opened(f"{pair}_in2"), "authors")
    names = ["grid1", "grid2"] if way == "grid" else [way]
    for name, made in zip(names, images[-len(names) :], strict=True):
        np.testing.assert_array_equal(np.asarray(made), np.asarray(opened(f"{pair}_{name}")))


@pytest.mark.parametrize("variant", ["paper", "authors"])
def test_differences_are_stretched_to_the_largest(variant):
    levels = np.arange(766)
    every = np.stack([levels // 3, (levels + 1) // 3, (levels + 2) // 3], -1).astype(np.uint8)[None]
    for largest in (1, 2, 7, 100, 254, 255, 256, 509, 510, 764, 765):
        other = every[:, : largest + 1]
        first, second = Image.fromarray(np.zeros_like(other)), Image.fromarray(other)
        grey = np.mean(other.astype(np.float32), axis=2)
        stretched = grey / grey.max() * 255
        if variant == "paper":  # rounded; exactly, because halves are rounded up
            stretched = (levels[None, : largest + 1] * 510 + largest) // (2 * largest)
        made = np.asarray(shown("subtract", first, second, variant)[2])[..., 0]
        np.testing.assert_array_equal(made, stretched.astype(np.uint8), str(largest))


@st.composite
def pictures(draw):
    """Any bytes as an image of any mode, of up to 12 pixels a side."""
    mode = draw(st.sampled_from(sorted(MODES)))
    size = draw(st.tuples(st.integers(1, 12), st.integers(1, 12)))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    data = rng.integers(0, 256, size[0] * size[1] * MODES[mode], dtype=np.uint8).tobytes()
    return Image.frombytes(mode, size, data)


@pytest.mark.parametrize(("variant", "name"), ALL, ids=["-".join(each) for each in ALL])
@given(first=pictures(), second=pictures())
@settings(max_examples=30, deadline=None)
def test_any_two_images_give_rgb_and_stay_as_they_are(name, variant, first, second):
    before = first.tobytes(), second.tobytes()
    images = shown(name, first, second, variant)
    assert [image.mode for image in images] == ["RGB"] * len(images)
    for image in images:
        image.paste((1, 2, 3), (0, 0, *image.size))  # what a caller draws stays with the caller
    assert (first.tobytes(), second.tobytes()) == before
    if name == "concat":
        assert images[0].height == min(first.height, second.height)
    else:
        assert [image.size for image in images[:2]] == [first.size, second.size]
        assert len(images) == {"none": 2, "grid": 2, "highlight": 4}.get(name, 3)


def test_the_papers_grid_blend_and_concatenation():
    first, second = Image.new("L", (16, 16), 100), Image.new("RGB", (8, 8), (7, 7, 7))
    gridded = np.asarray(shown("grid", first, second)[0])[..., 0]
    assert {row for row in range(16) if gridded[row].max() == 70} == {3, 4, 5, 7, 8, 9, 11, 12, 13}
    assert shown("overlap", first, second)[2].getpixel((0, 0)) == (53, 53, 53)
    [canvas] = shown("concat", first, second)
    assert canvas.size == (8 + 1 + 8, 8)
    assert canvas.getpixel((8, 3)) == (0, 0, 0)


def by_others(differences):
    """The paper's regions, by OpenCV and scikit-image."""
    mask = differences > np.percentile(differences, 90)
    if not mask.any():
        mask = (differences >= np.percentile(differences, 90)) & (differences > 0)
    padded = np.pad(mask.astype(np.uint8), 6)  # no library's border rule matters
    closed = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, np.ones((3, 3)))[6:-6, 6:-6]
    opened = cv2.morphologyEx(np.pad(closed, 6), cv2.MORPH_OPEN, np.ones((3, 3)))[6:-6, 6:-6]
    parts = regionprops(label(opened if opened.any() else closed, connectivity=2))
    largest = sorted(parts, key=lambda part: -part.area)[:3]
    return [part.slice for part in largest if part.area >= largest[0].area / 2]


@given(DIFFERENCES)
@settings(max_examples=200, deadline=None)
def test_regions_are_those_of_other_libraries(differences):
    boxes = regions(differences)
    assert boxes == by_others(differences)
    assert (len(boxes) in (1, 2, 3)) == bool(differences.any())
