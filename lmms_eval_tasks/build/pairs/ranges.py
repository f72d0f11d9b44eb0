"""Ranges that the parameters of transformations are drawn from, changed by a YAML file.

    rotate:
      degrees: [5, 15]
    colorjitter:
      brightness: [[0.7, 0.8], [1.2, 1.3]]   # below 1, above 1

Fields are those of the transformations in `pairbench_ext.synthetic.transforms`; what is left out
stays.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import yaml

from pairbench_ext.core.sources import SourceError
from pairbench_ext.synthetic.transforms import TRANSFORMS, Transform

# What a value of each field may be, both ends included.
_LIMITS: Mapping[tuple[str, str], tuple[float, float]] = {
    ("colorjitter", "brightness"): (0, 10),
    ("colorjitter", "contrast"): (0, 10),
    ("colorjitter", "saturation"): (0, 10),
    ("colorjitter", "hue"): (0, 0.5),
    ("rotate", "degrees"): (0, 180),
    ("gaussianblur", "fraction"): (0.0001, 0.5),
    ("perspective", "shrink"): (0, 0.45),
    ("perspective", "recede"): (0, 0.9),
    ("elastic", "amplitude"): (0, 0.5),
    ("elastic", "smoothness"): (0.0001, 0.5),
}


def choose_transforms(
    names: Sequence[str] = tuple(TRANSFORMS), file: Path | None = None
) -> dict[str, Transform]:
    """The transformations of these names, with the ranges of a file if there is one.

    Raises:
        SourceError: for an unknown or repeated transformation; for a file that cannot be read, or
            one with an unknown transformation or field or an ill-formed range, which is named.
    """
    unknown = [name for name in names if name not in TRANSFORMS]
    if unknown or not names:
        what = f"unknown transformation {unknown[0]!r}" if unknown else "no transformation"
        raise SourceError(f"{what}: choose from {', '.join(TRANSFORMS)}")
    if len(set(names)) < len(names):
        raise SourceError(f"a transformation is named twice in {','.join(names)}")
    given = {} if file is None else _read(file)
    # All are checked, also those of splits that are not built now.
    changed = {name: _changed(one, given.get(name), f"{file}") for name, one in TRANSFORMS.items()}
    return {name: changed[name] for name in names}


def ranges(transform: Transform) -> dict[str, Any]:
    """The ranges of a transformation, as JSON can hold them."""
    return {name: _lists(value) for name, value in _fields(transform).items()}


def _fields(transform: Transform) -> dict[str, Any]:
    values: dict[str, Any] = asdict(transform)  # type: ignore[call-overload]
    values.pop("name")
    return values


def _lists(value: Any) -> Any:
    return [_lists(one) for one in value] if isinstance(value, (tuple, list)) else value


def _read(file: Path) -> Mapping[str, Any]:
    try:
        given = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        line = str(error).replace("\n", " ")
        raise SourceError(f"cannot read {file}: {line}") from error
    if not isinstance(given, dict):
        raise SourceError(f"{file} must map transformations to their ranges, not be {given!r:.60}")
    unknown = [name for name in given if name not in TRANSFORMS]
    if unknown:
        raise SourceError(
            f"{file}: unknown transformation {unknown[0]!r}; known are {', '.join(TRANSFORMS)}"
        )
    return given


def _changed(transform: Transform, given: Any, file: str) -> Transform:
    if given is None:
        return transform
    where = f"{file}: {transform.name}"
    known = _fields(transform)
    if not isinstance(given, dict):
        raise SourceError(f"{where} must map fields to ranges, not be {given!r:.60}")
    unknown = [name for name in given if name not in known]
    if unknown:
        raise SourceError(f"{where} has no field {unknown[0]!r}; it has {', '.join(known)}")
    values = {
        name: _checked(value, known[name], f"{where}.{name}", _LIMITS[transform.name, name])
        for name, value in given.items()
    }
    return replace(transform, **values)  # type: ignore[type-var]


def _checked(value: Any, like: Any, where: str, limits: tuple[float, float]) -> Any:
    """A range, or two of them where the default is two, as tuples."""
    if isinstance(like[0], tuple):
        if not (isinstance(value, list) and len(value) == 2):
            raise SourceError(f"{where} must be two ranges, below and above 1, not {value!r:.60}")
        return tuple(_range(one, where, limits) for one in value)
    return _range(value, where, limits)


def _range(value: Any, where: str, limits: tuple[float, float]) -> tuple[float, float]:
    numbers = isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))
    if not numbers or value[0] > value[1]:
        raise SourceError(f"{where} must be [low, high] with low <= high, not {value!r:.60}")
    if value[0] < limits[0] or value[1] > limits[1]:
        raise SourceError(f"{where} must be within {list(limits)}, not {value!r:.60}")
    return float(value[0]), float(value[1])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
