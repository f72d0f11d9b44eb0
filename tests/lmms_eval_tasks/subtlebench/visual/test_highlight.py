import numpy as np
import pytest
from PIL import Image

from lmms_eval_tasks.subtlebench.visual.highlight import GREEN, highlight, mark, width_of
from lmms_eval_tasks.subtlebench.visual.regions import Box


def grey(width, height, level=101):
    return np.full((height, width, 3), level, np.uint8)


def green(pixels):
    return (pixels == GREEN).all(axis=2)


def test_one_box_by_hand():
    """Outside 101 // 2, inside 101, two pixels of green around."""
    marked = mark(grey(14, 11), [Box(4, 3, 9, 7)])
    expected = np.full((11, 14, 3), 50)
    expected[1:9, 2:11] = GREEN
    expected[3:7, 4:9] = 101
    np.testing.assert_array_equal(marked, expected)


@pytest.mark.parametrize(
    ("box", "inside"),
    [
        pytest.param(Box(0, 0, 6, 6), (slice(2, 6), slice(2, 6)), id="corner"),
        pytest.param(Box(5, 8, 14, 16), (slice(8, 14), slice(5, 12)), id="opposite corner"),
        pytest.param(Box(0, 0, 14, 16), (slice(2, 14), slice(2, 12)), id="everything"),
    ],
)
def test_where_the_image_ends_the_boundary_lies_inside(box, inside):
    marked = mark(grey(14, 16), [box])
    kept = (marked == 101).all(axis=2)
    expected = np.zeros_like(kept)
    expected[inside] = True
    np.testing.assert_array_equal(kept, expected)


def test_boundaries_lie_over_other_boxes():
    marked = mark(grey(30, 20), [Box(2, 2, 20, 15), Box(10, 5, 28, 18)], width=1)
    assert tuple(marked[10, 9]) == GREEN  # of the second box, in the first
    assert tuple(marked[10, 20]) == GREEN  # of the first box, in the second
    assert tuple(marked[10, 15]) == (101,) * 3


def test_without_boxes_nothing_is_dimmed():
    pixels = grey(5, 4)
    marked = mark(pixels, [])
    np.testing.assert_array_equal(marked, pixels)
    assert not np.shares_memory(marked, pixels)


@pytest.mark.parametrize(
    ("size", "width"),
    [((100, 80), 2), ((512, 512), 3), ((800, 600), 4), ((600, 800), 4), ((4000, 3000), 20)],
    ids=str,
)
def test_boundaries_grow_with_the_image(size, width):
    assert width_of((size[1], size[0], 3)) == width
    ring = green(mark(grey(*size), [Box(40, 30, 60, 50)]))
    assert ring[40, : 40 + 1].sum() == width


def test_both_images_get_the_same_boxes():
    rng = np.random.default_rng(0)
    one = rng.integers(0, 200, (90, 120, 3), dtype=np.uint8)
    other = one.copy()
    other[20:40, 30:70] += 50
    first, second = (np.asarray(x) for x in highlight(Image.fromarray(one), Image.fromarray(other)))
    np.testing.assert_array_equal(green(first), green(second))
    for given, marked in ((one, first), (other, second)):
        np.testing.assert_array_equal(marked[20:40, 30:70], given[20:40, 30:70])
        np.testing.assert_array_equal(marked[50:], given[50:] // 2)
        assert (marked[18:20, 28:72] == GREEN).all()


def test_images_that_are_the_same_stay_as_they_are():
    image = Image.linear_gradient("L")
    for made in highlight(image, image):
        np.testing.assert_array_equal(np.asarray(made), np.asarray(image.convert("RGB")))


def test_a_shifted_outline_is_found():
    one = Image.new("L", (100, 80), 255)
    one.paste(0, (30, 20, 60, 50))
    other = Image.new("L", (100, 80), 255)
    other.paste(0, (31, 20, 61, 50))
    first, _ = highlight(one, other)
    rows, columns = np.nonzero(green(np.asarray(first)))
    assert (columns.min(), rows.min()) == (28, 18)
    assert (columns.max(), rows.max()) == (62, 51)


def test_the_second_image_is_shown_in_the_size_of_the_first():
    first, second = highlight(Image.new("L", (30, 20), 9), Image.new("L", (60, 10), 200))
    assert first.size == second.size == (30, 20)
    assert second.getpixel((15, 10)) == (200, 200, 200)
