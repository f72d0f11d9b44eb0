"""Contact sheets: some of a data set on one page, for a person to look at.

`contact_sheet` has a line per row of the data and a column per kind of picture; `pair_sheet` shows
pairs large enough to see small changes, with their words below.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from pairbench_ext.core.extras import require
from pairbench_ext.core.files import appearing
from pairbench_ext.show.figures.style import GREY, INK, RULE, wrapped

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

Cell = bytes | str | Image.Image

CELL = (232, 174)  # pixels
_GAP, _MARGIN, _LABEL, _HEAD = 14, 28, 150, 104
_TITLE_SIZE, _HEAD_SIZE, _TEXT_SIZE = 22, 15, 12
_TILE_GAP, _TILE_LINE, _TILE_TEXT_SIZE = 16, 19, 14


class SheetRow(NamedTuple):
    """One row of a sheet: what it is called, and a picture or a text for each column.

    A cell is an encoded image, an image, or a text.
    """

    label: str
    cells: Sequence[Cell]


class Tile(NamedTuple):
    """A pair and what is said of it.

    Attributes:
        first: the first image.
        second: the second image.
        title: a line above the images.
        lines: lines below them; the last one stands out.
    """

    first: Image.Image
    second: Image.Image
    title: str
    lines: Sequence[str]


def contact_sheet(
    title: str, columns: Sequence[str], rows: Sequence[SheetRow], *, subtitle: str = ""
) -> Image.Image:
    """Draw a sheet of rows.

    Args:
        title: what is shown.
        columns: heading of each column.
        rows: as many cells each as there are columns. Pictures keep their proportions and are
            reduced to fit; small ones are enlarged.
        subtitle: a line below the title.
    """
    width = 2 * _MARGIN + _LABEL + len(columns) * (CELL[0] + _GAP) - _GAP
    height = _HEAD + len(rows) * (CELL[1] + _GAP) - _GAP + _MARGIN
    sheet = Image.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(sheet)
    pen.text((_MARGIN, 20), title, fill=INK, font=_font(_TITLE_SIZE, bold=True))
    pen.text((_MARGIN, 50), subtitle, fill=GREY, font=_font(_TEXT_SIZE))
    for k, column in enumerate(columns):
        pen.text((_left(k), _HEAD - 34), column, fill=INK, font=_font(_HEAD_SIZE, bold=True))
    for number, row in enumerate(rows):
        top = _HEAD + number * (CELL[1] + _GAP)
        pen.line([(_MARGIN, top - _GAP / 2), (width - _MARGIN, top - _GAP / 2)], fill=RULE)
        _write(pen, (_MARGIN, top), row.label, _LABEL - 10, INK)
        for k, cell in enumerate(row.cells):
            if isinstance(cell, str):
                _write(pen, (_left(k), top), cell, CELL[0], INK)
            else:
                _paste(sheet, _opened(cell), (_left(k), top))
    return sheet


def pair_sheet(tiles: Sequence[Tile], columns: int = 2, width: int = 320) -> Image.Image:
    """Draw a sheet of pairs, row by row.

    Args:
        tiles: one or more.
        columns: how many tiles stand next to each other.
        width: of each image, in pixels.

    Raises:
        ValueError: if there is no tile.
    """
    if not tiles:
        raise ValueError("there is no pair to show")
    plain, bold = _font(_TILE_TEXT_SIZE), _font(_TILE_TEXT_SIZE, bold=True)
    tile_width = 2 * width + 4
    words = [[_broken(line, plain, tile_width) for line in tile.lines] for tile in tiles]
    image_height = max(round(t.first.height * width / t.first.width) for t in tiles)
    text_height = _TILE_LINE * max(sum(map(len, lines)) for lines in words)
    tile_height = _TILE_LINE + image_height + 6 + text_height
    columns = min(columns, len(tiles))
    rows = -(-len(tiles) // columns)
    right, down = tile_width + _TILE_GAP, tile_height + _TILE_GAP  # from a tile to the next
    size = (columns * right + _TILE_GAP, rows * down + _TILE_GAP)
    sheet = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(sheet)
    for number, (tile, lines) in enumerate(zip(tiles, words, strict=True)):
        row, column = divmod(number, columns)
        left, top = _TILE_GAP + column * right, _TILE_GAP + row * down
        draw.text((left, top), tile.title, fill=GREY, font=plain)
        _paste_pair(sheet, tile, (left, top + _TILE_LINE), width)
        below = top + _TILE_LINE + image_height + 6
        for paragraph in lines:
            font = bold if paragraph is lines[-1] else plain
            for line in paragraph:
                draw.text((left, below), line, fill=INK, font=font)
                below += _TILE_LINE
    return sheet


def sheet_file(config: str, split: str) -> str:
    """Path of a split's sheet in a repository.

    >>> sheet_file("birds", "rotate")
    'sheets/birds_rotate.png'
    """
    return f"sheets/{config}_{split}.png"


def save_sheet(sheet: Image.Image, path: Path) -> None:
    """Write a sheet as PNG, complete or not at all; its folder is made if needed."""
    with appearing(path) as file:
        sheet.save(file, "PNG")


def _left(column: int) -> int:
    return _MARGIN + _LABEL + column * (CELL[0] + _GAP)


def _opened(cell: bytes | Image.Image) -> Image.Image:
    return Image.open(io.BytesIO(cell)) if isinstance(cell, bytes) else cell


def _paste(sheet: Image.Image, picture: Image.Image, corner: tuple[int, int]) -> None:
    scale = min(limit / side for limit, side in zip(CELL, picture.size, strict=True))
    size = tuple(max(1, round(scale * side)) for side in picture.size)
    small = picture.convert("RGB").resize((size[0], size[1]), Image.Resampling.LANCZOS)
    sheet.paste(small, corner)


def _write(
    pen: ImageDraw.ImageDraw, corner: tuple[int, int], text: str, width: int, colour: str
) -> None:
    """A text broken into lines that fit, after a part of a path if it can be."""
    font = _font(_TEXT_SIZE)
    letters = max(1, int(width / font.getlength("n")))
    pieces = wrapped(text, letters).split("\n")
    lines = [line for piece in pieces for line in textwrap.wrap(piece, letters)]
    room = CELL[1] // (_TEXT_SIZE + 6)
    if len(lines) > room:
        lines = [*lines[: room - 1], "..."]
    pen.multiline_text(corner, "\n".join(lines), fill=colour, font=font, spacing=4)


def _paste_pair(sheet: Image.Image, tile: Tile, corner: tuple[int, int], width: int) -> None:
    draw = ImageDraw.Draw(sheet)
    for number, image in enumerate((tile.first, tile.second)):
        height = round(image.height * width / image.width)
        shown = image.resize((width, height), Image.Resampling.LANCZOS)
        place = (corner[0] + number * (width + 4), corner[1])
        sheet.paste(shown, place)
        box = (*place, place[0] + shown.width - 1, place[1] + shown.height - 1)
        draw.rectangle(box, outline=RULE)


def _broken(text: str, font: FreeTypeFont, width: int) -> list[str]:
    """A text in lines that are no wider than this many pixels, broken at spaces."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


@lru_cache(maxsize=8)
def _font(size: int, *, bold: bool = False) -> FreeTypeFont:
    """The reports' font, which matplotlib installs."""
    mpl = require("matplotlib", "a contact sheet")
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    path = Path(mpl.get_data_path()) / "fonts" / "ttf" / name
    return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)
