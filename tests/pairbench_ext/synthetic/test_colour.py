"""Colour spaces, against the libraries `coloraide` and scikit-image."""

import numpy as np
import pytest
from coloraide import Color
from hypothesis import given
from hypothesis import strategies as st
from skimage.color import rgb2lab

from pairbench_ext.synthetic.colour import cielab_of, oklab_of, srgb_of

RGB = st.tuples(*[st.integers(0, 255)] * 3)
LABS = st.tuples(st.floats(0, 1), st.floats(-0.35, 0.35), st.floats(-0.35, 0.35))


@given(LABS)
def test_srgb_agrees_with_coloraide(lab):
    # Its matrices have more digits than the printed ones.
    expected = Color("oklab", list(lab)).convert("srgb").coords()
    np.testing.assert_allclose(srgb_of(lab), expected, atol=2e-4)


@given(RGB)
def test_oklab_agrees_with_coloraide_and_back(rgb):
    srgb = np.array(rgb) / 255
    expected = Color("srgb", srgb.tolist()).convert("oklab").coords()
    np.testing.assert_allclose(oklab_of(srgb), expected, atol=1e-5)
    np.testing.assert_allclose(srgb_of(oklab_of(srgb)), srgb, atol=1e-6)


@given(RGB)
def test_cielab_agrees_with_coloraide(rgb):
    srgb = np.array(rgb) / 255
    expected = Color("srgb", srgb.tolist()).convert("lab-d65").coords()
    np.testing.assert_allclose(cielab_of(srgb), expected, atol=0.05)  # of 100


def test_cielab_is_that_of_scikit_image_bit_by_bit():
    """What was embedded with its conversion stays comparable."""
    levels = np.arange(0, 256, 3, dtype=np.uint8)
    rgb = np.stack(np.meshgrid(levels, levels, levels), axis=-1).reshape(len(levels), -1, 3)
    np.testing.assert_array_equal(cielab_of(rgb * (1 / 255)), rgb2lab(rgb))


@pytest.mark.parametrize("convert", [srgb_of, oklab_of, cielab_of])
def test_shapes_of_arrays_are_kept(convert):
    assert convert(np.zeros((2, 5, 3))).shape == (2, 5, 3)
