import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from lmms_eval_tasks.subtlebench.png import drawing_png

SIZES = st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(3))


@given(arrays(np.uint8, SIZES))
def test_pillow_reads_the_same_pixels(pixels):
    written = drawing_png(Image.fromarray(pixels))
    with Image.open(io.BytesIO(written)) as opened:
        opened.verify()
    with Image.open(io.BytesIO(written)) as opened:
        assert (opened.format, opened.mode) == ("PNG", "RGB")
        assert np.array_equal(np.asarray(opened), pixels)


def test_other_modes_are_refused():
    with pytest.raises(ValueError, match="not 'L'"):
        drawing_png(Image.new("L", (4, 4)))
