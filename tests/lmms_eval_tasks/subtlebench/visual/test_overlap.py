import numpy as np
from PIL import Image

from lmms_eval_tasks.subtlebench.visual.overlap import overlap


def test_every_pair_of_levels_gives_its_mean_rounded_down():
    one = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 256, axis=1)
    both = overlap(Image.fromarray(one), Image.fromarray(one.T.copy()))
    expected = (one.astype(int) + one.T) // 2
    for channel in range(3):
        np.testing.assert_array_equal(np.asarray(both)[..., channel], expected)


def test_an_image_over_itself_is_itself():
    pixels = np.random.default_rng(0).integers(0, 256, (9, 7, 3), dtype=np.uint8)
    image = Image.fromarray(pixels)
    np.testing.assert_array_equal(np.asarray(overlap(image, image)), pixels)


def test_the_second_is_laid_over_the_whole_of_the_first():
    both = overlap(Image.new("L", (6, 4), 10), Image.new("RGBA", (3, 9), (30, 50, 70, 255)))
    assert (both.mode, both.size) == ("RGB", (6, 4))
    assert both.getcolors() == [(24, (20, 30, 40))]
