"""Every shade goes by its name, by what people called nearly a thousand colours."""

import itertools
import math

import numpy as np
import pytest
from coloraide import Color
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import XKCD_COLORS

from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.colours import in_gamut
from pairbench_ext.synthetic.palette import (
    CLEAR,
    FARTHEST,
    SENSITIVITY,
    TONES,
    nearest_name,
    shade,
    turned,
)
from tests.scene_measures import called

NAMED = {**TONES, **{f"{name} of C.4": tone for name, tone in SENSITIVITY.items()}}
NAMED |= {f"{name}, clear": tone for name, tone in CLEAR.items()}
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
    word = name.split()[0].rstrip(",")
    hits = []
    for lab in corners(NAMED[name]):
        nearest = np.argsort(np.linalg.norm(LABS - np.array(lab), axis=1))[:12]
        called = [is_called(word, SURVEYED[number]) for number in nearest]
        assert any(called), (lab, [SURVEYED[number] for number in nearest])
        hits += called[:3]
    assert np.mean(hits) > 0.5


@pytest.mark.parametrize("name", NAMED)
def test_srgb_shows_every_shade(name):
    assert all(in_gamut(lab) for lab in corners(NAMED[name]))


@pytest.mark.parametrize("name", CLEAR)
def test_clear_shades_have_one_name_by_every_standard_and_distance(name):
    for lab in corners(CLEAR[name]):
        assert called(lab, ("2000", "76", "ok", "hyab")) == {name}, lab


@given(st.sampled_from(list(TONES)), st.sampled_from((TONES, CLEAR)), st.integers(0, 10_000))
def test_shades_are_nearest_to_their_name_whatever_the_lightness(name, tones, seed):
    assert nearest_name(shade(generator(seed), tones[name])) == name


@given(st.sampled_from(list(SENSITIVITY)), st.floats(0.01, FARTHEST), st.integers(0, 10_000))
def test_every_shade_of_c4_can_be_turned(name, distance, seed):
    rng = generator(seed)
    lab = shade(rng, SENSITIVITY[name])
    other = turned(rng, lab, distance)
    assert in_gamut(other)
    assert other.lightness == lab.lightness
    assert math.dist(lab, other) == pytest.approx(distance)
