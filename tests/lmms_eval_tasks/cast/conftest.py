"""Two pairs of scenes that can be told apart by their descriptions and by their colours alone."""

import datasets
import pytest
from PIL import Image

from tests.conftest import write_split

PAIRS = ("p0", "p1")
LEFT, RIGHT = (24, 16), (20, 10)


def colour(pair, side):
    return (60 * PAIRS.index(pair) + 20, 200 * side, 0)


def scene_rows(pairs=PAIRS):
    rows = [
        {
            "pair": pair,
            "image_1": Image.new("RGB", LEFT, colour(pair, 0)),
            "image_2": Image.new("RGB", RIGHT, colour(pair, 1)),
            "description_1": f"The left scene of {pair}. 1. Not a statement.",
            "description_2": f"The right scene of {pair}.",
        }
        for pair in pairs
    ]
    texts = dict.fromkeys(rows[0], datasets.Value("string"))
    features = texts | dict.fromkeys(("image_1", "image_2"), datasets.Image())
    return datasets.Dataset.from_list(rows, features=datasets.Features(features))


@pytest.fixture(scope="session")
def cast_data(tmp_path_factory):
    root = tmp_path_factory.mktemp("cast_data")
    write_split(root, "cast", "test", scene_rows())
    return root
