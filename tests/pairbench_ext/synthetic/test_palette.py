"""Every shade goes by its name, by what people called nearly a thousand colours."""

import itertools
import math

import numpy as np
import pytest
from coloraide import Color
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import CSS4_COLORS, XKCD_COLORS

from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.colours import GamutError, in_gamut, shift_lightness, to_bytes
from pairbench_ext.synthetic.palette import (
    FARTHEST,
    PALETTE,
    SENSITIVITY,
    TONES,
    nearest_name,
    shade,
    shades,
    shiftable,
    turned,
)

NAMED = {**TONES, **{f"{name} of C.4": tone for name, tone in SENSITIVITY.items()}}
# Words of names that mean a colour, or a kind of it.
WORDS = {
    "red": "red crimson scarlet carmine brick coral salmon",
    "orange": "orange pumpkin apricot",
    "yellow": "yellow mustard gold maize sand",
    "green": "green emerald shamrock forest fern moss algae",
    "olive": "olive khaki swamp drab mud camo brown-green brownish-green browny-green",
    "cyan": "cyan aqua turquoise teal topaz sea robin greenish-blue blue/green bluegreen",
    "blue": "blue denim cobalt cerulean cornflower",
    "purple": "purple violet purply amethyst lavender lilac",
    "pink": "pink rose rosa",
    "magenta": "magenta fuchsia cerise red-violet violet-red deep-pink hot-pink purpley-pink",
    "brown": "brown chocolate cocoa chestnut dirt",
    "grey": "grey gray silver charcoal slate steel gunmetal",
}
SURVEY = {name.removeprefix("xkcd:"): Color(value) for name, value in XKCD_COLORS.items()}
SURVEYED = list(SURVEY)
LABS = np.array([colour.convert("oklab").coords() for colour in SURVEY.values()])


def corners(tone):
    """The lightest, palest, ... shades that are drawn, and those between."""
    for share, paler, turn in itertools.product(np.linspace(0, 1, 5), (0, 1), (0, 0.5, 1)):
        low, high = tone.lightness
        yield tone.shade(low + share * (high - low), paler, turn)


def is_called(word, name):
    return any(part in name.replace(" ", "-") for part in WORDS[word].split())


@pytest.mark.parametrize("name", NAMED)
def test_the_nearest_colours_of_the_survey_are_called_so(name):
    """Most of the three nearest ones, and one of the twelve nearest to any shade."""
    word = name.split()[0]
    found = []
    for lab in corners(NAMED[name]):
        nearest = np.argsort(np.linalg.norm(LABS - np.array(lab), axis=1))[:12]
        called = [is_called(word, SURVEYED[number]) for number in nearest]
        assert any(called), (lab, [SURVEYED[number] for number in nearest])
        found += called[:3]
    assert np.mean(found) > 0.5


def test_no_other_name_of_the_palette_is_as_common_among_them():
    for name, tone in TONES.items():
        counts = dict.fromkeys(TONES, 0)
        for lab in corners(tone):
            for number in np.argsort(np.linalg.norm(LABS - np.array(lab), axis=1))[:5]:
                fitting = [other for other in TONES if is_called(other, SURVEYED[number])]
                for other in [name] if name in fitting else fitting:
                    counts[other] += 1
        assert max(counts, key=counts.get) == name, counts


def test_a_dark_lime_is_none_in_css_either():
    """Why the second green of Appendix C.4 is called olive."""
    css = {name: Color(value) for name, value in CSS4_COLORS.items()}
    olive = Color("oklab", list(SENSITIVITY["olive"].typical))
    nearest = sorted(css, key=lambda name: css[name].delta_e(olive, method="ok"))
    assert "olive" in nearest[:3]
    assert "lime" not in nearest[:40]


@pytest.mark.parametrize("name", NAMED)
def test_srgb_shows_every_shade(name):
    assert all(in_gamut(lab) for lab in corners(NAMED[name]))


@given(st.sampled_from(list(TONES)), st.integers(0, 10_000))
def test_shades_are_nearest_to_their_name_whatever_the_lightness(name, seed):
    assert nearest_name(shade(generator(seed), TONES[name])) == name


@given(st.sampled_from(list(TONES)), st.floats(0, 0.12), st.integers(0, 10_000))
def test_shades_have_the_room_that_they_are_asked_for(name, shift, seed):
    lab = shade(generator(seed), TONES[name], shift)
    low, high = TONES[name].lightness
    assert low <= lab.lightness <= lab.lightness + shift <= high + 1e-9
    to_bytes(shift_lightness(lab, shift))


@given(st.sampled_from(list(SENSITIVITY)), st.floats(0.01, FARTHEST), st.integers(0, 10_000))
def test_every_shade_of_c4_can_be_turned(name, distance, seed):
    rng = generator(seed)
    lab = shade(rng, SENSITIVITY[name])
    other = turned(rng, lab, distance)
    assert in_gamut(other)
    assert other.lightness == lab.lightness
    assert math.dist(lab, other) == pytest.approx(distance)


def test_the_palette_has_ten_names_apart_at_any_lightness():
    assert len(PALETTE) == 10
    for one, other in itertools.combinations(PALETTE.values(), 2):
        assert math.dist(one[1:], other[1:]) > 0.055


def test_a_scene_has_one_shade_of_each_name():
    assert list(shades(generator(0))) == list(TONES)
    assert shades(generator(0)) != shades(generator(1))


def test_large_shifts_leave_names_of_one_lightness_out():
    assert shiftable(0.1) == tuple(TONES)
    assert {"yellow", "orange", "brown"}.isdisjoint(shiftable(0.25))
    assert len(shiftable(0.25)) >= 5


def test_what_has_no_room_or_hue_is_refused():
    with pytest.raises(ValueError, match=r"no name covers a shift of 0\.3 from 0\.78"):
        shade(generator(0), TONES["yellow"], 0.3)
    with pytest.raises(ValueError, match=r"no other hue is 0\.3 from"):
        turned(generator(0), SENSITIVITY["olive"].typical, 0.3)
    with pytest.raises(GamutError):
        to_bytes(shift_lightness(PALETTE["green"], 0.35))
