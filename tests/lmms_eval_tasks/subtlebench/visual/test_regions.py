import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import ndimage
from skimage.measure import label, regionprops

from lmms_eval_tasks.build.common.photos import load_photos
from lmms_eval_tasks.subtlebench.visual.regions import Box, changed, cleaned, largest, regions
from lmms_eval_tasks.subtlebench.visual.subtract import difference

SHAPES = st.tuples(st.integers(1, 14), st.integers(1, 14))
MASKS = arrays.arrays(np.bool_, SHAPES)
DIFFERENCES = SHAPES.flatmap(
    lambda shape: arrays.arrays(np.uint16, shape, elements=st.integers(0, 765))
)
SOMETIMES = settings(max_examples=80, deadline=None)


def photos_apart(name, other):
    """Differences of two photographs: many levels, many regions."""
    by_name = {photo.name: photo.image.resize((300, 200)) for photo in load_photos(300)}
    return difference(np.asarray(by_name[name]), np.asarray(by_name[other]))


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


def test_changed_in_photographs():
    differences = photos_apart("coffee", "rocket")
    expected = differences > np.percentile(differences, 90)
    assert 0.09 < expected.mean() <= 0.1
    np.testing.assert_array_equal(changed(differences), expected)


@pytest.mark.parametrize(
    ("differences", "mask"),
    [
        pytest.param([0] * 20, [0] * 20, id="nothing"),
        pytest.param([0] * 19 + [1], [0] * 19 + [1], id="one pixel of twenty, above 0"),
        pytest.param([*range(20)], [0] * 18 + [1] * 2, id="a tenth"),
        pytest.param([0] * 12 + [50] * 8, [0] * 12 + [1] * 8, id="many share the largest"),
        pytest.param([50] * 20, [1] * 20, id="all share the largest"),
        pytest.param([0] * 10 + [50] * 9 + [51], [0] * 19 + [1], id="one is above the others"),
    ],
)
def test_changed_by_hand(differences, mask):
    assert changed(np.array([differences], np.uint16))[0].tolist() == [bool(x) for x in mask]


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


def test_closing_connects_and_opening_removes():
    mask = np.zeros((12, 24), bool)
    mask[2:6, 2:6] = mask[2:6, 8:12] = True  # two pixels apart
    mask[9, 20] = True  # noise
    made = cleaned(mask)
    expected = np.zeros_like(mask)
    expected[2:6, 2:12] = True
    np.testing.assert_array_equal(made, expected)


def test_what_is_narrower_than_the_kernel_is_not_lost():
    mask = np.zeros((12, 24), bool)
    mask[5, 3:20] = True
    np.testing.assert_array_equal(cleaned(mask), mask)


# Components


def by_skimage(mask):
    found = regionprops(label(mask, connectivity=2))
    return [(int(one.area), Box(*one.bbox[1::-1], *one.bbox[:1:-1])) for one in found]


def by_opencv_components(mask):
    _, _, table, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return [(int(area), Box(x, y, x + w, y + h)) for x, y, w, h, area in table[1:].tolist()]


def of_three(found):
    """Areas and boxes of the paper's choice; sorting keeps the order of equal areas."""
    three = sorted(found, key=lambda one: -one[0])[:3]
    return [one for one in three if one[0] >= three[0][0] / 2]


@given(MASKS)
@SOMETIMES
def test_largest_are_those_of_scikit_image(mask):
    assert largest(mask) == [box for _, box in of_three(by_skimage(mask))]


@pytest.mark.parametrize("reference", [by_skimage, by_opencv_components])
@pytest.mark.parametrize("percentile", [50, 90, 97])
def test_largest_in_photographs(reference, percentile):
    mask = changed(photos_apart("cat", "pagoda"), percentile)
    found = reference(mask)
    assert len(found) > 50
    assert largest(mask) == [box for _, box in of_three(found)]


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


def test_area_counts_pixels_not_boxes():
    mask = np.zeros((20, 40), bool)
    mask[:12, 0] = mask[0, :12] = True  # a corner: 23 pixels in a box of 144
    mask[5:10, 20:25] = True  # 25 pixels
    assert largest(mask) == [Box(20, 5, 25, 10), Box(0, 0, 12, 12)]


def test_corners_touch():
    assert largest(np.eye(5, dtype=bool)) == [Box(0, 0, 5, 5)]


def test_nothing_has_no_region():
    assert largest(np.zeros((4, 5), bool)) == []
    assert regions(np.zeros((4, 5), np.uint16)) == []


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
