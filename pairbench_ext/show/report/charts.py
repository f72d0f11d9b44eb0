"""Figures of a benchmark as SVG inside the page: themed by its style sheet."""

from __future__ import annotations

import re
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from pathlib import Path

from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.numbers import draw

_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
#: What the page's own style says in place of a colour that suits a white page alone.
_THEMED = {
    "#22272b": "ink", "#000000": "ink", "#5b6570": "soft", "#9aa3ad": "soft",
    "#e6e9ec": "rule", "#c8ced4": "rule", "#ffffff": "paper",
}  # fmt: skip
_OURS = ("fill", "stroke")


def figure_svg(runs: Sequence[Run], prefix: str) -> str:
    """The figure of runs of one benchmark as markup without a style of its own.

    Styles become attributes, which a strict Content-Security-Policy lets pass, and greys become
    classes, so that the page's style sheet colours them in light and dark.

    Args:
        runs: of one benchmark.
        prefix: of all ids in it; the page's own alone.

    Raises:
        ValueError: if there is nothing to draw.
        MissingPackageError: if matplotlib is not installed.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.svg"
        draw(runs, path)
        text = path.read_text(encoding="utf-8")
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ET.fromstring(text)  # noqa: S314  (matplotlib wrote it)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        _plain(element, prefix)
    root.attrib.pop("width", None)
    root.attrib.pop("height", None)
    root.set("class", "figure")
    root.set("role", "img")
    root.set("aria-label", f"{runs[0].benchmark.title}: figure")
    return ET.tostring(root, encoding="unicode")


def _plain(element: ET.Element, prefix: str) -> None:
    """Move styles to attributes, and make ids of the page's own."""
    for declaration in element.attrib.pop("style", "").split(";"):
        name, _, value = declaration.partition(":")
        if value.strip():
            element.set(name.strip(), value.strip())
    classes = list(_classes(element))
    if classes:
        element.set("class", " ".join(classes))
    if "id" in element.attrib:
        element.set("id", f"{prefix}-{element.get('id')}")
    if element.get(_LINK, "").startswith("#"):
        element.set(_LINK, f"#{prefix}-{element.get(_LINK, '')[1:]}")
    for name, value in element.attrib.items():
        if "url(#" in value:
            element.set(name, _REFERENCE.sub(rf"url(#{prefix}-\1)", value))


def _classes(element: ET.Element) -> Iterator[str]:
    """Classes in place of the colours that suit a white page alone, which are taken off."""
    for name in _OURS:
        theme = _THEMED.get(element.get(name, "").lower())
        if theme is not None:
            del element.attrib[name]
            yield f"{name}-{theme}"
