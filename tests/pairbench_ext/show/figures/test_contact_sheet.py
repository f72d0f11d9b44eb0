import numpy as np
import pytest
from PIL import Image

from pairbench_ext.show.figures.contact_sheet import Tile, pair_sheet, save_sheet


def tile(*lines, size=(80, 60)):
    return Tile(Image.new("RGB", size, "red"), Image.new("RGB", size, "blue"), "title", lines)


def share(sheet, colour):
    return (np.asarray(sheet) == colour).all(axis=-1).sum()


@pytest.mark.parametrize(("n", "columns"), [(1, 2), (2, 2), (5, 2), (3, 9)])
def test_every_image_is_shown_once_and_whole(n, columns):
    sheet = pair_sheet([tile("words")] * n, columns, width=80)
    inside = 78 * 58  # within the frame
    assert share(sheet, (255, 0, 0)) == share(sheet, (0, 0, 255)) == n * inside


def test_words_are_wrapped_and_none_is_lost():
    short = pair_sheet([tile("one")], width=80)
    long = pair_sheet([tile(" ".join(["one"] * 40))], width=80)
    assert long.width == short.width
    assert long.height > short.height + 3 * 19


def test_images_of_other_sizes_are_brought_to_one_width():
    sheet = pair_sheet([tile("a"), tile("b", size=(160, 240))], columns=2, width=80)
    assert share(sheet, (255, 0, 0)) == 78 * 58 + 78 * 118


def test_an_empty_sheet_is_refused():
    with pytest.raises(ValueError, match="no pair to show"):
        pair_sheet([])


def test_a_sheet_is_written(tmp_path):
    sheet = pair_sheet([tile("words")])
    save_sheet(sheet, tmp_path / "sheets" / "a.png")
    assert Image.open(tmp_path / "sheets" / "a.png").tobytes() == sheet.tobytes()
