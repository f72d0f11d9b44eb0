"""Two scores of the same models as points, a panel for each pair of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pairbench_ext.show.figures.style import BLUE, GREY, light_grid, saved_panels

if TYPE_CHECKING:
    from pairbench_ext.runs.correlations import Correlation

_PER_ROW = 4
_NAMED = 30  # points that can be named beside each other


def draw_points(
    scores: Mapping[str, Mapping[str, float]], pairs: Sequence[Correlation], path: Path
) -> None:
    """Draw the models of each pair of scores.

    Args:
        scores: by the score's name, by the model's name.
        pairs: of scores, each with its correlation.
        path: where to, in the format that its suffix says.
    """
    space = {"wspace": 0.35, "hspace": 0.45}
    with saved_panels(path, len(pairs), _PER_ROW, (3.4, 3.1), **space) as panels:
        for axes, (x, y, models, relation, _) in zip(panels, pairs, strict=True):
            for model in models:
                at = scores[x][model], scores[y][model]
                axes.plot(*at, "o", color=BLUE, markersize=4)
                if len(models) <= _NAMED:
                    style = {"textcoords": "offset points", "fontsize": 5, "color": GREY}
                    axes.annotate(model, at, (3, 3), **style)
            axes.set(xlabel=x, ylabel=y)
            axes.set_title(f"{relation.name} {relation.value:.2f}, n = {len(models)}")
            light_grid(axes)
