import io
import json

import numpy as np
import pytest
import torch
from PIL import Image, ImageCms

from lmms_eval_tasks.build.pairs.picture_sources import find_sources
from lmms_eval_tasks.build.pairs.usable import look
from lmms_eval_tasks.build.pairs.variants import Variants, cosine, encode, params_of, vector_of
from pairbench_ext.core.sources import SourceError
from pairbench_ext.synthetic.transforms import TRANSFORMS, drawn, identical, transform
from tests.lmms_eval_tasks.build.pairs.conftest import encoded, noise


def opened(content):
    return Image.open(io.BytesIO(content))


@pytest.fixture
def make_usable(tmp_path):
    def make(content, name="one.png"):
        (tmp_path / name).write_bytes(content)
        return look(find_sources(str(tmp_path))[0])

    return make


def test_the_items_of_a_picture(make_usable):
    image = noise(1)
    content = encoded(image)
    items = Variants(TRANSFORMS, seed=7)(make_usable(content))
    assert items["original"] == content
    assert opened(items["identical"]).convert("RGB").tobytes() == identical(image).tobytes()
    for name in TRANSFORMS:
        assert opened(items[name]).convert("RGB").tobytes() == (
            transform(name, image, 7, "one.png").tobytes()
        )
        assert json.loads(items[params_of(name)]) == drawn(
            TRANSFORMS[name], image.size, 7, "one.png"
        )


def test_embeddings_are_of_these_images(make_usable):
    items = Variants({"rotate": TRANSFORMS["rotate"]})(make_usable(encoded(noise(1))))
    original = items[vector_of("original")]
    assert cosine(original, original) == pytest.approx(1)
    assert cosine(original, items[vector_of("rotate")]) < cosine(
        original, items[vector_of("identical")]
    )
    plain = Variants({"rotate": TRANSFORMS["rotate"]}, embedded=False)
    assert set(plain(make_usable(encoded(noise(1))))) == {
        *("original", "identical", "rotate"), params_of("rotate"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "lossless", "formats"),
    [
        ("PNG", False, ("PNG", "WEBP")),
        ("JPEG", False, ("JPEG", "JPEG")),
        ("JPEG", True, ("JPEG", "WEBP")),
        ("BMP", False, ("WEBP", "WEBP")),
    ],
)
def test_versions_are_stored_in_kind(make_usable, kind, lossless, formats):
    usable = make_usable(encoded(noise(1), kind))
    items = Variants({"rotate": TRANSFORMS["rotate"]}, lossless=lossless)(usable)
    found = [opened(items[name]).format for name in ("original", "identical", "rotate")]
    assert found == [formats[0], formats[1], formats[1]]


def test_a_high_quality_jpeg_is_near_the_pixels():
    image = Image.fromarray(np.indices((64, 96)).sum(0).astype(np.uint8)).convert("RGB")
    stored = np.asarray(opened(encode(image, lossy=True))).astype(int)
    assert np.abs(stored - np.asarray(image)).max() <= 2


@pytest.mark.parametrize(
    ("size", "lossy", "kind"),
    [((16383, 1), False, "WEBP"), ((16384, 1), False, "PNG"), ((65501, 1), True, "PNG")],
)
def test_what_a_format_cannot_hold_is_a_png(size, lossy, kind):
    assert opened(encode(Image.new("RGB", size), lossy=lossy)).format == kind


def test_all_versions_have_the_originals_colour_profile(make_usable):
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for kind in ("PNG", "JPEG"):
        usable = make_usable(encoded(noise(1), kind, icc_profile=profile))
        items = Variants({"gaussianblur": TRANSFORMS["gaussianblur"]})(usable)
        found = {opened(items[name]).info.get("icc_profile") for name in ("original", "identical")}
        assert found == {profile}


def test_other_data_of_the_file_are_left_behind(make_usable):
    exif = Image.Exif()
    exif[0x010F] = "maker"
    usable = make_usable(encoded(noise(1), "JPEG", exif=exif, comment=b"secret"))
    items = Variants({"rotate": TRANSFORMS["rotate"]})(usable)
    assert b"secret" in items["original"]
    for name in ("identical", "rotate"):
        assert b"secret" not in items[name]
        assert b"maker" not in items[name]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (encoded(noise(2)), "one.png was changed while it was used"),
        (b"gone", "one.png was usable and is now not an image"),
    ],
    ids=["changed", "damaged"],
)
def test_a_picture_that_changes_meanwhile_is_noticed(make_usable, tmp_path, content, message):
    usable = make_usable(encoded(noise(1)))
    (tmp_path / "one.png").write_bytes(content)
    with pytest.raises(SourceError, match=message):
        Variants(TRANSFORMS)(usable)


def test_the_number_of_torchs_threads_is_left_alone(make_usable, monkeypatch):
    counts = []
    monkeypatch.setattr(torch, "set_num_threads", counts.append)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 5)
    Variants({"rotate": TRANSFORMS["rotate"]})(make_usable(encoded(noise(1))))
    assert counts == [1, 5]
