import numpy as np
import pytest
from PIL import Image

from pairbench_ext.show.figures.contact_sheet import (
    CELL,
    SheetRow,
    Tile,
    contact_sheet,
    pair_sheet,
    save_sheet,
    sheet_file,
)
from tests.lmms_eval_tasks.build.pairs.conftest import encoded

RED, BLUE = Image.new("RGB", (400, 300), "red"), Image.new("RGB", (30, 90), "blue")


def box(sheet, colour):
    """Left, top, width and height of all that has a colour."""
    ys, xs = np.nonzero((np.asarray(sheet) == colour).all(-1))
    return xs.min(), ys.min(), xs.max() - xs.min() + 1, ys.max() - ys.min() + 1


def test_pictures_keep_their_proportions_and_fit_their_cells():
    sheet = contact_sheet("birds", ["one", "two"], [SheetRow("a", [encoded(RED), BLUE])])
    left, top, width, height = box(sheet, (255, 0, 0))
    assert (width, height) == (CELL[0], 174)
    assert box(sheet, (0, 0, 255))[1:] == (top, 58, CELL[1])
    assert box(sheet, (0, 0, 255))[0] > left + CELL[0]


def test_rows_and_columns_make_room():
    rows = [SheetRow("a", [RED, BLUE])]
    narrow = contact_sheet("birds", ["one"], [SheetRow("a", [RED])])
    wide = contact_sheet("birds", ["one", "two"], rows)
    tall = contact_sheet("birds", ["one", "two"], rows * 3)
    assert wide.width - narrow.width > CELL[0]
    assert tall.height - wide.height > 2 * CELL[1]


@pytest.mark.parametrize(
    "text",
    ["A mug to the left of a plate. " * 9, "x" * 400, "写真/ü.png", "", "a_" * 200],
    ids=["words", "one word", "unicode", "nothing", "a path"],
)
def test_texts_stay_in_their_cells(text):
    """The second cell's pixels do not depend on the first cell's text or on the label."""
    empty = contact_sheet("t", ["one", "two"], [SheetRow("", ["", RED]), SheetRow("", ["", BLUE])])
    sheet = contact_sheet(
        "t", ["one", "two"], [SheetRow(text, [text, RED]), SheetRow("", ["", BLUE])]
    )
    assert box(sheet, (255, 0, 0)) == box(empty, (255, 0, 0))
    second = box(empty, (0, 0, 255))
    below = (0, second[1], *empty.size)
    assert sheet.crop(below).tobytes() == empty.crop(below).tobytes()


def test_a_sheet_is_written(tmp_path):
    sheet = contact_sheet("birds", ["one"], [SheetRow("a", [RED])], subtitle="1 of 1")
    path = tmp_path / sheet_file("birds", "rotate")
    save_sheet(sheet, path)
    assert Image.open(path).tobytes() == sheet.tobytes()
    assert [entry.name for entry in path.parent.iterdir()] == ["birds_rotate.png"]


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
