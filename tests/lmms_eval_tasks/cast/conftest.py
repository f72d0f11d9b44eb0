"""Two pairs of scenes that can be told apart by their descriptions and by their colours alone."""

import pytest
from PIL import Image

from tests.conftest import write_split

PAIRS = ("p0", "p1")
LEFT, RIGHT = (24, 16), (20, 10)


def colour(pair, side):
    return (60 * PAIRS.index(pair) + 20, 200 * side, 0)


@pytest.fixture(scope="session")
def cast_data(tmp_path_factory):
    root = tmp_path_factory.mktemp("cast_data")
    rows = [
        {
            "pair": pair,
            "image_1": Image.new("RGB", LEFT, colour(pair, 0)),
            "image_2": Image.new("RGB", RIGHT, colour(pair, 1)),
            "description_1": f"The left scene of {pair}. 1. Not a statement.",
            "description_2": f"The right scene of {pair}.",
        }
        for pair in PAIRS
    ]
    write_split(root, "cast", "test", rows)
    return root
