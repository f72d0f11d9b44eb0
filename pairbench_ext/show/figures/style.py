"""The style that all figures share."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairbench_ext.core.extras import require
from pairbench_ext.core.files import WriteError, appearing
from pairbench_ext.core.texts import decimal, listed, plural
from pairbench_ext.runs.completeness import judge_of
from pairbench_ext.runs.groups import labels

if TYPE_CHECKING:
    from pairbench_ext.runs.scoring import Run

# Okabe and Ito's palette: told apart with any colour vision, and in grey.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#5B6570"
INK, RULE, GRID = "#22272B", "#C8CED4", "#E6E9EC"
# Colour and marker of several series; as many of them as pictures are readable with.
SERIES = tuple(
    (colour, marker)
    for marker in "osDP"
    for colour in (BLUE, ORANGE, GREEN, "#CC79A7", "#56B4E9", "#E69F00", INK)
)
_MOST_NAMED = 3  # names that a heading lists
_PER_INCH = 11  # letters of a heading
_LINE = 0.22  # inches of a title's line
_NAME_LINE = 0.0185  # inches that a line of a name takes for each point of its size
_SETTINGS: Any = {
    "axes.edgecolor": "#9AA3AD",
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "figure.dpi": 110,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "legend.frameon": False,
    "savefig.bbox": "tight",
    "savefig.dpi": 160,
    "svg.hashsalt": "pairbench",  # the same figure is the same file
    "text.color": INK,
    "text.parse_math": False,  # a dollar in a name is a dollar
    "xtick.color": GREY,
    "ytick.color": GREY,
}


@contextmanager
def saved_figure(
    path: Path,
    size: tuple[float, float],
    *,
    title: str = "",
    wspace: float | None = None,
    hspace: float | None = None,
) -> Iterator[Any]:
    """Return a new figure in the common style; it is written to a file when the block ends.

    No screen is used, and the caller's settings of matplotlib are untouched afterwards.

    Args:
        path: where to, in the format that its suffix says.
        size: width and height in inches, without the title's lines.
        title: above all panels.
        wspace: room between panels, as a share of their width; None as matplotlib has it.
        hspace: the same of their height.

    Raises:
        MissingPackageError: if matplotlib is not installed.
        ValueError: if the name has no known format or the file cannot be written.
    """
    mpl = require("matplotlib", "a figure")
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    with mpl.rc_context(_SETTINGS):
        layout = ConstrainedLayoutEngine(wspace=wspace, hspace=hspace)
        lines = title.count("\n") + 1 if title else 0
        figure = Figure(figsize=(size[0], size[1] + _LINE * lines), layout=layout)
        if title:
            figure.suptitle(title, x=0.005, ha="left", fontsize=10.5, fontweight="bold")
        formats = sorted(figure.canvas.get_supported_filetypes())
        if path.suffix.lstrip(".").lower() not in formats:
            raise ValueError(
                f"cannot write a figure as {path.name!r}; its name must end in one of {formats}"
            )
        yield figure
        try:
            with appearing(path) as file:
                figure.savefig(file)
        except WriteError as error:
            raise ValueError(str(error)) from error


@contextmanager
def saved_panels(
    path: Path,
    count: int,
    per_row: int,
    size: tuple[float, float],
    *,
    space: tuple[float | None, float | None],
    margin: tuple[float, float] = (0, 0),
    title: str = "",
) -> Iterator[list[Any]]:
    """Return equal panels of a new figure, in rows; the figure is written when the block ends.

    Args:
        path: where to, in the format that its suffix says.
        count: how many panels.
        per_row: how many stand side by side.
        size: width and height of a panel in inches.
        margin: width and height beside all panels.
        space: between panels, as `wspace` and `hspace` of `saved_figure`.
        title: above all panels.
    """
    lines, columns = math.ceil(count / per_row), min(count, per_row)
    whole = size[0] * columns + margin[0], size[1] * lines + margin[1]
    with saved_figure(path, whole, title=title, wspace=space[0], hspace=space[1]) as figure:
        panels = list(figure.subplots(lines, columns, squeeze=False).flat)
        for unused in panels[count:]:
            unused.set_axis_off()
        yield panels[:count]


def heading(runs: Sequence[Run], width: float) -> str:
    """Return a figure's heading, which names the benchmark, the judges and the tasks."""
    judges = dict.fromkeys(run.judge for run in runs)
    if len(judges) == 1:  # the model says more than the folder
        judges = dict.fromkeys(judge_of(run.file) for run in runs)
    tasks = dict.fromkeys(run.task or "plain rows" for run in runs)
    parts = [runs[0].benchmark.title]
    for noun, names in (("judge", judges), ("task", tasks)):
        parts.append(f"{plural(noun, len(names))} {listed(list(names), _MOST_NAMED)}")
    return textwrap.fill(" \u00b7 ".join(parts), max(30, int(_PER_INCH * width)))


