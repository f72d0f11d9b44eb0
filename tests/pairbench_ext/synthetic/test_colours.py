import math

import numpy as np
import pytest
from coloraide import Color
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.synthetic.colours import (
    GamutError,
    Lab,
    from_polar,
    in_gamut,
    shift_hue,
    shift_lightness,
    to_bytes,
)
from pairbench_ext.synthetic.palette import PALETTE
from tests.scene_measures import from_bytes

BYTES = st.integers(0, 255)
LABS = st.builds(Lab, st.floats(0, 1), st.floats(-0.35, 0.35), st.floats(-0.35, 0.35))
COLOURS = [pytest.param(lab, id=name) for name, lab in PALETTE.items()]


def reference(lab):
    """The library `coloraide`, whose matrices have more digits than the printed ones."""
    return Color("oklab", list(lab))


@given(BYTES, BYTES, BYTES)
def test_bytes_agree_with_coloraide_and_back(red, green, blue):
    assert to_bytes(from_bytes((red, green, blue))) == (red, green, blue)


@given(LABS)
def test_gamut_agrees_with_coloraide(lab):
    linear = np.array(reference(lab).convert("srgb-linear").coords())
    if np.abs(np.concatenate([linear, linear - 1])).min() > 1e-4:  # else a matter of digits
        assert in_gamut(lab) == reference(lab).in_gamut("srgb", tolerance=0)


def test_polar_is_oklch():
    expected = Color("oklch", [0.7, 0.12, 200]).convert("oklab").coords()
    lab = from_polar(0.7, 0.12, 200)
    assert lab == pytest.approx(expected)
    assert (lab.chroma, lab.hue) == (pytest.approx(0.12), pytest.approx(200))


@pytest.mark.parametrize("lab", COLOURS)
def test_the_change_asked_for_is_the_change_drawn(lab):
    drawn = [from_bytes(to_bytes(colour)) for colour in (lab, shift_lightness(lab, 0.05))]
    assert drawn[1].lightness - drawn[0].lightness == pytest.approx(0.05, abs=0.004)
    assert math.dist(drawn[0][1:], drawn[1][1:]) < 0.006  # a byte is up to 0.003


@given(st.floats(0, 360), st.floats(0, 0.2), st.sampled_from([1, -1]))
def test_hue_turns_at_constant_lightness_and_chroma(hue, distance, direction):
    lab = from_polar(0.6, 0.1, hue)  # sRGB has all hues of it
    moved = shift_hue(lab, min(distance, 2 * lab.chroma), direction)
    assert moved.lightness == lab.lightness
    assert moved.chroma == pytest.approx(lab.chroma)
    assert math.dist(lab, moved) == pytest.approx(distance, abs=1e-9)


def test_what_srgb_cannot_show_is_refused():
    green = from_polar(0.68, 0.18, 145)
    with pytest.raises(GamutError, match=r"cannot show the OKLab colour \(0\.\d+, "):
        shift_lightness(green, 0.3)
    with pytest.raises(GamutError, match="cannot show"):
        to_bytes(green._replace(lightness=0.95))
