"""Contact sheets: pairs of images large enough to see small changes, with their words below."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from pairbench_ext.core.extras import require
from pairbench_ext.core.files import appearing
from pairbench_ext.show.figures.style import GREY, INK, RULE

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

_TILE_GAP, _TILE_LINE, _TILE_TEXT_SIZE = 16, 19, 14


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


def save_sheet(sheet: Image.Image, path: Path) -> None:
    """Write a sheet as PNG, complete or not at all; its folder is made if needed."""
    with appearing(path) as file:
        sheet.save(file, "PNG")


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
