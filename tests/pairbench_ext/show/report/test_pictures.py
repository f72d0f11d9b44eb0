"""Pictures of the page: what a person sees of a very long one."""

import base64
import io

import pytest
from PIL import Image

from pairbench_ext.show.report.pictures import PictureStore


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((20_000, 40), (16_383, 33)),  # more than the format can hold
        ((3, 20_000), (2, 16_383)),
        ((500, 400), (500, 400)),
    ],
)
def test_pictures_are_as_they_are_as_far_as_the_format_goes(size, shown):
    store = PictureStore("full")
    kept = store.add(Image.new("RGB", size, "red"))
    encoded = b"".join(store.blocks()).split(b">")[1].split(b"<")[0]
    decoded = Image.open(io.BytesIO(base64.b64decode(encoded)))
    assert (kept.width, kept.height) == decoded.size == shown


def test_what_is_kept_in_a_file_is_closed_with_the_store():
    with PictureStore("thumb") as store:
        store._file.rollover()
        kept = store._file._file
    assert kept.closed
