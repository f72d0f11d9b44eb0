import io
import sys

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageFile

from lmms_eval_tasks.build.common.photos import load_photos
from lmms_eval_tasks.build.pairs import pictures
from lmms_eval_tasks.build.pairs.picture_sources import FileSource
from lmms_eval_tasks.build.pairs.pictures import MIN_SIDE, UnusableError, load_picture
from tests.lmms_eval_tasks.build.pairs.conftest import encoded, noise
from tests.processes import imported_with

RGB = noise(0)
PHOTO = load_photos(128)[0].image
GREY = RGB.convert("L")
ANIMATION = {"save_all": True, "append_images": [noise(1)]}


def sideways():
    exif = Image.Exif()
    exif[0x0112] = 6
    return {"exif": exif, "quality": 95}


def grey16():
    return Image.fromarray(np.asarray(GREY).astype(np.uint16) * 257)


def half_transparent():
    layer = RGB.convert("RGBA")
    layer.putalpha(Image.new("L", RGB.size, 0))
    layer.paste(RGB.crop((0, 0, 20, 34)), (0, 0))  # the left half is opaque
    return layer


def on_white():
    expected = Image.new("RGB", RGB.size, "white")
    expected.paste(RGB.crop((0, 0, 20, 34)), (0, 0))
    return expected


def colour16():
    """A PNG with 16 bits for each of three channels, which Pillow reads but does not write."""
    import struct
    import zlib

    def chunk(kind, content):
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    pixels = np.asarray(RGB).astype(">u2") * 257
    lines = b"".join(b"\0" + line.astype(">u2").tobytes() for line in pixels)
    head = struct.pack(">IIBBBBB", *RGB.size, 16, 2, 0, 0, 0)
    chunks = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def load(content, tmp_path, size=None):
    path = tmp_path / "picture"
    path.write_bytes(content)
    return load_picture(FileSource("picture", path), size)


LOSSLESS = {
    "png": (encoded(RGB), RGB),
    "bmp": (encoded(RGB, "BMP"), RGB),
    "tiff": (encoded(RGB, "TIFF"), RGB),
    "webp": (encoded(RGB, "WEBP", lossless=True), RGB),
    "grey": (encoded(GREY), GREY.convert("RGB")),
    "grey and alpha": (encoded(GREY.convert("LA")), GREY.convert("RGB")),
    "two levels": (encoded(RGB.convert("1")), RGB.convert("1").convert("RGB")),
    "palette": (encoded(RGB.quantize(32)), RGB.quantize(32).convert("RGB")),
    "16 bits": (encoded(grey16()), GREY.convert("RGB")),
    "16 bits, tiff": (encoded(grey16(), "TIFF"), GREY.convert("RGB")),
    "16 bits, colour": (colour16(), RGB),
    "alpha": (encoded(half_transparent()), on_white()),
    "alpha, webp": (encoded(half_transparent(), "WEBP", lossless=True), on_white()),
    "animation": (encoded(RGB, "WEBP", lossless=True, **ANIMATION), RGB),
    "animation, png": (encoded(RGB, "PNG", **ANIMATION), RGB),
}


@pytest.mark.parametrize("name", LOSSLESS)
def test_any_image_becomes_rgb(name, tmp_path):
    content, expected = LOSSLESS[name]
    picture = load(content, tmp_path)
    assert picture.image.mode == "RGB"
    assert picture.image.tobytes() == expected.tobytes()
    assert (picture.original == content) is (name == "png")
    assert picture.lossy is False


LOSSY = {
    "jpeg": (encoded(RGB, "JPEG", quality=95, subsampling=0), RGB),
    "grey jpeg": (encoded(GREY, "JPEG", quality=95), GREY.convert("RGB")),
    "cmyk": (encoded(RGB.convert("CMYK"), "JPEG", quality=95), RGB),
    "on its side": (
        encoded(RGB, "JPEG", subsampling=0, **sideways()),
        RGB.transpose(Image.Transpose.ROTATE_270),
    ),
    "float": (encoded(Image.fromarray(np.asarray(GREY).astype(np.float32) / 9), "TIFF"), GREY),
    "32 bits": (encoded(Image.fromarray(np.asarray(GREY).astype(np.int32) * -7), "TIFF"), None),
    "gif": (encoded(RGB, "GIF", **ANIMATION), RGB),
}


@pytest.mark.parametrize("name", LOSSY)
def test_what_is_lossy_looks_the_same(name, tmp_path):
    content, expected = LOSSY[name]
    picture = load(content, tmp_path)
    assert picture.image.mode == "RGB"
    assert (picture.original == content) is (name == "jpeg")
    found = np.asarray(picture.image).astype(float)
    if expected is None:  # negative values: turned over
        expected = Image.fromarray(255 - np.asarray(GREY))
    assert np.abs(found - np.asarray(expected.convert("RGB"))).mean() < 26


def test_an_upright_jpeg_is_kept_whatever_its_header_says(tmp_path):
    exif = Image.Exif()
    exif[0x010F] = "maker"
    content = encoded(RGB, "JPEG", exif=exif)
    assert load(content, tmp_path).original == content


