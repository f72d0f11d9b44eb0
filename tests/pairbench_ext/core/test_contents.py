import io
import os
from urllib.parse import quote

import numpy as np
import pytest
from PIL import Image, ImageFile

from pairbench_ext.core.contents import UnkeyableError, content, digest, image_digest
from pairbench_ext.core.visual import encoded


def noise(seed=0, size=(16, 12), mode="RGB"):
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 4), np.uint8)
    return Image.fromarray(pixels, "RGBA").convert(mode)


def value_digest(value, shown=False):
    return digest(content(value, shown=shown))


def shown_digest(value):
    return value_digest(value, shown=True)


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (["ab", "c"], ["a", "bc"]),
        ([["a"], "b"], ["a", ["b"]]),
        (["1"], [1]),
        ([True], [1]),
        ([None], ["None"]),
        ([0.5], ["0.5"]),
        ({"a": 1}, {"b": 1}),
        ({"a": {"b": 1}}, {"a": "b", "b": 1}),
        ([b"a"], ["a"]),
        ([], [[]]),
        (np.zeros(2, "i4"), np.zeros(2, "f4")),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.zeros(2), [0.0, 0.0]),
    ],
    ids=str,
)
def test_no_two_values_look_alike(value, other):
    assert value_digest(value) != value_digest(other)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I", "F", "I;16"])
def test_every_mode_counts_with_its_pixels(mode):
    source = noise(3, mode="L" if mode == "I;16" else "RGB")
    image = source.convert(mode) if mode != "I;16" else source.convert("I").convert("I;16")
    last = image.getpixel((15, 11))
    values = [image.getpixel((x, y)) for x in range(16) for y in range(12)]
    changed = image.copy()
    changed.putpixel((15, 11), next(value for value in values if value != last))
    assert image_digest(image) == image_digest(image.copy()) != image_digest(changed)


def test_a_picture_in_several_pieces_of_memory():
    image = Image.new("RGB", (2500, 2000), "red")
    changed = image.copy()
    changed.putpixel((2499, 1999), (255, 0, 1))
    assert image_digest(image) == image_digest(image.copy()) != image_digest(changed)


def test_palette_transparency_and_orientation_count():
    plain = noise(5).quantize(8)
    recoloured, transparent, turned = plain.copy(), plain.copy(), plain.copy()
    recoloured.putpalette([255 - value for value in plain.getpalette()])
    transparent.info["transparency"] = 0
    exif = Image.Exif()
    exif[0x0112] = 6
    turned.info["exif"] = exif.tobytes()
    assert len({image_digest(each) for each in (plain, recoloured, transparent, turned)}) == 4


def test_a_picture_that_cannot_be_decoded_has_no_content(monkeypatch):
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", False)  # some models turn it on
    torn = Image.open(io.BytesIO(encoded(noise())[:60]))
    with pytest.raises(UnkeyableError, match="cannot be decoded"):
        shown_digest([torn])


@pytest.fixture
def movie(tmp_path):
    path = tmp_path / "a movie.mp4"
    path.write_bytes(b"frames")
    return path


@pytest.mark.parametrize(
    "shown",
    [
        lambda path: [str(path)],
        lambda path: [f"file://{path}"],
        lambda path: [f"file://{quote(str(path))}"],
        lambda path: [path],
        lambda path: [{"type": "video", "url": str(path)}],
        lambda path: [{"role": "user", "content": [{"type": "video", "url": str(path)}]}],
    ],
    ids=["path", "file URL", "quoted file URL", "Path", "dictionary", "message"],
)
def test_a_file_counts_with_its_bytes(movie, shown):
    before = shown_digest(shown(movie))
    assert shown_digest(shown(movie)) == before
    times = movie.stat()
    movie.write_bytes(b"framed")
    os.utime(movie, ns=(times.st_atime_ns, times.st_mtime_ns + 1))
    assert shown_digest(shown(movie)) != before
    movie.unlink()
    assert shown_digest(shown(movie)) != before
