import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import ndimage
from skimage.measure import label, regionprops

from lmms_eval_tasks.subtlebench.visual.regions import Box, changed, cleaned, largest, regions

SHAPES = st.tuples(st.integers(1, 14), st.integers(1, 14))
MASKS = arrays.arrays(np.bool_, SHAPES)
DIFFERENCES = SHAPES.flatmap(
    lambda shape: arrays.arrays(np.uint16, shape, elements=st.integers(0, 765))
)
SOMETIMES = settings(max_examples=80, deadline=None)


def blocks(*areas, height=10):
    """Rectangles of `height` rows with these areas, apart from each other, left to right."""
    columns = []
    for area in areas:
        columns += [np.ones((height, area // height), bool), np.zeros((height, 4), bool)]
    return np.concatenate(columns, axis=1)


# Percentile


@given(DIFFERENCES, st.sampled_from([0, 50, 90, 99, 100]))
@SOMETIMES
def test_changed_is_above_the_percentile(differences, percentile):
    above = differences > np.percentile(differences, percentile)
    mask = changed(differences, percentile)
    if above.any():
        np.testing.assert_array_equal(mask, above)
    else:
        top = differences >= np.percentile(differences, percentile)
        np.testing.assert_array_equal(mask, top & (differences > 0))


# Closing and opening


def by_scipy(mask, kernel):
    square = np.ones((kernel, kernel), bool)
    closed = ndimage.binary_closing(mask, square)
    return closed, ndimage.binary_opening(closed, square)


def by_opencv(mask, kernel):
    square = np.ones((kernel, kernel), np.uint8)
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, square)
    opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, square)
    return closed.astype(bool), opened.astype(bool)


@pytest.mark.parametrize("reference", [by_scipy, by_opencv])
@given(mask=MASKS, kernel=st.sampled_from([1, 3, 5]))
@SOMETIMES
def test_cleaned_is_closed_then_opened(reference, mask, kernel):
    border = 2 * kernel  # so far from the end of the array that no library's border rule matters
    closed, opened = (
        one[border:-border, border:-border] for one in reference(np.pad(mask, border), kernel)
    )
    expected = opened if opened.any() else closed
    np.testing.assert_array_equal(cleaned(mask, kernel), expected)


# Components


def by_skimage(mask):
    found = regionprops(label(mask, connectivity=2))
    return [(int(one.area), Box(*one.bbox[1::-1], *one.bbox[:1:-1])) for one in found]


def of_three(found):
    """Areas and boxes of the paper's choice; sorting keeps the order of equal areas."""
    three = sorted(found, key=lambda one: -one[0])[:3]
    return [one for one in three if one[0] >= three[0][0] / 2]


@given(MASKS)
@SOMETIMES
def test_largest_are_those_of_scikit_image(mask):
    assert largest(mask) == [box for _, box in of_three(by_skimage(mask))]


@pytest.mark.parametrize(
    ("areas", "kept"),
    [
        pytest.param([100], [0], id="one"),
        pytest.param([100, 50, 40], [0, 1], id="half is enough, less is not"),
        pytest.param([40, 100, 60], [1, 2], id="the largest first"),
        pytest.param([50, 50, 50, 50], [0, 1, 2], id="three at most"),
        pytest.param([60, 100, 70, 80], [1, 3, 2], id="the three largest"),
        pytest.param([40, 40, 100], [2], id="alone"),
    ],
)
def test_second_and_third_need_half_of_the_largest_area(areas, kept):
    lefts = np.cumsum([0, *(area // 10 + 4 for area in areas)])
    expected = [Box(int(lefts[i]), 0, int(lefts[i]) + areas[i] // 10, 10) for i in kept]
    assert largest(blocks(*areas)) == expected


# All of it


@given(DIFFERENCES)
@SOMETIMES
def test_what_differs_has_one_to_three_regions_inside_the_image(differences):
    boxes = regions(differences)
    assert (len(boxes) in (1, 2, 3)) == bool(differences.any())
    height, width = differences.shape
    for box in boxes:
        assert 0 <= box.left < box.right <= width
        assert 0 <= box.top < box.bottom <= height
        assert differences[box.top : box.bottom, box.left : box.right].any()


def test_a_changed_object_is_found_among_noise():
    rng = np.random.default_rng(0)
    differences = rng.integers(0, 12, (200, 300)).astype(np.uint16)
    differences[50:90, 120:180] += 60
    (box,) = regions(differences)
    assert np.abs(np.subtract(box, (120, 50, 180, 90))).max() <= 2