def test_a_colour_profile_goes_with_the_picture(tmp_path):
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    picture = load(encoded(RGB, icc_profile=profile), tmp_path)
    assert picture.profile == profile
    assert picture.original is not None
    assert load(encoded(RGB), tmp_path).profile is None
    assert load(encoded(GREY, icc_profile=profile), tmp_path).profile is None  # RGB now


@pytest.mark.parametrize(
    ("size", "expected", "kept"),
    [(None, (40, 34), True), (64, (40, 34), True), (40, (40, 34), True), (38, (38, 32), False)],
)
def test_larger_pictures_are_reduced(size, expected, kept, tmp_path):
    picture = load(encoded(RGB, "JPEG"), tmp_path, size)
    assert picture.image.size == expected
    assert (picture.original is not None) is kept


def noisy(content):
    """A JPEG with a few bytes of its data exchanged, which decoders fill with something."""
    middle = len(content) // 2
    return content[:middle] + bytes(range(7, 47)) + content[middle + 40 :]


def heic(brand=b"heic"):
    """The beginning of a picture of a phone."""
    return b"\0\0\0\x18ftyp" + brand + b"\0\0\0\0mif1" + brand + bytes(400)


EMPTY = Image.fromarray(np.full((40, 40), np.nan, np.float32))
UNUSABLE = {
    "a jpeg with errors": (noisy(encoded(PHOTO, "JPEG")), "damaged", "Corrupt JPEG data"),
    "no numbers": (encoded(EMPTY, "TIFF"), "without content", "no pixel has a value"),
    "transparent": (
        encoded(Image.new("RGBA", (40, 40), (255, 0, 0, 0))),
        "without content",
        "transparent",
    ),
    "a text": (b"hello", "not an image", ""),
    "nothing": (b"", "not an image", ""),
    "a program": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 64 64\n", "not an image", ""),
    "half": (encoded(RGB)[:2000], "damaged", "truncated"),
    "half a jpeg": (encoded(RGB, "JPEG")[:900], "damaged", "truncated"),
    "a wrong checksum": (encoded(RGB)[:60] + b"xx" + encoded(RGB)[62:], "damaged", ""),
    "one pixel": (encoded(Image.new("RGB", (1, 1))), "too small", "1 x 1 pixels"),
    "a line": (encoded(Image.new("RGB", (900, 9))), "too small", f"needs {MIN_SIDE}"),
    "large": (encoded(Image.new("L", (5001, 5000))), "too large", "5001 x 5000.*25 mill.*--size"),
}


@pytest.mark.parametrize("lenient", [False, True], ids=["", "lenient"])
@pytest.mark.parametrize("name", UNUSABLE)
def test_what_cannot_be_used_says_why(name, lenient, tmp_path, monkeypatch):
    content, kind, detail = UNUSABLE[name]
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", lenient)  # as the harness sets it
    with pytest.raises(UnusableError, match=detail or kind) as raised:
        load(content, tmp_path)
    assert raised.value.kind == kind
    assert ImageFile.LOAD_TRUNCATED_IMAGES is lenient


def test_with_a_size_large_pictures_are_allowed(tmp_path):
    picture = load(encoded(Image.new("L", (5001, 5000)), "JPEG"), tmp_path, 64)
    assert picture.image.size == (64, 64)


def test_what_would_be_too_small_once_reduced_is_too_small(tmp_path):
    with pytest.raises(UnusableError, match=r"too small .48 x 10 pixels"):
        load(encoded(Image.new("RGB", (480, 100))), tmp_path, 48)


@pytest.mark.parametrize("brand", [b"heic", b"mif1"])
def test_a_phones_picture_says_what_it_needs(brand, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    monkeypatch.delitem(Image.OPEN, "HEIF", raising=False)
    with pytest.raises(UnusableError, match=r"pip install 'pairbench-ext\[heic\]'") as raised:
        load(heic(brand), tmp_path)
    assert raised.value.kind == "in HEIC"


def test_a_phones_picture_is_read(tmp_path):
    pillow_heif = pytest.importorskip("pillow_heif")
    buffer = io.BytesIO()
    pillow_heif.from_pillow(PHOTO).save(buffer, quality=95)
    picture = load(buffer.getvalue(), tmp_path)
    difference = np.abs(np.asarray(picture.image, float) - np.asarray(PHOTO, float))
    assert picture.original is None
    assert difference.mean() < 4


def test_sound_pictures_are_not_suspected(tmp_path, capfd):
    for options in ({"quality": 30}, {"progressive": True}, {"quality": 100, "subsampling": 0}):
        assert load(encoded(PHOTO, "JPEG", **options), tmp_path).lossy
    assert capfd.readouterr() == ("", "")


def test_a_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(UnusableError, match=r"too large .it claims to have more than 200 pixels"):
        load(encoded(RGB), tmp_path, 40)


def test_a_file_that_cannot_be_read_says_why(tmp_path, monkeypatch):
    path = tmp_path / "secret.png"
    path.write_bytes(encoded(RGB))

    def refuse(source):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(pictures, "read", refuse)  # root may read anything
    with pytest.raises(UnusableError, match=r"unreadable \(Permission denied\)"):
        load_picture(FileSource("secret.png", path))


def test_importing_is_light():
    heavy = ("torch", "torchvision", "datasets", "pyarrow", "scipy")
    assert imported_with("lmms_eval_tasks.build.pairs.usable", heavy) == []
