"""Values in an SVG figure: every marker and bar says what it stands for when it is pointed at."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_SVG = "http://www.w3.org/2000/svg"
_GROUP, _USE, _TITLE = f"{{{_SVG}}}g", f"{{{_SVG}}}use", f"{{{_SVG}}}title"
_PATH = f"{{{_SVG}}}path"
_NEAR = 1e-9
_BESIDE = 0.5


def name_values(figure: Any) -> dict[str, list[str]]:
    """Give all markers and bars of a figure an id, and say their values: id -> texts.

    Args:
        figure: of matplotlib, complete but not yet written.
    """
    found: dict[str, list[str]] = {}
    for axes in figure.axes:
        for line in axes.lines:
            points = list(zip(line.get_xdata(), line.get_ydata(), strict=True))
            if line.get_marker() not in (None, "", "None", " ") and points:
                name = f"values{len(found)}"
                line.set_gid(name)
                found[name] = [_said(axes, x, y) for x, y in points if _defined(x, y)]
        for bars in axes.containers:
            for bar in getattr(bars, "patches", ()):
                name = f"values{len(found)}"
                bar.set_gid(name)
                found[name] = [_of_bar(axes, bar)]
    return found


def write_titles(file: Path, values: dict[str, list[str]]) -> None:
    """Add a title to each marker and bar of an SVG file."""
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    tree = ET.parse(file)  # noqa: S314  (matplotlib wrote it)
    for group in tree.iter(_GROUP):
        said = values.get(group.get("id", ""))
        if said:
            _add(group, said)
    tree.write(file, encoding="utf-8", xml_declaration=True)


def _add(group: ET.Element, said: Sequence[str]) -> None:
    marks = list(group.iter(_USE)) or [one for one in group if one.tag == _PATH]
    if len(marks) != len(said):  # some lie outside: which ones is not known
        return
    for mark, text in zip(marks, said, strict=True):
        ET.SubElement(mark, _TITLE).text = text


def _said(axes: Any, x: Any, y: Any) -> str:
    """A point's values by the names of the axes, with the names of ticks where it lies on one."""
    named = list(_named(axes.yaxis, y)), list(_named(axes.xaxis, x))
    title = axes.get_title(loc="left") or axes.get_title()
    parts = [*named[0], *named[1]]
    return ": ".join(filter(None, [" ".join(title.split()), ", ".join(parts)]))


def _named(axis: Any, value: Any) -> Iterator[str]:
    ticks = zip(map(float, axis.get_ticklocs()), axis.get_ticklabels(), strict=False)
    words = [(abs(place - value), text.get_text()) for place, text in ticks]
    words = [one for one in words if one[1] and not _is_number(one[1])]
    if words and min(words)[0] < _BESIDE:  # points and bars may stand beside their tick
        yield " ".join(min(words)[1].split())
        return
    if axis.axis_name == "y" and not axis.get_label_text() and value == int(value) and value <= 0:
        return  # a row of a chart whose names stand beside another panel
    label = axis.get_label_text()
    yield f"{label} {_number(value)}".strip()


def _of_bar(axes: Any, bar: Any) -> str:
    upright = abs(bar.get_height()) > _NEAR
    title = " ".join((axes.get_title(loc="left") or axes.get_title()).split())
    middle = bar.get_x() + bar.get_width() / 2
    said = f"{', '.join(_named(axes.xaxis, middle))}: {_number(bar.get_height())}"
    return ": ".join(filter(None, [title, said if upright else ""]))


def _defined(x: Any, y: Any) -> bool:
    return not (math.isnan(float(x)) or math.isnan(float(y)))


def _number(value: Any) -> str:
    return f"{float(value):.4g}".replace("-", "\u2212")


def _is_number(text: str) -> bool:
    try:
        float(text.replace("\u2212", "-"))
    except ValueError:
        return False
    return True
