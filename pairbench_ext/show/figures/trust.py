"""The share of verdicts kept at each level of confidence, and the share that agrees with people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pairbench_ext.runs.trust import Trust
from pairbench_ext.show.figures.style import BLUE, GREEN, GREY, light_grid, saved_panels, wrapped

_PER_ROW = 3


def draw_trust(made: Sequence[Trust], path: Path) -> None:
    """Draw a panel for each task and group: the share kept against the share that agrees.

    Args:
        made: what can be promised.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if the file cannot be written.
    """
    width = 8.0 if len(made) == 1 else 4.2
    space = {"wspace": 0.1, "hspace": 0.15}
    with saved_panels(path, len(made), _PER_ROW, (width, 3.2), **space) as panels:
        for axes, trust in zip(panels, made, strict=True):
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
