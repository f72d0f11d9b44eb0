"""Other packages' plugins of the harness. One that fails keeps the harness from loading the rest.

lmms-eval loads the entry points of group `lmms_eval.models` one after the other, and stops at the
first that raises, with a warning that does not name it. If ours comes later, our tasks and models
are unknown then, and none of our code was run: so `pairbench tasks` looks.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

GROUP = "lmms_eval.models"
_OURS = "pairbench-ext"


def broken_neighbours() -> list[str]:
    """A sentence for each plugin of another package that cannot be imported.

    Other packages' plugins are imported for this; mostly there are none.
    """
    points = list(dict.fromkeys(entry_points(group=GROUP)))
    names = [_distribution(point) for point in points]
    found = []
    for place, (point, name) in enumerate(zip(points, names, strict=True)):
        failure = "" if name == _OURS else _failure(point)
        if failure:
            after = f", {_OURS} among them" if _OURS in names[place:] else ""
            found.append(
                f"the plugin {point.name} of the package {name} fails ({failure}): lmms-eval loads "
                f"none that come after it{after}. Mend or uninstall {name}"
            )
    return found


def _distribution(point: EntryPoint) -> str:
    return point.module if point.dist is None else point.dist.name.replace("_", "-")


def _failure(point: EntryPoint) -> str:
    try:
        point.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001  (it is not our code)
        return f"{type(error).__name__}: {error}"
    return ""
