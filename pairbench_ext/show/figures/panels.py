"""Draw figures of several panels: trusted verdicts, calibration, and pairs of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pairbench_ext.runs.promised import Trust
from pairbench_ext.show.figures.style import BLUE, GREEN, GREY, light_grid, saved_panels, wrapped
from pairbench_ext.statistics.calibration import Bin

if TYPE_CHECKING:
    from pairbench_ext.runs.correlations import Correlation

_PER_ROW, _TESTED = 4, 3
_LARGEST = 120  # area of a dot
_NAMED = 30  # points that can be named beside each other


def draw_trust(trusted: Sequence[Trust], path: Path) -> None:
    """Draw how often kept verdicts agree with people against the share of verdicts that is kept.

    Args:
        trusted: what can be promised.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if there is nothing to draw, or the file cannot be written.
    """
    tested = [trust for trust in trusted if trust.levels]
    if not tested:
        raise ValueError("no verdicts can be tested against labels, so there is nothing to draw")
    width = 8.0 if len(tested) == 1 else 4.2
    with saved_panels(path, len(tested), _TESTED, (width, 3.2), space=(0.1, 0.15)) as panels:
        for axes, trust in zip(panels, tested, strict=True):
            kept = [count / len(trust.items) for count in trust.kept]
            seen = [level.agreement for level in trust.levels]
            least = [level.bound for level in trust.levels]
            sure = f"at least, {1 - trust.delta:.0%} sure"
            axes.plot(kept, seen, "o-", color=GREY, ms=4, lw=1, label="seen on labels")
            axes.plot(kept, least, "s-", color=BLUE, ms=4, lw=1.4, label=sure)
            axes.axhline(trust.agree, color=GREY, lw=0.8, ls="--")
            if trust.promised is not None:
                at = kept[trust.promised], least[trust.promised]
                axes.plot(*at, "s", color=GREEN, ms=9, label=f"promised: {trust.agree:.0%}")
            axes.set(xlim=(0, 1.02), ylim=(min(0.5, trust.agree - 0.1), 1.02))
            axes.set(xlabel="share of verdicts kept", ylabel="agree with people")
            axes.set_title(wrapped(trust.name, 36))
            axes.legend(loc="lower left", fontsize=7.5)
            light_grid(axes)


def draw_reliability(runs: Mapping[str, Sequence[Bin]], path: Path) -> None:
    """Draw reliability diagrams; a larger dot stands for more answers."""
    with saved_panels(path, len(runs), _PER_ROW, (2.9, 2.9), space=(0.2, 0.2)) as panels:
        for axes, (name, bins) in zip(panels, runs.items(), strict=True):
            total = sum(point.n for point in bins)
            x, y = ([point[place] for point in bins] for place in (0, 1))
            axes.plot([0, 1], [0, 1], color=GREY, lw=0.8)
            axes.plot(x, y, color=BLUE, lw=1)
            axes.scatter(x, y, s=[8 + _LARGEST * point.n / total for point in bins], color=BLUE)
            axes.set(xlim=(0, 1.02), ylim=(0, 1.02), aspect="equal")
            axes.set(xlabel="probability of the most probable answer", ylabel="right")
            axes.set_title(wrapped(name, 28), fontsize=8)
            light_grid(axes)


def draw_points(
    scores: Mapping[str, Mapping[str, float]], pairs: Sequence[Correlation], path: Path
) -> None:
    """Draw each pair of scores as a scatter plot, with one dot per model.

    Args:
        scores: by the score's name, by the model's name.
        pairs: of scores, each with its correlation.
        path: where to, in the format that its suffix says.
    """
    with saved_panels(path, len(pairs), _PER_ROW, (3.4, 3.1), space=(0.35, 0.45)) as panels:
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
