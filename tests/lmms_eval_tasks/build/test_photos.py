from itertools import combinations

import pytest

from lmms_eval_tasks.build.photos import SOURCES, load_photos, locate
from pairbench_ext.judges.encoders import ClassicalEncoder


@pytest.fixture(scope="module")
def photos():
    return load_photos()


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_every_file_is_installed_and_credited(source):
    assert locate(source).is_file()
    assert source.title
    assert source.author
    assert source.licence in {
        "CC0 1.0",
        "CC BY 2.0",
        "public domain",
        "no known copyright restrictions",
    }


def test_scenes_are_distinct(photos):
    rows = ClassicalEncoder().embed([photo.image for photo in photos])
    for (a, first), (b, second) in combinations(zip(photos, rows, strict=True), 2):
        assert first @ second < 0.7, (a.name, b.name)
