import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image

from lmms_eval_tasks.subtlebench.visual.subtract import difference, stretched, subtract

SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(3))
PAIRS = SHAPES.flatmap(
    lambda shape: st.tuples(arrays.arrays(np.uint8, shape), arrays.arrays(np.uint8, shape))
)


def paper(one, other):
    """Appendix B.2, as printed; 0 where it divides by 0."""
    grey = np.abs(one.astype(float) - other).mean(axis=2)
    return 255 * grey / grey.max() if grey.any() else grey


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_it_is_the_papers_formula_to_the_nearest_level(pair):
    made = np.asarray(subtract(*(Image.fromarray(one) for one in pair)))
    assert (made == made[..., :1]).all()
    assert np.abs(made[..., 0] - paper(*pair)).max() <= 0.5 + 1e-9


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_differences_are_sums_over_the_channels(pair):
    one, other = pair
    made = difference(one, other)
    np.testing.assert_array_equal(made, np.abs(one.astype(int) - other).sum(axis=2))
    np.testing.assert_array_equal(made, difference(other, one))


@pytest.mark.parametrize(
    ("differences", "levels"),
    [
        pytest.param([0, 0, 0], [0, 0, 0], id="nothing differs"),
        pytest.param([0, 1, 1], [0, 255, 255], id="the least difference is stretched"),
        pytest.param([765, 0, 384], [255, 0, 128], id="the greatest"),
        pytest.param([1, 2, 0], [128, 255, 0], id="halves are rounded up"),
    ],
)
def test_differences_are_stretched(differences, levels):
    assert stretched(np.array([differences], np.uint16)).tolist() == [levels]


def test_images_that_are_the_same_give_black():
    image = Image.linear_gradient("L")
    assert subtract(image, image.convert("RGBA")).getextrema() == ((0, 0),) * 3


def test_the_result_has_the_size_of_the_first():
    made = subtract(Image.new("L", (6, 4), 10), Image.new("L", (3, 9), 20))
    assert (made.mode, made.size, made.getpixel((5, 3))) == ("RGB", (6, 4), (255, 255, 255))
