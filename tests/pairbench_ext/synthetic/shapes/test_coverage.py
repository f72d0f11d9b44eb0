import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from skimage.draw import ellipse, polygon

from pairbench_ext.synthetic.palette import PALETTE
from pairbench_ext.synthetic.shapes.coverage import masks, pixel_box, runs
from pairbench_ext.synthetic.shapes import SHAPE_KINDS, Shape

FINE = 32  # sub-pixels across a pixel of the reference


def shape(kind, size, x=20.0, y=20.0, rotation=0.0):
    return Shape(kind, "red", PALETTE["red"], size, x, y, rotation)


def coverage(shapes):
    found = runs(shapes)
    return found.patches(found.share)


SHAPES = st.builds(
    shape,
    st.sampled_from(SHAPE_KINDS),
    st.floats(0.1, 90),
    st.floats(-100, 900),
    st.floats(-100, 900),
    st.floats(-720, 720),
)


def sampled(one):
    """The share of sub-pixels whose centre is inside, by scikit-image."""
    left, top, right, bottom = pixel_box(one)
    fine = np.zeros(((bottom - top) * FINE, (right - left) * FINE))
    # Its pixels have their centres at integers.
    at = lambda value, start: (value - start) * FINE - 0.5  # noqa: E731
    if one.corners:
        xs, ys = zip(*one.corners, strict=True)
        inside = polygon([at(y, top) for y in ys], [at(x, left) for x in xs], fine.shape)
    else:
        radius = one.reach * FINE
        inside = ellipse(at(one.y, top), at(one.x, left), radius, radius, fine.shape)
    fine[inside] = 1
    return fine.reshape(bottom - top, FINE, right - left, FINE).mean(axis=(1, 3))


@pytest.mark.parametrize("kind", SHAPE_KINDS)
@pytest.mark.parametrize(
    ("size", "x", "y", "rotation"),
    [
        pytest.param(8, 20, 20, 0, id="on the pixels' borders"),
        pytest.param(7, 20.5, 20.5, 90, id="a quarter turn"),
        pytest.param(12.34, 20.21, 19.87, 0, id="upright"),
        pytest.param(12.34, 20.21, 19.87, 45, id="diagonal"),
        pytest.param(23.7, 20.03, 20.9, 31.4, id="oblique"),
        pytest.param(23.7, 20.03, 20.9, 0.001, id="nearly upright"),
        pytest.param(0.6, 20.3, 20.4, 10, id="within a pixel"),
        pytest.param(1.1, 20.0, 20.0, 10, id="across four pixels"),
    ],
)
def test_every_pixel_as_finely_sampled(kind, size, x, y, rotation):
    one = shape(kind, size, x, y, rotation)
    share = coverage([one])[0]
    np.testing.assert_allclose(share, sampled(one), atol=2 / FINE)
    assert abs(share - sampled(one)).mean() < 0.1 / FINE + 0.01 * (size < 2)


def test_an_aligned_square_is_exact():
    left, top, right, bottom = pixel_box(shape("square", 4, 10.25, 10.5))
    assert (left, top, right, bottom) == (8, 8, 13, 13)
    share = coverage([shape("square", 4, 10.25, 10.5)])[0]
    np.testing.assert_allclose(
        share, np.outer([0.5, 1, 1, 1, 0.5], [0.75, 1, 1, 1, 0.25]), atol=1e-12
    )


@given(st.lists(SHAPES, min_size=1, max_size=4))
def test_areas_and_centres_are_exact(shapes):
    for one, share in zip(shapes, coverage(shapes), strict=True):
        left, top, right, bottom = pixel_box(one)
        assert share.shape == (bottom - top, right - left)
        assert share.min() >= 0
        assert share.max() <= 1
        assert share.sum() == pytest.approx(one.area, abs=1e-7)
        assert share.sum(axis=0) @ (np.arange(left, right) + 0.5) / one.area == pytest.approx(
            one.x, abs=0.5
        )


@given(st.lists(SHAPES, min_size=2, max_size=5))
def test_a_shape_looks_the_same_whatever_else_is_drawn(shapes):
    together = masks(shapes)
    for one, mask in zip(shapes, together, strict=True):
        assert (masks([one])[0] == mask).all()


def test_masks_are_rounded_coverage():
    one = shape("triangle", 30.3, rotation=12)
    np.testing.assert_allclose(masks([one])[0] / 255, coverage([one])[0], atol=0.5 / 255 + 1e-8)
    assert (masks([shape("square", 4, 10.5, 10)])[0][:, 0] == 128).all()  # half goes up


def test_circles_turn_into_themselves_and_triangles_do_not():
    assert (masks([shape("circle", 9.5)])[0] == masks([shape("circle", 9.5, rotation=30)])[0]).all()
    upright, flipped = (coverage([shape("triangle", 20, rotation=r)])[0] for r in (0, 180))
    np.testing.assert_allclose(upright.sum(axis=1), flipped.sum(axis=1)[::-1], atol=1e-9)
    assert upright[0].sum() < upright[-1].sum()  # the corner is at the top


def test_nothing_to_cover():
    assert masks([]) == []


def test_large_shapes_keep_their_precision():
    one = shape("circle", 550, 399.3, 301.7)
    assert coverage([one])[0].sum() == pytest.approx(math.pi * 275**2, abs=1e-5)
