"""One look for every picture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Okabe and Ito's palette: told apart with any colour vision, and in grey.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#5B6570"
_SETTINGS: Any = {
    "axes.edgecolor": "#9AA3AD",
    "axes.labelcolor": "#22272B",
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
    "text.color": "#22272B",
    "xtick.color": "#5B6570",
    "ytick.color": "#5B6570",
}


@contextmanager
def house_style() -> Iterator[None]:
    """Use our settings and no screen within the block; the caller's are untouched afterwards."""
    import matplotlib as mpl

    with mpl.rc_context(_SETTINGS):
        yield


def save(figure: Any, path: Path) -> None:
    """Write a figure in the format that its file name says.

    Raises:
        ValueError: if the name has no known format or the file cannot be written.
    """
    known = sorted(figure.canvas.get_supported_filetypes())
    if path.suffix.lstrip(".").lower() not in known:
        raise ValueError(f"cannot write a picture as {path.name!r}; use one of {known}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path)
    except OSError as error:
        raise ValueError(f"cannot write {path} ({error.strerror or error})") from error
