import json
import re

import datasets
import pyarrow
import pyarrow.parquet
import pytest
from PIL import Image, ImageFile

from pairbench_ext.core.media import ImageFiles, SourceImages
from pairbench_ext.core.sources import PLAIN, SourceError, open_split, texts_of
from pairbench_ext.core.visual import encoded
from tests.conftest import picture


def cell(image, **options):
    return {"bytes": encoded(image, **options), "path": None}


def table(**columns):
    features = datasets.Features(dict.fromkeys(columns, datasets.Image(decode=False)))
    return datasets.Dataset.from_dict(columns, features=features).cast(
        datasets.Features(dict.fromkeys(columns, datasets.Image()))
    )


def solid(colour, mode="RGB", size=(6, 4)):
    return Image.new(mode, size, colour)


@pytest.fixture
def files(tmp_path):
    """Images by row and column: what the callable of `ImageFiles` gives."""
    solid("red").save(tmp_path / "0_left.png")
    exif = Image.Exif()
    exif[0x0112] = 6
    solid(200, "L").save(tmp_path / "0_right.png", exif=exif)
    (tmp_path / "1_left.png").write_bytes(b"GIF89a broken")
    return lambda row, column: tmp_path / f"{row}_{column}.png"


def test_files_are_rgb_upright_and_ones_own(files):
    images = ImageFiles(files, "t")
    images.get(0, "left").paste("blue", (0, 0, 6, 4))
    assert images.get(0, "left").getpixel((0, 0)) == (255, 0, 0)
    right = images.get(0, "right")
    assert (right.mode, right.size, right.getpixel((0, 0))) == ("RGB", (4, 6), (200, 200, 200))


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
@pytest.mark.parametrize("lenient", [False, True], ids=["as in Pillow", "as the harness sets it"])
def test_an_image_that_is_cut_off_is_no_image(form, lenient, tmp_path, monkeypatch):
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", lenient)
    file = tmp_path / "image"
    exif = b"Exif\x00\x00" + b"II*\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    exif += encoded(picture(0, 0, (40, 30)), "JPEG")
    picture(0, 1, (200, 160)).save(file, form, **({"exif": exif} if form == "JPEG" else {}))
    whole = file.read_bytes()
    images = ImageFiles(lambda *_: file, "these")
    assert images.get(0, "a").size == (200, 160)
    for kept in (0.5, 0.9, 0.999):
        file.write_bytes(whole[: int(len(whole) * kept)])
        with pytest.raises(SourceError, match=f"these: 'b' is not a readable image .{file}:"):
            images.get(1, "b")
    file.write_bytes(whole + b"what a camera adds")
    assert images.get(2, "c").size == (200, 160)


def parquet(folder, **columns):
    """A table as parquet of others is read: nothing says that a column holds images."""
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "test.parquet")
    return datasets.Dataset.from_parquet(str(folder / "test.parquet"))


def test_columns_of_bytes_and_of_lists_are_image_columns(tmp_path):
    red, blue = (cell(solid(colour)) for colour in ("red", "blue"))
    rows = parquet(
        tmp_path,
        one=[red["bytes"], None],
        several=[[red["bytes"], blue["bytes"]], None],
        files=[[red], [{"bytes": None, "path": None}, blue]],
        words=[["a", "b"], []],
    )
    images = SourceImages(rows, "t")
    assert images.columns == {"one", "several", "files"}
    first = {"one": "one", "several": ["several[0]", "several[1]"], "files": ["files[0]"]}
    assert images.named(0) == first
    assert images.named(1) == {"one": "one", "several": [], "files": ["files[0]", "files[1]"]}
    for name in ("one", "several[0]", "files[0]"):
        assert images.get(0, name).getpixel((0, 0)) == (255, 0, 0)
    assert images.get(0, "several[1]").getpixel((0, 0)) == (0, 0, 255)
    assert images.empty("one") == images.empty("several[1]") == {1}
    assert images.empty("files[1]") == {0}
    for row, name in [(1, "one"), (1, "several[0]"), (1, "files[0]"), (0, "files[1]")]:
        with pytest.raises(SourceError, match=rf"t, row {row}: '{re.escape(name)}' is empty"):
            images.get(row, name)
    for name in ("several", "words[0]", "one[0]", "several[x]"):
        with pytest.raises(SourceError, match=r"no image column .*'files\[0\]', 'one', 'several"):
            images.get(0, name)


def test_pictures_lie_beside_rows_of_json_lines(tmp_path):
    """As `datasets` reads an imagefolder; a row whose picture is not there has none."""
    folder = tmp_path / "data" / "test"
    folder.mkdir(parents=True)
    solid("red").save(folder / "a.png")
    rows = [{"file_name": "a.png", "other_file_name": name} for name in ("a.png", "b.png", "", 3)]
    lines = (json.dumps({**row, "said": "yes", "n": 1}) for row in rows)
    (folder / PLAIN).write_text("\n".join(lines))
    table = open_split(str(tmp_path), None, "test")
    images = SourceImages(table, "t")
    assert (texts_of(table), images.columns) == (["said"], {"image", "other"})
    assert images.get(3, "image").getpixel((0, 0)) == (255, 0, 0)
    assert images.empty("image") == set()
    assert images.empty("other") == {1, 2, 3}
    for row, why in ((1, "is not a readable image"), (2, "is empty")):
        with pytest.raises(SourceError, match=f"t, row {row}: 'other' {why}"):
            images.get(row, "other")
    (folder / PLAIN).write_text(json.dumps({"file_name": "../../private.png"}))
    with pytest.raises(SourceError, match=r"line 1: the picture '.*private\.png' is outside"):
        open_split(str(tmp_path / "data"), None, "test")