def two_digits(value: float) -> str:
    """Return a number as text with two decimals, for a figure.

    >>> two_digits(0.5), two_digits(float("nan"))
    ('0.50', 'n/a')
    """
    return "n/a" if math.isnan(value) else decimal(value, 2).replace("-", "\u2212")  # a minus sign


def offset(number: int, count: int, step: float = 0.3) -> float:
    """Return a mark's offset from its row's middle, so that the row's marks do not overlap.

    >>> offset(0, 3), offset(1, 3), offset(0, 1)
    (-0.15, 0.0, 0.0)
    """
    return 0.0 if count < 2 else step * (number / (count - 1) - 0.5)


def say_nothing_measured(axes: Any, why: str) -> None:
    """Write into an empty panel of a figure why it is empty."""
    place = {"transform": axes.transAxes, "ha": "center", "va": "center"}
    axes.text(0.5, 0.5, wrapped(why, 26), color=GREY, fontsize=8, **place)


def light_grid(axes: Any, axis: str = "both") -> None:
    """Draw a light grid behind everything else in the figure."""
    axes.grid(axis=axis, color=GRID, lw=0.8)
    axes.set_axisbelow(True)


def draw_interval(
    axes: Any, low: float, high: float, position: float, *, colour: str = GREY, height: float = 5
) -> None:
    """Draw an interval as a horizontal bar in its row; draw nothing if a bound is NaN."""
    if not (math.isnan(low) or math.isnan(high)):
        style = {"color": colour, "lw": height, "alpha": 0.3, "solid_capstyle": "butt"}
        axes.plot([low, high], [position] * 2, **style)


def short_names(names: Sequence[str]) -> list[str]:
    """Return the names without the words that all of them have in common.

    >>> short_names(["Qwen__Qwen2-VL-7B/vl_rewardbench_k5", "Qwen__Qwen2-VL-72B/vl_rewardbench_k5"])
    ['Qwen2-VL-7B', 'Qwen2-VL-72B']
    >>> short_names(["pairbench_coco_rotate", "pairbench_coco_elastic"])
    ['rotate', 'elastic']
    """
    paths = [name.split("/") for name in names]
    if len(set(names)) < 2 or len({len(path) for path in paths}) > 1:
        return _without_first_words(names)
    columns = [
        _without_first_words(column) for column in zip(*paths, strict=True) if len(set(column)) > 1
    ]
    return ["/".join(parts) for parts in zip(*columns, strict=True)]


def run_names(runs: Sequence[Run], width: int) -> list[str]:
    """Return short names of runs for a figure, broken over several lines if they are long."""
    return [wrapped(name, width) for name in short_names(labels(runs))]


def _without_first_words(names: Sequence[str]) -> list[str]:
    """Return names without the words, joined by underscores, that all of them begin with."""
    words = [name.split("_") for name in names]
    columns = zip(*(word[:-1] for word in words), strict=False)
    shared = list(takewhile(lambda column: len(set(column)) == 1, columns))
    common = len(shared) if len(set(names)) > 1 else 0
    return ["_".join(word[common:]) for word in words]


def row_height(names: Sequence[str], least: float, size: float = 9) -> float:
    r"""Return the distance between a figure's rows, in inches, so that labels do not overlap.

    >>> row_height(["judge"], 0.34), row_height(["one\nname\nof several lines"], 0.34)
    (0.34, 0.579)

    Args:
        names: over as many lines as they are drawn in.
        least: for names of one line.
        size: of the letters, in points.
    """
    lines = max((name.count("\n") + 1 for name in names), default=1)
    return max(least, round(_NAME_LINE * size * lines + 0.08, 3))


def wrapped(name: str, width: int) -> str:
    r"""Return a name broken into lines after `/`, `_`, `-`, `.` and spaces.

    Nothing of it is left out: names of models often differ in the middle only.

    >>> wrapped("Qwen2-VL-72B-Instruct-AWQ", 13)
    'Qwen2-VL-72B-\nInstruct-AWQ'
    """
    lines = [""]
    for piece in re.findall(r"[^/_\-. ]+[/_\-. ]*|[/_\-. ]+", name):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)
