"""Small pictures that the tests of the builders share."""

import io

import numpy as np
import pytest
from PIL import Image

from lmms_eval_tasks.build.common.photos import load_photos
from lmms_eval_tasks.build.pairs.picture_sources import find_sources
from lmms_eval_tasks.build.pairs.usable import select


def noise(number, size=(40, 34)):
    """A picture that differs by number."""
    rng = np.random.default_rng(number)
    return Image.fromarray(rng.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8))


def encoded(image, kind="PNG", **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def photo_folder(tmp_path_factory):
    """Ten thumbnails of photographs, half of them JPEG files, some in a subfolder."""
    folder = tmp_path_factory.mktemp("photos")
    (folder / "more").mkdir()
    for number, photo in enumerate(load_photos(64)[:10]):
        place = folder / "more" if number % 3 == 0 else folder
        photo.image.save(place / f"{photo.name}.{'jpg' if number % 2 else 'png'}")
    return folder


@pytest.fixture(scope="module")
def selection(photo_folder):
    """The ten thumbnails, looked at."""
    return select(find_sources(str(photo_folder)))


def tree(folder):
    """Content of every file by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
